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

IndexedSurface::IndexedSurface(SurfaceMesh mesh, voxel::ChunkCoord chunk)
    : m_mesh(std::move(mesh)), m_chunk(chunk) {
    if (m_mesh.empty()) return;
    const std::size_t count = m_mesh.indices.size() / 3;
    struct Box {
        std::uint8_t min[3], max[3];
    };
    std::vector<Box> boxes(count);
    m_rows.resize(kCubes * kCubes);
    const auto forEachCube = [](const Box& box, auto visit) {
        for (int y = box.min[1]; y <= box.max[1]; ++y) {
            for (int z = box.min[2]; z <= box.max[2]; ++z) {
                for (int x = box.min[0]; x <= box.max[0]; ++x)
                    visit(static_cast<std::size_t>(y * kCubes + z), x);
            }
        }
    };
    for (std::size_t i = 0; i < count; ++i) {
        Box& box = boxes[i];
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = kCubes - 1;
            box.max[axis] = 0;
        }
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const Vec3f p = m_mesh.vertices[m_mesh.indices[i * 3 + corner]].position;
            const float along[3] = {p.x, p.y, p.z};
            for (int axis = 0; axis < 3; ++axis) {
                // A vertex is well inside its cube, which begins at half cells.
                const int cube = std::clamp(static_cast<int>(along[axis] + 0.5f), 0, kCubes - 1);
                box.min[axis] = std::min(box.min[axis], static_cast<std::uint8_t>(cube));
                box.max[axis] = std::max(box.max[axis], static_cast<std::uint8_t>(cube));
            }
        }
        forEachCube(box, [&](std::size_t row, int x) { m_rows[row].cubes |= std::uint64_t{1} << x; });
    }
    std::uint32_t before = 0;
    for (Row& row : m_rows) {
        row.before = before;
        before += static_cast<std::uint32_t>(std::popcount(row.cubes));
    }
    const auto cubeIndex = [&](std::size_t row, int x) {
        const std::uint64_t lower = m_rows[row].cubes & ((std::uint64_t{1} << x) - 1);
        return m_rows[row].before + static_cast<std::size_t>(std::popcount(lower));
    };
    // Counts, then their sums as ends, which filling from the last triangle on moves down to the starts.
    m_starts.assign(std::size_t{before} + 1, 0);
    for (const Box& box : boxes)
        forEachCube(box, [&](std::size_t row, int x) { ++m_starts[cubeIndex(row, x)]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& start : m_starts)
        start = sum += start;
    m_triangles.resize(sum);
    for (std::size_t i = count; i-- > 0;) {
        forEachCube(boxes[i], [&](std::size_t row, int x) {
            m_triangles[--m_starts[cubeIndex(row, x)]] = static_cast<std::uint32_t>(i);
        });
    }
}

std::array<Vec3d, 3> IndexedSurface::corners(std::uint32_t triangle) const {
    // Exact, so that a vertex is the same point from every chunk that has it.
    const voxel::CellCoord first = voxel::firstCell(m_chunk);
    std::array<Vec3d, 3> out;
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3f p = m_mesh.vertices[m_mesh.indices[triangle * std::size_t{3} + i]].position;
        out[i] = {double{p.x} + first.x, double{p.y} + first.y, double{p.z} + first.z};
    }
    return out;
}

bool IndexedSurface::cast(const CellRay& ray, bool backFaces, TriangleHit& hit,
                          std::uint32_t& triangle) const {
    const voxel::CellCoord first = voxel::firstCell(m_chunk);
    const std::array<double, 3> base{first.x - 0.5, first.y - 0.5, first.z - 0.5};
    std::array<double, 3> boxMin, boxMax;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        boxMin[axis] = base[axis] - kSlack;
        boxMax[axis] = base[axis] + kCubes + kSlack;
    }
    double low = 0, high = hit.t;
    if (!ray.clip(boxMin, boxMax, low, high)) return false;

    int cube[3], step[3];
    double start[3], next[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        start[axis] = ray.origin[axis] - base[axis];
        const double at = ray.inverse[axis] == 0 ? start[axis] : start[axis] + ray.direction[axis] * low;
        cube[axis] = static_cast<int>(std::clamp(std::floor(at), 0.0, double{kCubes - 1}));
        step[axis] = ray.inverse[axis] < 0 ? -1 : 1;
        next[axis] = ray.inverse[axis] == 0
                         ? kInfinity
                         : (cube[axis] + (step[axis] > 0 ? 1 : 0) - start[axis]) * ray.inverse[axis];
    }
    bool found = false;
    for (;;) {
        const Row& row = m_rows[static_cast<std::size_t>(cube[1] * kCubes + cube[2])];
        if ((row.cubes >> cube[0] & 1) != 0) {
            const std::uint64_t lower = row.cubes & ((std::uint64_t{1} << cube[0]) - 1);
            const std::size_t index = row.before + static_cast<std::size_t>(std::popcount(lower));
            for (std::uint32_t i = m_starts[index]; i < m_starts[index + 1]; ++i) {
                TriangleHit candidate;
                if (!meetsTriangle(ray, corners(m_triangles[i]), candidate)) continue;
                if (candidate.t < 0 || candidate.t > hit.t || (candidate.back && !backFaces)) continue;
                if (found && candidate.t == hit.t) continue;
                hit = candidate;
                triangle = m_triangles[i];
                found = true;
            }
        }
        const std::size_t axis =
            next[0] <= next[1] ? (next[0] <= next[2] ? 0u : 2u) : (next[1] <= next[2] ? 1u : 2u);
        if (hit.t < next[axis] || next[axis] > high) return found;
        cube[axis] += step[axis];
        if (cube[axis] < 0 || cube[axis] >= kCubes) return found;
        next[axis] = (cube[axis] + (step[axis] > 0 ? 1 : 0) - start[axis]) * ray.inverse[axis];
    }
}

}  // namespace karst::voxel_mesh
