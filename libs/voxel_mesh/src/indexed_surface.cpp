#include "indexed_surface.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace karst::voxel_mesh {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The crossings of a sample edge are at least 1/256 off its ends, and a vertex is the mean of at most 12 of
// them: so all points of a triangle are at least 1/3072 inside the cubes that list it, and a walk that is off
// by less never passes one by.
constexpr double kSlack = 1e-5;

}  // namespace

CellRay::CellRay(Vec3d start, Vec3d along)
    : origin{start.x, start.y, start.z}, direction{along.x, along.y, along.z} {
    int z = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double d = direction[static_cast<std::size_t>(axis)];
        inverse[static_cast<std::size_t>(axis)] = std::abs(d) < 1e-200 ? 0.0 : 1 / d;
        if (std::abs(d) > std::abs(direction[static_cast<std::size_t>(z)])) z = axis;
    }
    int x = (z + 1) % 3, y = (z + 2) % 3;
    // Keeps the sense of rotation as seen along the ray.
    if (direction[static_cast<std::size_t>(z)] < 0) std::swap(x, y);
    axes = {x, y, z};
    const double dz = direction[static_cast<std::size_t>(z)];
    shearX = direction[static_cast<std::size_t>(x)] / dz;
    shearY = direction[static_cast<std::size_t>(y)] / dz;
    scaleZ = 1 / dz;
}

bool CellRay::clip(const std::array<double, 3>& boxMin, const std::array<double, 3>& boxMax, double& low,
                   double& high) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (inverse[axis] == 0) {
            if (origin[axis] < boxMin[axis] || origin[axis] > boxMax[axis]) return false;
            continue;
        }
        double a = (boxMin[axis] - origin[axis]) * inverse[axis];
        double b = (boxMax[axis] - origin[axis]) * inverse[axis];
        if (a > b) std::swap(a, b);
        low = std::max(low, a);
        high = std::min(high, b);
    }
    return low <= high;
}

bool meetsTriangle(const CellRay& ray, const std::array<Vec3d, 3>& corners, TriangleHit& hit) {
    double x[3], y[3], z[3];
    for (std::size_t i = 0; i < 3; ++i) {
        const double p[3] = {corners[i].x - ray.origin[0], corners[i].y - ray.origin[1],
                             corners[i].z - ray.origin[2]};
        const double along = p[ray.axes[2]];
        x[i] = p[ray.axes[0]] - ray.shearX * along;
        y[i] = p[ray.axes[1]] - ray.shearY * along;
        z[i] = ray.scaleZ * along;
    }
    // On which side of each edge the ray passes. The rounded products keep their order, so the sign is right
    // or 0, never wrong, and 0 counts as inside for both triangles of the edge.
    const double u = x[2] * y[1] - y[2] * x[1];
    const double v = x[0] * y[2] - y[0] * x[2];
    const double w = x[1] * y[0] - y[1] * x[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    const double sum = u + v + w;
    if (sum == 0) return false;
    hit.weights = {u / sum, v / sum, w / sum};
    hit.t = (u * z[0] + v * z[1] + w * z[2]) / sum;
    hit.back = sum < 0;
    return true;
}

std::size_t IndexedSurface::placeOf(std::size_t brick, int bit) const {
    const std::uint64_t lower = m_bricks[brick].cubes & ((std::uint64_t{1} << bit) - 1);
    return m_bricks[brick].before + static_cast<std::size_t>(std::popcount(lower));
}

IndexedSurface::IndexedSurface(SurfaceMesh mesh, voxel::ChunkCoord chunk)
    : m_mesh(std::move(mesh)), m_chunk(chunk) {
    if (m_mesh.empty()) return;
    const std::size_t count = m_mesh.indices.size() / 3;
    m_bricks.resize(kBricks * kBricks * kBricks);
    m_min = {kCubes, kCubes, kCubes};
    m_max = {0, 0, 0};
    struct Box {
        int min[3], max[3];
    };
    std::vector<Box> boxes(count);
    std::vector<std::pair<std::size_t, std::uint32_t>> order(count);  // by brick and cube
    const auto forEachCube = [](const Box& box, auto visit) {
        int cube[3];
        for (cube[1] = box.min[1]; cube[1] <= box.max[1]; ++cube[1]) {
            for (cube[2] = box.min[2]; cube[2] <= box.max[2]; ++cube[2]) {
                for (cube[0] = box.min[0]; cube[0] <= box.max[0]; ++cube[0])
                    visit(brickOf(cube), bitOf(cube));
            }
        }
    };
    for (std::size_t i = 0; i < count; ++i) {
        Box& box = boxes[i];
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const Vec3f p = m_mesh.vertices[m_mesh.indices[i * 3 + corner]].position;
            const float along[3] = {p.x, p.y, p.z};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                // A vertex is well inside its cube, which begins at half cells.
                const int cube = std::clamp(static_cast<int>(along[axis] + 0.5f), 0, kCubes - 1);
                box.min[axis] = corner == 0 ? cube : std::min(box.min[axis], cube);
                box.max[axis] = corner == 0 ? cube : std::max(box.max[axis], cube);
                m_min[axis] = std::min(m_min[axis], cube);
                m_max[axis] = std::max(m_max[axis], cube);
            }
        }
        forEachCube(box,
                    [&](std::size_t brick, int bit) { m_bricks[brick].cubes |= std::uint64_t{1} << bit; });
        order[i] = {brickOf(box.max) * 64 + static_cast<std::size_t>(bitOf(box.max)),
                    static_cast<std::uint32_t>(i)};
    }
    std::uint32_t before = 0;
    for (Brick& brick : m_bricks) {
        brick.before = before;
        before += static_cast<std::uint32_t>(std::popcount(brick.cubes));
    }
    std::sort(order.begin(), order.end());
    for (const auto& [key, i] : order) {
        m_triangles.push_back(i);
        const std::uint32_t* indices = m_mesh.indices.data() + i * std::size_t{3};
        m_corners.push_back({m_mesh.vertices[indices[0]].position, m_mesh.vertices[indices[1]].position,
                             m_mesh.vertices[indices[2]].position});
    }
    // Counts, then their sums as ends, which filling from the last triangle on moves down to the starts.
    m_starts.assign(std::size_t{before} + 1, 0);
    for (const Box& box : boxes)
        forEachCube(box, [&](std::size_t brick, int bit) { ++m_starts[placeOf(brick, bit)]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& start : m_starts)
        start = sum += start;
    m_listed.resize(sum);
    for (std::size_t i = count; i-- > 0;) {
        forEachCube(boxes[order[i].second], [&](std::size_t brick, int bit) {
            m_listed[--m_starts[placeOf(brick, bit)]] = static_cast<std::uint32_t>(i);
        });
    }
}

