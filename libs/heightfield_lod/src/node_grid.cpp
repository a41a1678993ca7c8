#include <karst/heightfield_lod/node_grid.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {

Result<NodeGrid> NodeGrid::make(const GroundShape& shape, const Rect& rect, std::uint32_t nodeVerts,
                                double minNodeSize, const RootGrid& roots) {
    if (nodeVerts < kMinNodeVerts || nodeVerts > kMaxNodeVerts || (nodeVerts - 1) % 4 != 0) {
        return makeError(ErrorCode::InvalidArgument,
                         "node grid: nodeVerts %u must be %u to %u and a multiple of 4 plus 1", nodeVerts,
                         kMinNodeVerts, kMaxNodeVerts);
    }
    if (!(minNodeSize >= 0) || !std::isfinite(minNodeSize)) {
        return makeError(ErrorCode::InvalidArgument,
                         "node grid: minNodeSize %g must be finite and not negative", minNodeSize);
    }
    if (!(roots.size > 0) || roots.countX == 0 || roots.countZ == 0 ||
        roots.size * roots.countX < rect.width() * (1 - 1e-8) ||
        roots.size * roots.countZ < rect.depth() * (1 - 1e-8)) {
        return makeError(ErrorCode::InvalidArgument,
                         "node grid: %u x %u roots of %g do not cover the rect of %g x %g", roots.countX,
                         roots.countZ, roots.size, rect.width(), rect.depth());
    }
    NodeGrid grid;
    grid.m_rect = rect;
    grid.m_roots = roots;
    grid.m_minNodeSize = minNodeSize;
    grid.m_quads = nodeVerts - 1;
    grid.m_axisX = LatticeAxis(rect.minX, rect.maxX, shape.rect.minX, shape.spacingX(), shape.columns);
    grid.m_axisZ = LatticeAxis(rect.minZ, rect.maxZ, shape.rect.minZ, shape.spacingZ(), shape.rows);
    const auto texelsAcross = [&](double spacing) {
        const double exact = roots.size / spacing;
        const double whole = std::round(exact);
        return whole > 0 && std::abs(exact - whole) <= 1e-9 * whole ? whole : exact;
    };
    grid.m_rootTexelsX = texelsAcross(shape.spacingX());
    grid.m_rootTexelsZ = texelsAcross(shape.spacingZ());
    const std::uint32_t most = std::max(roots.countX, roots.countZ);
    double apart = std::max(grid.m_rootTexelsX, grid.m_rootTexelsZ) / grid.m_quads;
    std::uint32_t depth = 0;
    while (apart > 1.0 && depth < kMaxDepth) {
        apart /= 2;
        ++depth;
    }
    grid.m_texelDepth = depth;
    // One more for the nodes at the rect's edges that miss a stop at a spacing of exactly one texel.
    grid.m_maxDepth = depth + 1;
    while (grid.m_maxDepth > 0 && minNodeSize > 0 &&
           roots.size / static_cast<double>(1u << grid.m_maxDepth) < minNodeSize * (1 - 1e-9)) {
        --grid.m_maxDepth;
    }
    if (grid.m_maxDepth > kMaxDepth || (std::uint64_t{most} << grid.m_maxDepth) >= (1u << 29)) {
        return makeError(ErrorCode::TooLarge,
                         "node grid: %u x %u roots of %g with %u levels are more nodes than can be numbered",
                         roots.countX, roots.countZ, roots.size, grid.m_maxDepth + 1);
    }
    return grid;
}

double NodeGrid::nodeSize(std::uint32_t depth) const {
    return m_roots.size / static_cast<double>(1u << depth);
}

Rect NodeGrid::square(const NodeKey& key) const {
    const double size = nodeSize(key.depth);
    return {m_rect.minX + key.x * size, m_rect.minZ + key.z * size, m_rect.minX + (key.x + 1.0) * size,
            m_rect.minZ + (key.z + 1.0) * size};
}

bool NodeGrid::contains(const NodeKey& key) const {
    if (key.depth > m_maxDepth || key.x >= m_roots.countX << key.depth ||
        key.z >= m_roots.countZ << key.depth) {
        return false;
    }
    // Wholly past the far edge: nothing of it but, at most, a line.
    return placeX(key.depth, key.x, 0) < m_axisX.highPlace() &&
           placeZ(key.depth, key.z, 0) < m_axisZ.highPlace();
}

