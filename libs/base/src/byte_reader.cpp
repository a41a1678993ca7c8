#include <karst/base/byte_reader.h>
#include <karst/base/math.h>

namespace karst {

template <class T>
T ByteReader::read() {
    const std::span<const std::byte> source = bytes(sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const std::size_t shift = m_order == ByteOrder::Little ? i : sizeof(T) - 1 - i;
        value = static_cast<T>(value | static_cast<T>(static_cast<T>(source[i]) << (shift * 8)));
    }
    return value;
}

std::uint8_t ByteReader::u8() {
    return read<std::uint8_t>();
}
std::uint16_t ByteReader::u16() {
    return read<std::uint16_t>();
}
std::uint32_t ByteReader::u32() {
    return read<std::uint32_t>();
}
std::uint64_t ByteReader::u64() {
    return read<std::uint64_t>();
}
float ByteReader::f32() {
    return bitCast<float>(u32());
}
double ByteReader::f64() {
    return bitCast<double>(u64());
}

std::span<const std::byte> ByteReader::bytes(std::size_t count) {
    if (m_failed || count > m_bytes.size() - m_position) {
        m_failed = true;
        return {};
    }
    const auto out = m_bytes.subspan(m_position, count);
    m_position += count;
    return out;
}

}  // namespace karst