std::array<Vec3d, 3> IndexedSurface::moved(const std::array<Vec3f, 3>& p) const {
    // Exact, so that a vertex is the same point from every chunk that has it.
    const voxel::CellCoord first = voxel::firstCell(m_chunk);
    const Vec3d base{static_cast<double>(first.x), static_cast<double>(first.y),
                     static_cast<double>(first.z)};
    return {toDouble(p[0]) + base, toDouble(p[1]) + base, toDouble(p[2]) + base};
}

std::array<Vec3d, 3> IndexedSurface::corners(std::uint32_t triangle) const {
    const std::uint32_t* indices = m_mesh.indices.data() + triangle * std::size_t{3};
    return moved({m_mesh.vertices[indices[0]].position, m_mesh.vertices[indices[1]].position,
                  m_mesh.vertices[indices[2]].position});
}

bool IndexedSurface::cast(const CellRay& ray, bool backFaces, TriangleHit& hit,
                          std::uint32_t& triangle) const {
    const voxel::CellCoord first = voxel::firstCell(m_chunk);
    const std::array<double, 3> base{first.x - 0.5, first.y - 0.5, first.z - 0.5};
    std::array<double, 3> boxMin, boxMax;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        boxMin[axis] = base[axis] + m_min[axis] - kSlack;
        boxMax[axis] = base[axis] + m_max[axis] + 1 + kSlack;
    }
    double low = 0, high = hit.t;
    if (!ray.clip(boxMin, boxMax, low, high)) return false;

    int cube[3], step[3];
    double start[3], next[3];
    const auto boundary = [&](std::size_t axis) {
        return (cube[axis] + (step[axis] > 0 ? 1 : 0) - start[axis]) * ray.inverse[axis];
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        start[axis] = ray.origin[axis] - base[axis];
        const double at = ray.inverse[axis] == 0 ? start[axis] : start[axis] + ray.direction[axis] * low;
        cube[axis] = std::clamp(static_cast<int>(std::floor(at)), m_min[axis], m_max[axis]);
        step[axis] = ray.inverse[axis] < 0 ? -1 : 1;
        next[axis] = ray.inverse[axis] == 0 ? kInfinity : boundary(axis);
    }
    bool found = false;
    std::size_t brick = brickOf(cube);
    std::uint64_t bits = m_bricks[brick].cubes;
    for (;;) {
        const int bit = bitOf(cube);
        if ((bits >> bit & 1) != 0) {
            const std::size_t place = placeOf(brick, bit);
            for (std::uint32_t i = m_starts[place]; i < m_starts[place + 1]; ++i) {
                TriangleHit candidate;
                if (!meetsTriangle(ray, moved(m_corners[m_listed[i]]), candidate)) continue;
                if (candidate.t < 0 || candidate.t > hit.t || (candidate.back && !backFaces)) continue;
                if (found && candidate.t == hit.t) continue;
                hit = candidate;
                triangle = m_triangles[m_listed[i]];
                found = true;
            }
        }
        const std::size_t axis =
            next[0] <= next[1] ? (next[0] <= next[2] ? 0u : 2u) : (next[1] <= next[2] ? 1u : 2u);
        if (hit.t < next[axis] || next[axis] > high) return found;
        cube[axis] += step[axis];
        if (cube[axis] < m_min[axis] || cube[axis] > m_max[axis]) return found;
        next[axis] = boundary(axis);
        const std::size_t now = brickOf(cube);
        if (now != brick) {
            brick = now;
            bits = m_bricks[brick].cubes;
        }
    }
}

}  // namespace karst::voxel_mesh
