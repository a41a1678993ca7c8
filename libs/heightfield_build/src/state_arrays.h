#pragma once

#include <karst/base/byte_reader.h>
#include <karst/base/math.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace karst::heightfield {

/// Little-endian numbers and arrays at the end of a byte vector; ByteReader reads them back. For the
/// builder's own state file, which stays on the machine that wrote it.
class ByteWriter {
  public:
    explicit ByteWriter(std::vector<std::byte>& out) : m_out(&out) {}

    void u32(std::uint32_t value) { number(value); }
    void u64(std::uint64_t value) { number(value); }
    void f32(float value) { number(bitCast<std::uint32_t>(value)); }
    void f64(double value) { number(bitCast<std::uint64_t>(value)); }

    /// Elements as they lie in memory.
    template <class T>
    void array(std::span<const T> values) {
        u64(values.size());
        const auto bytes = std::as_bytes(values);
        m_out->insert(m_out->end(), bytes.begin(), bytes.end());
    }

  private:
    template <class T>
    void number(T value) {
        for (std::size_t i = 0; i < sizeof(T); ++i)
            m_out->push_back(static_cast<std::byte>(value >> (8 * i)));
    }

    std::vector<std::byte>* m_out;
};

/// False where the array has not exactly `values.size()` elements.
template <class T>
bool readArray(ByteReader& reader, std::span<T> values) {
    if (reader.u64() != values.size()) return false;
    const auto bytes = reader.bytes(values.size_bytes());
    if (reader.failed()) return false;
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return true;
}

}  // namespace karst::heightfield
