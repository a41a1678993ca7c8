#include <karst/base/hash.h>
#include <karst/base/math.h>

namespace karst {

Hasher& Hasher::bytes(const void* data, std::size_t size) {
    const auto* p = static_cast<const unsigned char*>(data);
    std::uint64_t state = m_state;
    for (std::size_t i = 0; i < size; ++i)
        state = (state ^ p[i]) * 0x100000001b3u;
    m_state = state;
    return *this;
}

Hasher& Hasher::u32(std::uint32_t value) {
    const unsigned char b[4] = {static_cast<unsigned char>(value), static_cast<unsigned char>(value >> 8),
                                static_cast<unsigned char>(value >> 16),
                                static_cast<unsigned char>(value >> 24)};
    return bytes(b, sizeof b);
}

Hasher& Hasher::u64(std::uint64_t value) {
    return u32(static_cast<std::uint32_t>(value)).u32(static_cast<std::uint32_t>(value >> 32));
}

Hasher& Hasher::f32(float value) {
    return u32(bitCast<std::uint32_t>(value));
}

Hasher& Hasher::f64(double value) {
    return u64(bitCast<std::uint64_t>(value));
}

std::uint64_t Hasher::value() const {
    return mix64(m_state);
}

}  // namespace karst
