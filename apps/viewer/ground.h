#pragma once

#include <karst/base/bounds.h>
#include <karst/base/ray.h>
#include <karst/base/result.h>
#include <karst/physics/terrain_shape.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solid_places.h"

namespace karst::viewer {

/// From where the ground is looked at, for what is to be loaded and at which level.
struct Viewpoint {
    WorldPosition eye;
    double projectionScale = 1000;      ///< pixels that a world unit covers at distance 1
    std::span<const SolidPlace> solid;  ///< where somebody walks or something falls
};

struct GroundHit {
    WorldPosition position;
    Vec3d normal{0, 1, 0};
    double distance = 0;
};

enum class Tool : std::uint8_t { Look, Dig, Fill, Paint, Smooth, Crater };
const char* toolName(Tool tool);

struct ToolUse {
    Tool tool = Tool::Look;
    WorldPosition center;
    double radius = 1;      ///< world units
    double strength = 0.5;  ///< 0 .. 1
    std::uint8_t material = 0;
};

/// What the level panel may change.
struct LevelSettings {
    double tolerance = 1;      ///< heights: largest error on screen, pixels
    double drawDistance = 0;   ///< voxels: world units
    double levelDistance = 0;  ///< voxels: where level 1 begins; levels 2 and 3 at 2.25 and 4.7 times that
    bool hasTolerance = false, hasDistances = false;
};

/// A figure of the ground that panels list and draw as a graph.
struct Figure {
    const char* name;
    double value;
    const char* unit;
};

/// Keeps a terrain shape in step with the ground in some places.
class GroundColliders {
  public:
    virtual ~GroundColliders() = default;
    /// Once a step, before bodies move. Returns how many pieces of the ground are another since the last
    /// call.
    virtual Result<std::uint32_t> update(std::span<const SolidPlace> places) = 0;
    virtual const std::shared_ptr<physics::TerrainShape>& shape() const = 0;
    /// Is all ground within `radius` there to rest on, as far as there ever will be any? False where it is
    /// still to come, is in none of the places, or is too far from the shape's zero.
    virtual bool solidAt(WorldPosition place, double radius) const = 0;
    /// Along X and Z, how far from the shape's zero there can be solid ground.
    virtual double reach() const = 0;
};

/// What the viewer shows. Threads: one at a time.
class Ground {
  public:
    virtual ~Ground() = default;

    virtual const std::string& name() const = 0;
    /// Is there something to see? Then the bounds are known.
    virtual bool ready() const = 0;
    /// The whole of it, and the distance between its finest samples.
    virtual Bounds bounds() const = 0;
    virtual double spacing() const = 0;

    /// Once a frame: loads what this view needs. Never waits.
    virtual Result<void> update(const Viewpoint& viewpoint) = 0;
    /// Nothing more comes for the last viewpoint.
    virtual bool settled() const = 0;

    virtual std::optional<GroundHit> castRay(const Ray& ray, double maxT) = 0;
    /// Colliders near a place, for a shape whose zero is there.
    virtual Result<std::unique_ptr<GroundColliders>> makeColliders(WorldPosition origin) = 0;

    virtual std::span<const Tool> tools() const = 0;
    /// A stroke is what one undo takes back: uses of a tool between beginStroke and endStroke.
    virtual void beginStroke() = 0;
    virtual Result<void> use(const ToolUse& use) = 0;
    virtual void endStroke() = 0;
    virtual std::size_t undoCount() const = 0;
    virtual std::size_t redoCount() const = 0;
    virtual Result<void> undo() = 0;
    virtual Result<void> redo() = 0;
    /// Names of the materials that fill and paint know, by their ids; empty where there are none.
    virtual std::vector<std::string> materialNames() const { return {}; }

    /// Where save() writes; empty where nothing was named yet.
    virtual std::string savePath() const = 0;
    /// Is there what was not saved?
    virtual bool unsaved() const = 0;
    /// Says what was saved.
    virtual Result<std::string> save() = 0;
    /// The same elsewhere, from now on: where nothing stands that would be lost.
    virtual Result<std::string> saveAs(const std::string& path) = 0;
    /// What went wrong since the last call and did not keep the ground from being shown; empty where nothing
    /// did.
    virtual std::string takeProblem() { return {}; }

    virtual LevelSettings& levels() = 0;
    /// The same figures at every call, in one order.
    virtual std::vector<Figure> figures() const = 0;
};

}  // namespace karst::viewer
