#pragma once

#include <karst/base/hash.h>
#include <karst/voxel/cell.h>

#include <cstddef>
#include <cstdint>

namespace karst::voxel_stream {

struct ChunkHash {
    std::size_t operator()(voxel::ChunkCoord c) const {
        const std::uint64_t xz =
            static_cast<std::uint32_t>(c.x) | std::uint64_t{static_cast<std::uint32_t>(c.z)} << 32;
        return static_cast<std::size_t>(mix64(mix64(xz) ^ static_cast<std::uint32_t>(c.y)));
    }
};

}  // namespace karst::voxel_stream
