#pragma once

#include <karst/base/assert.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace karst::voxel {

/// The 8 bytes at `from`, the first lowest.
inline std::uint64_t loadLittle64(const std::byte* from) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    std::uint64_t value;
    std::memcpy(&value, from, 8);
#else
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
        value |= std::uint64_t{static_cast<std::uint8_t>(from[i])} << (8 * i);
#endif
    return value;
}
inline void storeLittle32(std::uint32_t value, std::byte* to) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    std::memcpy(to, &value, 4);
#else
    for (int i = 0; i < 4; ++i)
        to[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
#endif
}

/// Appends bits to bytes, the lowest bit of a byte first; the last byte is filled up with zeros. There must
/// be room for all of them, `mostBytes`; `out` is cut to what was written by finish().
class BitWriter {
  public:
    BitWriter(std::vector<std::byte>& out, std::size_t mostBytes) : m_out(out), m_begin(out.size()) {
        m_out.resize(m_begin + mostBytes + 8);
        m_next = m_out.data() + m_begin;
    }

    /// The low `count` bits of `value`, at most 32; the others must be 0.
    void put(std::uint32_t value, int count) {
        m_bits |= std::uint64_t{value} << m_count;
        m_count += count;
        if (m_count < 32) return;
        store();
        m_next += 4;
        m_bits >>= 32;
        m_count -= 32;
    }
    /// Whole bytes written.
    std::size_t size() const { return static_cast<std::size_t>(m_next - m_out.data()) - m_begin; }
    void finish() {
        store();
        m_out.resize(m_begin + size() + static_cast<std::size_t>(m_count + 7) / 8);
    }

  private:
    void store() {
        KARST_ASSERT(m_next + 4 <= m_out.data() + m_out.size());
        storeLittle32(static_cast<std::uint32_t>(m_bits), m_next);
    }

    std::vector<std::byte>& m_out;
    std::size_t m_begin;
    std::byte* m_next;
    std::uint64_t m_bits = 0;
    int m_count = 0;
};

/// Reads what BitWriter wrote. Past the end come zeros and overrun() is true, so that a decoder may test now
/// and then.
class BitReader {
  public:
    explicit BitReader(std::span<const std::byte> bytes)
        : m_next(bytes.data()),
          m_end(bytes.data() + bytes.size()),
          m_left(static_cast<std::int64_t>(bytes.size()) * 8),
          m_size(bytes.size()) {}

    /// Makes at least 56 bits ready for peek() and skip().
    void fill() {
        if (m_end - m_next >= 8) {
            m_bits |= loadLittle64(m_next) << m_count;
            m_next += (63 - m_count) >> 3;
            m_count |= 56;
            return;
        }
        while (m_count <= 56) {
            if (m_next != m_end) m_bits |= std::uint64_t{static_cast<std::uint8_t>(*m_next++)} << m_count;
            m_count += 8;
        }
    }
    /// The next `count` bits, fewer than 32, of those made ready.
    std::uint32_t peek(int count) const {
        return static_cast<std::uint32_t>(m_bits & ((std::uint64_t{1} << count) - 1));
    }
    void skip(int count) {
        m_bits >>= count;
        m_count -= count;
        m_left -= count;
    }
    std::uint32_t take(int count) {
        const std::uint32_t value = peek(count);
        skip(count);
        return value;
    }
    std::uint32_t read(int count) {
        fill();
        return take(count);
    }

    bool overrun() const { return m_left < 0; }
    /// The byte that the next bit is in.
    std::size_t position() const {
        return m_left < 0 ? m_size : m_size - static_cast<std::size_t>((m_left + 7) / 8);
    }
    /// The bits made ready, at least 56 after fill(); those past them mean nothing.
    std::uint64_t window() const { return m_bits; }
    /// After the last read: nothing is left but zeros that fill up a byte. Else what is wrong, and position()
    /// is where.
    const char* endFault() {
        fill();
        const auto padding = static_cast<int>(m_left & 7);
        if (peek(padding) != 0) return "bits after its end";
        skip(padding);
        return m_left == 0 ? nullptr : "bytes after its end";
    }

  private:
    const std::byte* m_next;
    const std::byte* m_end;
    std::uint64_t m_bits = 0;
    int m_count = 0;
    std::int64_t m_left;
    std::size_t m_size;
};

}  // namespace karst::voxel
