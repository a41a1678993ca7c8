#pragma once

#include <karst/base/byte_reader.h>
#include <karst/voxel/magica_voxel.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace karst::voxel {

/// A chunk of a .vox file that is being read: its four letters, where it stands, and what is left of it.
struct VoxChunk {
    std::string_view name;
    std::size_t offset = 0;  // of its header in the file
    ByteReader reader;
};

/// "<name> at byte <offset>: " and the text.
[[gnu::format(printf, 3, 4)]] Error voxError(const VoxChunk& chunk, ErrorCode code, const char* format, ...);

using VoxDictionary = std::vector<std::pair<std::string_view, std::string_view>>;

/// A count and as many pairs of strings.
Result<VoxDictionary> readVoxDictionary(VoxChunk& chunk);
std::optional<std::string_view> findVoxKey(const VoxDictionary& dictionary, std::string_view key);

/// A node of the scene graph as it stands in the file.
struct VoxNode {
    enum class Kind : std::uint8_t { Transform, Group, Shape };
    Kind kind = Kind::Group;
    std::size_t offset = 0;  // of its chunk
    bool hidden = false;
    std::int32_t layer = -1;
    MagicaVoxelInstance transform;       // Transform: its turn and translation
    std::vector<std::int32_t> children;  // nodes; of a Shape, models
};

/// The content of nTRN, nGRP and nSHP; the first is the node's id.
Result<std::pair<std::int32_t, VoxNode>> readVoxNode(VoxChunk& chunk);

}  // namespace karst::voxel
