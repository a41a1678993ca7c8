#pragma once

#include <karst/base/math.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace karst {

/// Appends little-endian numbers to bytes that the caller owns; the counterpart of ByteReader. Not
/// thread-safe.
class ByteWriter {
  public:
    explicit ByteWriter(std::vector<std::byte>& out) : m_out(out) {}

    void u8(std::uint8_t value) { m_out.push_back(static_cast<std::byte>(value)); }
    void u16(std::uint16_t value) { write(value); }
    void u32(std::uint32_t value) { write(value); }
    void u64(std::uint64_t value) { write(value); }
    void i32(std::int32_t value) { u32(static_cast<std::uint32_t>(value)); }
    void f32(float value) { u32(bitCast<std::uint32_t>(value)); }
    void f64(double value) { u64(bitCast<std::uint64_t>(value)); }
    void bytes(std::span<const std::byte> bytes) { m_out.insert(m_out.end(), bytes.begin(), bytes.end()); }

    std::size_t position() const { return m_out.size(); }
    /// Writes over 4 bytes written before, at `position`.
    void u32At(std::size_t position, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i)
            m_out[position + i] = static_cast<std::byte>(value >> (8 * i));
    }

  private:
    template <class T>
    void write(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i)
            u8(static_cast<std::uint8_t>(value >> (8 * i)));
    }

    std::vector<std::byte>& m_out;
};

}  // namespace karst
