#include "drop_bodies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace karst::tool {
namespace {

constexpr Vec3f kColors[] = {{0.75f, 0.05f, 0.03f}, {0.80f, 0.32f, 0.02f}, {0.78f, 0.62f, 0.03f},
                             {0.05f, 0.16f, 0.70f}, {0.42f, 0.04f, 0.50f}, {0.03f, 0.45f, 0.60f}};
constexpr Vec3f kWhite{0.75f, 0.73f, 0.68f};

std::uint16_t sixteenBits(float value) {
    return static_cast<std::uint16_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 65535.0f));
}

class BodyMesh {
  public:
    BodyMesh(app::PictureMesh& mesh, const std::function<BodyLight(WorldPosition, Vec3f)>& light)
        : m_mesh(mesh), m_light(light) {}

    void add(const DroppedBody& body, Vec3f color) {
        if (body.ball) {
            addBall(body, color);
        } else {
            addBox(body, color);
        }
    }
    std::vector<std::uint32_t> indices;

  private:
    /// `place` and `normal` in the body's own axes.
    std::uint32_t vertex(const DroppedBody& body, Vec3d place, Vec3d normal, Vec3f color) {
        const auto turned = [&](Vec3d v) {
            return body.axes[0] * v.x + body.axes[1] * v.y + body.axes[2] * v.z;
        };
        const WorldPosition at = body.position + turned(place);
        render::MeshVertex out;
        out.position = toFloat(at - m_mesh.origin);
        out.normal = toFloat(turned(normal));
        out.color = {sixteenBits(color.x), sixteenBits(color.y), sixteenBits(color.z), 65535};
        const BodyLight light = m_light(at, out.normal);
        out.light = {sixteenBits(light.sun), sixteenBits(light.sky)};
        m_mesh.vertices.push_back(out);
        return static_cast<std::uint32_t>(m_mesh.vertices.size() - 1);
    }
    void quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        for (const std::uint32_t corner : {a, b, c, a, c, d})
            indices.push_back(corner);
    }

    /// Six stripes from pole to pole, each of its own vertices.
    void addBall(const DroppedBody& body, Vec3f color) {
        constexpr int kStripes = 6, kSteps = 3, kRings = 10;
        const auto at = [&](int step, int ring, Vec3f paint) {
            const double around = 2 * std::numbers::pi * step / (kStripes * kSteps);
            const double down = std::numbers::pi * ring / kRings;
            const Vec3d out{std::sin(down) * std::cos(around), std::cos(down),
                            std::sin(down) * std::sin(around)};
            return vertex(body, out * body.half.x, out, paint);
        };
        for (int stripe = 0; stripe < kStripes; ++stripe) {
            const Vec3f paint = stripe % 2 == 0 ? color : kWhite;
            std::array<std::array<std::uint32_t, kRings + 1>, kSteps + 1> grid{};
            for (int step = 0; step <= kSteps; ++step) {
                for (int ring = 0; ring <= kRings; ++ring)
                    grid[static_cast<std::size_t>(step)][static_cast<std::size_t>(ring)] =
                        at(stripe * kSteps + step, ring, paint);
            }
            for (std::size_t step = 0; step < kSteps; ++step) {
                for (std::size_t ring = 0; ring < kRings; ++ring)
                    quad(grid[step][ring], grid[step + 1][ring], grid[step + 1][ring + 1],
                         grid[step][ring + 1]);
            }
        }
    }

    void addBox(const DroppedBody& body, Vec3f color) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const double side : {-1.0, 1.0}) {
                const auto along = [&](int which, double length) {
                    Vec3d v{};
                    (which == 0 ? v.x : which == 1 ? v.y : v.z) = length;
                    return v;
                };
                const auto half = [&](int which) {
                    return which == 0 ? body.half.x : which == 1 ? body.half.y : body.half.z;
                };
                const int u = (axis + 1) % 3, w = (axis + 2) % 3;
                const Vec3f paint = axis == 1 ? color * 0.55f + kWhite * 0.45f : color;
                const auto corner = [&](double i, double j) {
                    return vertex(
                        body,
                        along(axis, side * half(axis)) + along(u, side * i * half(u)) + along(w, j * half(w)),
                        along(axis, side), paint);
                };
                const std::uint32_t a = corner(-1, -1), b = corner(1, -1), c = corner(1, 1),
                                    d = corner(-1, 1);
                quad(a, b, c, d);
            }
        }
    }

    app::PictureMesh& m_mesh;
    const std::function<BodyLight(WorldPosition, Vec3f)>& m_light;
};

}  // namespace

void insertBodies(app::PictureMesh& mesh, std::span<const DroppedBody> bodies,
                  const std::function<BodyLight(WorldPosition, Vec3f)>& light) {
    BodyMesh added(mesh, light);
    for (std::size_t i = 0; i < bodies.size(); ++i)
        added.add(bodies[i], kColors[i % std::size(kColors)]);
    mesh.indices.insert(mesh.indices.begin() + mesh.opaqueIndices, added.indices.begin(),
                        added.indices.end());
    mesh.opaqueIndices += static_cast<std::uint32_t>(added.indices.size());
}

}  // namespace karst::tool
