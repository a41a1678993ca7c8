#pragma once

#include <karst/voxel/grid_snapshot.h>
#include <karst/voxel_mesh/padded_field.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace karst::voxel_stream {

/// Which level of detail a chunk is drawn at, by its distance (chunkDistance). World units. Source: spec row
/// V16.
struct LevelPolicy {
    /// Where level 1, 2 and 3 begin; each larger than the one before, the first above `hysteresis`.
    std::array<double, voxel_mesh::kMeshLevels - 1> thresholds{320, 720, 1500};
    /// A chunk that has a level gets a coarser one only beyond threshold + hysteresis and a finer one only
    /// under threshold - hysteresis.
    double hysteresis = 48;
};

/// The level of a chunk without one.
inline int nominalLevel(const LevelPolicy& policy, double distance) {
    int level = 0;
    for (const double threshold : policy.thresholds)
        level += distance >= threshold ? 1 : 0;
    return level;
}

/// The level of a chunk that has `level`.
inline int nextLevel(const LevelPolicy& policy, double distance, int level) {
    int next = 0;
    for (int i = 0; i < voxel_mesh::kMeshLevels - 1; ++i) {
        const double threshold = policy.thresholds[static_cast<std::size_t>(i)];
        const bool coarser =
            i < level ? distance >= threshold - policy.hysteresis : distance > threshold + policy.hysteresis;
        next += coarser ? 1 : 0;
    }
    return next;
}

/// How much the distance may change in either direction while nextLevel(policy, distance, level) stays
/// `level`; below 0 where it does not.
inline double levelSlack(const LevelPolicy& policy, double distance, int level) {
    double slack = HUGE_VAL;
    if (level > 0) {
        const double finer = policy.thresholds[static_cast<std::size_t>(level - 1)] - policy.hysteresis;
        slack = distance - finer;
    }
    if (level < voxel_mesh::kMeshLevels - 1) {
        const double coarser = policy.thresholds[static_cast<std::size_t>(level)] + policy.hysteresis;
        slack = std::min(slack, coarser - distance);
    }
    return slack;
}

/// The edge of a chunk in world units.
inline double chunkEdge(const voxel::GridPlacement& placement) {
    return voxel::kChunkSize * placement.cellSize;
}

/// From the camera to the chunk's bounding sphere: 0 inside.
inline double chunkDistance(const voxel::GridPlacement& placement, voxel::ChunkCoord chunk,
                            WorldPosition camera) {
    constexpr double kHalfDiagonal = 0.8660254037844386;  // of a cube of edge 1
    const double edge = chunkEdge(placement);
    const Vec3d center{placement.origin.x + (chunk.x + 0.5) * edge,
                       placement.origin.y + (chunk.y + 0.5) * edge,
                       placement.origin.z + (chunk.z + 0.5) * edge};
    return std::max(0.0, length(camera - center) - kHalfDiagonal * edge);
}

}  // namespace karst::voxel_stream
