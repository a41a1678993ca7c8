#include "magica_voxel_chunks.h"

#include <charconv>
#include <cstdarg>
#include <cstdio>

namespace karst::voxel {
namespace {

// A scene moves by at most this much from node to node, so that sums stay far from the ends of 32 bits.
constexpr std::int32_t kMaxTranslation = 1 << 20;

Result<std::string_view> readString(VoxChunk& chunk) {
    const std::uint32_t size = chunk.reader.u32();
    if (chunk.reader.failed() || size > chunk.reader.remaining()) {
        return voxError(chunk, ErrorCode::CorruptData, "a string of %u bytes, and only %zu are left", size,
                        chunk.reader.remaining());
    }
    const auto bytes = chunk.reader.bytes(size);
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// The whole text as `count` integers with single spaces between.
bool parseIntegers(std::string_view text, std::span<std::int32_t> out) {
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (i > 0) {
            if (at == end || *at != ' ') return false;
            ++at;
        }
        const auto [stop, code] = std::from_chars(at, end, out[i]);
        if (code != std::errc()) return false;
        at = stop;
    }
    return at == end;
}

int printable(std::string_view text) {
    return static_cast<int>(text.size() > 40 ? 40 : text.size());
}

Result<void> readRotation(const VoxChunk& chunk, std::string_view text, MagicaVoxelInstance& out) {
    std::int32_t bits = 0;
    if (!parseIntegers(text, {&bits, 1}) || bits < 0 || bits > 127 || (bits & 3) > 2 || (bits >> 2 & 3) > 2 ||
        (bits & 3) == (bits >> 2 & 3)) {
        return voxError(chunk, ErrorCode::CorruptData, "_r \"%.*s\" is no rotation", printable(text),
                        text.data());
    }
    out.axis[0] = static_cast<std::uint8_t>(bits & 3);
    out.axis[1] = static_cast<std::uint8_t>(bits >> 2 & 3);
    out.axis[2] = static_cast<std::uint8_t>(3 - out.axis[0] - out.axis[1]);
    for (int row = 0; row < 3; ++row)
        out.sign[row] = static_cast<std::int8_t>(bits >> (4 + row) & 1 ? -1 : 1);
    return {};
}

Result<void> readTranslation(const VoxChunk& chunk, std::string_view text, MagicaVoxelInstance& out) {
    bool good = parseIntegers(text, out.translation);
    for (const std::int32_t value : out.translation)
        good = good && value >= -kMaxTranslation && value <= kMaxTranslation;
    if (!good) {
        return voxError(chunk, ErrorCode::CorruptData, "_t \"%.*s\" is not three numbers of at most %d",
                        printable(text), text.data(), kMaxTranslation);
    }
    return {};
}

Result<void> readTransform(VoxChunk& chunk, VoxNode& node) {
    node.children.push_back(chunk.reader.i32());
    chunk.reader.skip(4);
    node.layer = chunk.reader.i32();
    const std::uint32_t frames = chunk.reader.u32();
    if (chunk.reader.failed() || frames == 0) {
        return voxError(chunk, ErrorCode::CorruptData, "a transform of %u frames in too few bytes", frames);
    }
    const Result<VoxDictionary> frame = readVoxDictionary(chunk);
    if (!frame) return frame.error();
    if (const auto text = findVoxKey(*frame, "_r")) {
        if (auto read = readRotation(chunk, *text, node.transform); !read) return read;
    }
    if (const auto text = findVoxKey(*frame, "_t")) {
        if (auto read = readTranslation(chunk, *text, node.transform); !read) return read;
    }
    return {};
}

Result<void> readGroup(VoxChunk& chunk, VoxNode& node) {
    const std::uint32_t count = chunk.reader.u32();
    if (chunk.reader.failed() || count > chunk.reader.remaining() / 4) {
        return voxError(chunk, ErrorCode::CorruptData, "a group of %u nodes, and only %zu bytes are left",
                        count, chunk.reader.remaining());
    }
    node.children.resize(count);
    for (std::int32_t& child : node.children)
        child = chunk.reader.i32();
    return {};
}

Result<void> readShape(VoxChunk& chunk, VoxNode& node) {
    const std::uint32_t count = chunk.reader.u32();
    node.children.push_back(chunk.reader.i32());
    if (chunk.reader.failed() || count == 0) {
        return voxError(chunk, ErrorCode::CorruptData, "a shape of %u models in too few bytes", count);
    }
    return {};
}

}  // namespace

Error voxError(const VoxChunk& chunk, ErrorCode code, const char* format, ...) {
    char text[256];
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return makeError(code, "vox: %.*s at byte %zu: %s", static_cast<int>(chunk.name.size()),
                     chunk.name.data(), chunk.offset, text);
}

Result<VoxDictionary> readVoxDictionary(VoxChunk& chunk) {
    const std::uint32_t count = chunk.reader.u32();
    if (chunk.reader.failed() || count > chunk.reader.remaining() / 8) {
        return voxError(chunk, ErrorCode::CorruptData,
                        "a dictionary of %u pairs, and only %zu bytes are left", count,
                        chunk.reader.remaining());
    }
    VoxDictionary dictionary;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Result<std::string_view> key = readString(chunk);
        if (!key) return key.error();
        const Result<std::string_view> value = readString(chunk);
        if (!value) return value.error();
        dictionary.emplace_back(*key, *value);
    }
    return dictionary;
}

std::optional<std::string_view> findVoxKey(const VoxDictionary& dictionary, std::string_view key) {
    for (const auto& [name, value] : dictionary) {
        if (name == key) return value;
    }
    return std::nullopt;
}

Result<std::pair<std::int32_t, VoxNode>> readVoxNode(VoxChunk& chunk) {
    VoxNode node;
    node.offset = chunk.offset;
    const std::int32_t id = chunk.reader.i32();
    const Result<VoxDictionary> attributes = readVoxDictionary(chunk);
    if (!attributes) return attributes.error();
    node.hidden = findVoxKey(*attributes, "_hidden") == "1";
    Result<void> read;
    if (chunk.name == "nTRN") {
        node.kind = VoxNode::Kind::Transform;
        read = readTransform(chunk, node);
    } else if (chunk.name == "nGRP") {
        node.kind = VoxNode::Kind::Group;
        read = readGroup(chunk, node);
    } else {
        node.kind = VoxNode::Kind::Shape;
        read = readShape(chunk, node);
    }
    if (!read) return read.error();
    return std::pair(id, std::move(node));
}

}  // namespace karst::voxel
