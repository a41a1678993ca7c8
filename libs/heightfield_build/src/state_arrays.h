#pragma once

#include <karst/base/byte_reader.h>
#include <karst/base/byte_writer.h>

#include <cstring>
#include <span>
#include <vector>

// Arrays in the builder's own files, which stay on machines of one kind: elements as they lie in memory,
// after their number.
namespace karst::heightfield {

template <class T>
void writeArray(ByteWriter& out, std::span<const T> values) {
    out.u64(values.size());
    out.bytes(std::as_bytes(values));
}

/// False where the array has not exactly `values.size()` elements.
template <class T>
bool readArray(ByteReader& in, std::span<T> values) {
    if (in.u64() != values.size()) return false;
    const auto bytes = in.bytes(values.size_bytes());
    if (in.failed()) return false;
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return true;
}

/// An array of any length; false where it reaches past the end.
template <class T>
bool readArray(ByteReader& in, std::vector<T>& values) {
    const std::uint64_t count = in.u64();
    if (in.failed() || count > in.remaining() / sizeof(T)) return false;
    values.resize(static_cast<std::size_t>(count));
    const auto bytes = in.bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return true;
}

}  // namespace karst::heightfield