Result<NodeKey> NodeGrid::keyOfSquare(const Rect& square) const {
    const double side = square.width();
    if (std::isfinite(side) && side > 0 && std::abs(square.depth() - side) <= 1e-9 * m_roots.size) {
        for (std::uint32_t depth = 0; depth <= m_maxDepth; ++depth) {
            const double size = nodeSize(depth);
            if (std::abs(size - side) > 1e-9 * size) continue;
            const double x = (square.minX - m_rect.minX) / size;
            const double z = (square.minZ - m_rect.minZ) / size;
            if (!(x > -0.5 && z > -0.5) || !(x < (1u << 29)) || !(z < (1u << 29))) break;
            if (std::abs(x - std::round(x)) > 1e-6 || std::abs(z - std::round(z)) > 1e-6) break;
            const NodeKey key{depth, static_cast<std::uint32_t>(std::round(x)),
                              static_cast<std::uint32_t>(std::round(z))};
            if (contains(key)) return key;
            break;
        }
    }
    return makeError(
        ErrorCode::InvalidArgument,
        "node grid: square (%g, %g)..(%g, %g) does not stand on the grid of roots of %g from (%g, %g)",
        square.minX, square.minZ, square.maxX, square.maxZ, m_roots.size, m_rect.minX, m_rect.minZ);
}

// Whole indices times a step that halves exactly with each depth: the same number from every node that shares
// a vertex.
double NodeGrid::placeX(std::uint32_t depth, std::uint32_t nodeIndex, std::uint32_t index) const {
    const double step = m_rootTexelsX / (static_cast<double>(1u << depth) * m_quads);
    return m_axisX.lowPlace() + (static_cast<double>(nodeIndex) * m_quads + index) * step;
}

double NodeGrid::placeZ(std::uint32_t depth, std::uint32_t nodeIndex, std::uint32_t index) const {
    const double step = m_rootTexelsZ / (static_cast<double>(1u << depth) * m_quads);
    return m_axisZ.lowPlace() + (static_cast<double>(nodeIndex) * m_quads + index) * step;
}

double NodeGrid::positionX(std::uint32_t depth, std::uint32_t nodeIndex, std::uint32_t index) const {
    const double step = m_roots.size / (static_cast<double>(1u << depth) * m_quads);
    return std::min(m_rect.minX + (static_cast<double>(nodeIndex) * m_quads + index) * step, m_rect.maxX);
}

double NodeGrid::positionZ(std::uint32_t depth, std::uint32_t nodeIndex, std::uint32_t index) const {
    const double step = m_roots.size / (static_cast<double>(1u << depth) * m_quads);
    return std::min(m_rect.minZ + (static_cast<double>(nodeIndex) * m_quads + index) * step, m_rect.maxZ);
}

bool NodeGrid::takesEveryStop(const LatticeAxis& axis, double perRoot, std::uint32_t depth,
                              std::uint32_t nodeIndex) const {
    const double step = perRoot / (static_cast<double>(1u << depth) * m_quads);
    if (step > 1.0) return false;
    const double first = axis.lowPlace() + static_cast<double>(nodeIndex) * m_quads * step;
    const double last = first + m_quads * step;
    // Between texel centres the stops are one texel apart, so steps of at most that take each; only the first
    // and the last centre stand nearer to their edge.
    if (first > axis.lowPlace() + 1.5 && last < axis.highPlace() - 1.5) return true;
    int before = axis.nearestStop(first);
    for (std::uint32_t i = 1; i <= m_quads; ++i) {
        const int stop =
            axis.nearestStop(axis.lowPlace() + (static_cast<double>(nodeIndex) * m_quads + i) * step);
        if (stop > before + 1) return false;
        before = stop;
    }
    return true;
}

bool NodeGrid::isFullDensity(const NodeKey& key) const {
    return key.depth >= m_texelDepth && takesEveryStop(m_axisX, m_rootTexelsX, key.depth, key.x) &&
           takesEveryStop(m_axisZ, m_rootTexelsZ, key.depth, key.z);
}

bool NodeGrid::maySplit(const NodeKey& key) const {
    return key.depth < m_maxDepth && (key.depth < m_texelDepth || !isFullDensity(key));
}

}  // namespace karst::heightfield
