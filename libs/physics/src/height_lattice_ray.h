#pragma once

#include "terrain_shape_state.h"

namespace karst::physics {

struct HeightLatticeHit {
    double t;
    TriangleId id;
    Vec3f normal;
};

/// The first place, 0 <= t <= maxT, where a ray of shape space meets the height tiles. Under an
/// Epochs::Reader.
std::optional<HeightLatticeHit> castRayOnTiles(const TerrainShape::State& state, const Ray& ray, double maxT);

}  // namespace karst::physics
