#pragma once

#include <karst/base/externals.h>
#include <karst/physics/height_colliders.h>
#include <karst/physics/terrain_shape.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "view_arguments.h"

namespace karst::tool {

/// A ball or a box as it lies.
struct DroppedBody {
    bool ball = true;
    Vec3d half;  ///< a box's half edges; of a ball the radius, three times
    WorldPosition position{};
    Vec3d axes[3];  ///< its own x, y and z in the world, of length 1
};

struct DropPicture {
    std::string output;  ///< a .png
    ViewArguments view;
    Bounds things;  ///< around the bodies: what a camera looks at that was not given
};

/// Ground to drop bodies on.
class DropGround {
  public:
    virtual ~DropGround() = default;

    /// What bodies collide with.
    const std::shared_ptr<physics::TerrainShape>& shape() const { return m_shape; }
    /// Where the lattice of the shape lies.
    virtual Rect rect() const = 0;
    virtual double spacing() const = 0;
    /// "tiles" or "chunks"
    virtual const char* pieces() const = 0;

    /// Makes the ground solid around the anchors, as it is after every dig, and waits for what has to be
    /// loaded. Returns how many pieces of the shape were replaced.
    virtual Result<std::uint32_t> follow(std::span<const physics::HeightColliderAnchor> anchors) = 0;
    /// Takes ground away around a place. False where that would break through the ground's lower side.
    virtual Result<bool> dig(WorldPosition at, double radius) = 0;
    virtual Result<void> draw(const DropPicture& picture, std::span<const DroppedBody> bodies) = 0;

  protected:
    std::shared_ptr<physics::TerrainShape> m_shape;
};

/// A package's tiles around `area` and as far beyond, at the finest of so many levels of detail.
Result<std::unique_ptr<DropGround>> openHeightGround(const std::string& package, std::uint32_t detailLevels,
                                                     const std::optional<Rect>& area,
                                                     const Externals& externals);
/// All chunks of a file of voxels; what is dug is not saved.
Result<std::unique_ptr<DropGround>> openVoxelGround(const std::string& file, const Externals& externals);

}  // namespace karst::tool
