#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace karst {

enum class ByteOrder { Little, Big };

/// Reads numbers from bytes that nobody vouches for. A read past the end gives 0, changes nothing more and
/// leaves failed() true for good, so a decoder may read a whole header and test once.
/// Not thread-safe; readers of the same bytes are independent.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes, ByteOrder order = ByteOrder::Little)
        : m_bytes(bytes), m_order(order) {}

    std::uint8_t u8();
    std::uint16_t u16();
    std::uint32_t u32();
    std::uint64_t u64();
    std::int16_t i16() { return static_cast<std::int16_t>(u16()); }
    std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
    float f32();
    double f64();

    /// The next `count` bytes, or an empty span (and failed()) where fewer are left.
    std::span<const std::byte> bytes(std::size_t count);
    void skip(std::size_t count) { bytes(count); }

    bool failed() const { return m_failed; }
    std::size_t position() const { return m_position; }
    std::size_t remaining() const { return m_failed ? 0 : m_bytes.size() - m_position; }

  private:
    template <class T>
    T read();

    std::span<const std::byte> m_bytes;
    std::size_t m_position = 0;
    ByteOrder m_order;
    bool m_failed = false;
};

}  // namespace karst
