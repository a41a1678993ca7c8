#pragma once

#include <karst/base/byte_writer.h>
#include <karst/voxel/magica_voxel.h>

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace karst::voxel::test {

/// Writes .vox files for tests, chunk by chunk.
class VoxFile {
  public:
    using Attributes = std::initializer_list<std::pair<std::string, std::string>>;

    VoxFile& chunk(std::string_view name, const std::vector<std::byte>& content) {
        ByteWriter out(m_children);
        letters(out, name);
        out.u32(static_cast<std::uint32_t>(content.size()));
        out.u32(0);
        out.bytes(content);
        return *this;
    }

    VoxFile& model(std::array<std::int32_t, 3> size, const std::vector<MagicaVoxelCell>& cells) {
        std::vector<std::byte> bytes;
        ByteWriter out(bytes);
        for (const std::int32_t side : size)
            out.i32(side);
        chunk("SIZE", bytes);
        bytes.clear();
        out.u32(static_cast<std::uint32_t>(cells.size()));
        for (const MagicaVoxelCell& cell : cells) {
            out.u8(cell.x);
            out.u8(cell.y);
            out.u8(cell.z);
            out.u8(cell.color);
        }
        return chunk("XYZI", bytes);
    }

    VoxFile& palette(const std::array<std::array<std::uint8_t, 4>, 256>& colors) {
        std::vector<std::byte> bytes;
        ByteWriter out(bytes);
        for (std::size_t i = 1; i <= 256; ++i)
            for (const std::uint8_t channel : colors[i % 256])
                out.u8(channel);
        return chunk("RGBA", bytes);
    }

    VoxFile& transform(std::int32_t id, std::int32_t child, Attributes frame, Attributes node = {},
                       std::int32_t layer = -1) {
        std::vector<std::byte> bytes;
        ByteWriter out(bytes);
        out.i32(id);
        dictionary(out, node);
        out.i32(child);
        out.i32(-1);
        out.i32(layer);
        out.u32(1);
        dictionary(out, frame);
        return chunk("nTRN", bytes);
    }

    VoxFile& group(std::int32_t id, const std::vector<std::int32_t>& children) {
        std::vector<std::byte> bytes;
        ByteWriter out(bytes);
        out.i32(id);
        dictionary(out, {});
        out.u32(static_cast<std::uint32_t>(children.size()));
        for (const std::int32_t child : children)
            out.i32(child);
        return chunk("nGRP", bytes);
    }

    VoxFile& shape(std::int32_t id, std::int32_t model) {
        std::vector<std::byte> bytes;
        ByteWriter out(bytes);
        out.i32(id);
        dictionary(out, {});
        out.u32(1);
        out.i32(model);
        dictionary(out, {});
        return chunk("nSHP", bytes);
    }

    VoxFile& layer(std::int32_t id, Attributes attributes) {
        std::vector<std::byte> bytes;
        ByteWriter out(bytes);
        out.i32(id);
        dictionary(out, attributes);
        out.i32(-1);
        return chunk("LAYR", bytes);
    }

    std::vector<std::byte> bytes(std::uint32_t version = 200) const {
        std::vector<std::byte> all;
        ByteWriter out(all);
        letters(out, "VOX ");
        out.u32(version);
        letters(out, "MAIN");
        out.u32(0);
        out.u32(static_cast<std::uint32_t>(m_children.size()));
        out.bytes(m_children);
        return all;
    }

  private:
    static void letters(ByteWriter& out, std::string_view text) {
        for (const char c : text)
            out.u8(static_cast<std::uint8_t>(c));
    }
    static void dictionary(ByteWriter& out, Attributes attributes) {
        out.u32(static_cast<std::uint32_t>(attributes.size()));
        for (const auto& [key, value] : attributes) {
            for (const std::string& text : {key, value}) {
                out.u32(static_cast<std::uint32_t>(text.size()));
                letters(out, text);
            }
        }
    }

    std::vector<std::byte> m_children;
};

}  // namespace karst::voxel::test
