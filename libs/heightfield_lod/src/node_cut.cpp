#include <karst/heightfield_lod/node_cut.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

constexpr std::uint32_t kInner = NodeTable::kAbsent - 1;
constexpr std::uint8_t kAlive = 1;
constexpr std::uint8_t kKept = 2;
constexpr double kLessSplit = 0.9;     // how a budget that does not hold lowers splitDistance
constexpr double kLeastSplit = 0.01;   // below it only the roots are left
constexpr double kMorphMargin = 1e-5;  // bands end this part before the merge, so that rounding cannot matter

constexpr int kStepX[4] = {-1, 1, 0, 0};
constexpr int kStepZ[4] = {0, 0, -1, 1};

}  // namespace

NodeCut::NodeCut(const Externals& externals)
    : m_nodes(*externals.allocator),
      m_leaves(*externals.allocator),
      m_leafState(*externals.allocator),
      m_stack(*externals.allocator),
      m_tree(*externals.allocator) {}

Result<NodeCut> NodeCut::create(const GroundShape& shape, const NodeCutOptions& options,
                                const Externals& externals) {
    if (shape.columns < 1 || shape.rows < 1 || shape.rect.empty()) {
        return makeError(ErrorCode::InvalidArgument, "node cut: ground of %d x %d texels over %g x %g",
                         shape.columns, shape.rows, shape.rect.width(), shape.rect.depth());
    }
    if (!(options.splitDistance >= 1.5 && options.splitDistance <= 1000)) {
        return makeError(ErrorCode::InvalidArgument, "node cut: splitDistance %g is not in 1.5 .. 1000",
                         options.splitDistance);
    }
    if (!(options.morphFraction >= 0 && options.morphFraction <= 0.5)) {
        return makeError(ErrorCode::InvalidArgument, "node cut: morphFraction %g is not in 0 .. 0.5",
                         options.morphFraction);
    }
    const Rect rect = options.rect ? intersect(*options.rect, shape.rect) : shape.rect;
    if (rect.empty() || !(rect.width() > 0) || !(rect.depth() > 0)) {
        return makeError(ErrorCode::InvalidArgument,
                         "node cut: rect (%g, %g)..(%g, %g) has no part of the ground (%g, %g)..(%g, %g)",
                         options.rect->minX, options.rect->minZ, options.rect->maxX, options.rect->maxZ,
                         shape.rect.minX, shape.rect.minZ, shape.rect.maxX, shape.rect.maxZ);
    }
    RootGridOptions rootOptions;
    rootOptions.maxNodes = options.maxNodes;
    rootOptions.rootSize = options.rootSize;
    rootOptions.minNodeSize = options.minNodeSize > 0
                                  ? options.minNodeSize
                                  : (options.nodeVerts - 1) * std::min(shape.spacingX(), shape.spacingZ());
    Result<RootGrid> roots = makeRootGrid(rect, rootOptions);
    if (!roots) return roots.error();
    Result<NodeGrid> grid = NodeGrid::make(shape, rect, options.nodeVerts, options.minNodeSize, *roots);
    if (!grid) return grid.error();
    NodeCut cut(externals);
    cut.m_grid = *grid;
    cut.m_options = options;
    cut.m_heightRange = shape.heightRange;
    cut.m_split = options.splitDistance;
    // Without a keep, growing stops past maxNodes leaves and balancing past twice as many; each split leaves
    // one entry behind. Inner nodes are fewer than leaves, but for chains along the far edges.
    const std::size_t most = std::size_t{options.maxNodes} * 3 + 8;
    cut.m_nodes.reserve(options.maxNodes);
    cut.m_leaves.reserve(most);
    cut.m_leafState.reserve(most);
    cut.m_stack.reserve(std::size_t{roots->countX} * roots->countZ + 4 * (NodeGrid::kMaxDepth + 1));
    cut.m_tree.reserve(most);
    return cut;
}

double NodeCut::verticalDistanceSq(const WorldPosition& camera) const {
    const double y = std::max({m_heightRange.min - camera.y, 0.0, camera.y - m_heightRange.max});
    return y * y;
}

MorphBand NodeCut::morphBand(std::uint32_t depth) const {
    if (depth == 0) return {};
    const double fraction = std::min(m_options.morphFraction, 0.5 - 0.7072 / m_split);
    const double end = m_split * m_grid.nodeSize(depth - 1) * (1 - kMorphMargin);
    const double start = end * (1 - std::max(fraction, 0.0));
    MorphBand band;
    band.startSq = static_cast<float>(start * start);
    // Without room to slide, a step at the merge: still no crack, as every vertex takes it by its own
    // distance.
    band.scale = static_cast<float>(1.0 / std::max(end * end - start * start, end * end * 1e-6));
    return band;
}

std::span<const CutNode> NodeCut::select(const WorldPosition& camera) {
    return selectWith(camera, nullptr);
}

std::span<const CutNode> NodeCut::select(const WorldPosition& camera, Keep keep) {
    return selectWith(camera, &keep);
}

std::span<const CutNode> NodeCut::selectWith(const WorldPosition& camera, const Keep* keep) {
    if (!isFinite(camera)) return m_nodes;
    double split = m_options.splitDistance;
    for (;;) {
        // Without a keep every leaf counts, so growing may stop as soon as the pool is full.
        const bool roots = split < kLeastSplit;
        if (grow(camera, roots ? 0 : split, keep == nullptr && !roots) &&
            balance(keep == nullptr && !roots)) {
            const std::uint32_t kept = keepAndLink(keep);
            if (kept <= m_options.maxNodes || roots) break;
        }
        split *= kLessSplit;
    }
    m_split = std::max(split, kLeastSplit);
    m_nodes.clear();
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        if (m_leafState[i] == (kAlive | kKept)) m_nodes.push_back(m_leaves[i]);
    }
    return m_nodes;
}

void NodeCut::addLeaf(const NodeKey& key) {
    m_tree.set(key, static_cast<std::uint32_t>(m_leaves.size()));
    m_leaves.push_back({key, 0, false});
    m_leafState.push_back(kAlive);
}

// Leaves by distance alone. False where the budget is passed already.
bool NodeCut::grow(const WorldPosition& camera, double split, bool countsAll) {
    m_tree.clear();
    m_leaves.clear();
    m_leafState.clear();
    m_stack.clear();
    const RootGrid& roots = m_grid.roots();
    for (std::uint32_t z = roots.countZ; z-- > 0;) {
        for (std::uint32_t x = roots.countX; x-- > 0;) {
            const NodeKey key{0, x, z};
            if (m_grid.contains(key)) m_stack.push_back(key);
        }
    }
    const double dySq = verticalDistanceSq(camera);
    while (!m_stack.empty()) {
        const NodeKey key = m_stack.back();
        m_stack.pop_back();
        const Rect area = m_grid.area(key);
        const double dx = std::max({area.minX - camera.x, 0.0, camera.x - area.maxX});
        const double dz = std::max({area.minZ - camera.z, 0.0, camera.z - area.maxZ});
        const double reach = split * m_grid.nodeSize(key.depth);
        if (!(dx * dx + dz * dz + dySq < reach * reach) || !m_grid.maySplit(key)) {
            addLeaf(key);
            if (countsAll && m_leaves.size() > m_options.maxNodes) return false;
            continue;
        }
        m_tree.set(key, kInner);
        for (std::uint32_t child = 4; child-- > 0;) {
            const NodeKey childKey{key.depth + 1, key.x * 2 + (child & 1), key.z * 2 + (child >> 1)};
            if (m_grid.contains(childKey)) m_stack.push_back(childKey);
        }
    }
    return true;
}

void NodeCut::splitLeaf(std::uint32_t index) {
    const NodeKey key = m_leaves[index].key;
    m_leafState[index] = 0;
    m_tree.set(key, kInner);
    for (std::uint32_t child = 0; child < 4; ++child) {
        const NodeKey childKey{key.depth + 1, key.x * 2 + (child & 1), key.z * 2 + (child >> 1)};
        if (m_grid.contains(childKey)) addLeaf(childKey);
    }
}

// Splits leaves until none borders one more than a level finer. False where the budget is passed.
bool NodeCut::balance(bool countsAll) {
    std::size_t alive = m_leaves.size();
    // New leaves come last and are looked at in their turn; a leaf split later never unbalances one looked at
    // before, since it only gets finer and its children look at their own neighbours.
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        if (m_leafState[i] == 0) continue;
        const NodeKey key = m_leaves[i].key;
        if (key.depth < 2) continue;
        for (int side = 0; side < 4; ++side) {
            const std::int64_t x = std::int64_t{key.x} + kStepX[side];
            const std::int64_t z = std::int64_t{key.z} + kStepZ[side];
            if (x < 0 || z < 0) continue;
            const NodeKey beside{key.depth, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(z)};
            if (!m_grid.contains(beside)) continue;
            // The neighbour at this depth, or its parent, must be in the tree; else split the leaf above
            // until it is.
            if (m_tree.find(beside) != NodeTable::kAbsent) continue;
            const NodeKey parent{key.depth - 1, beside.x >> 1, beside.z >> 1};
            while (m_tree.find(parent) == NodeTable::kAbsent) {
                NodeKey above = parent;
                std::uint32_t found = NodeTable::kAbsent;
                while (found == NodeTable::kAbsent) {
                    above = {above.depth - 1, above.x >> 1, above.z >> 1};
                    found = m_tree.find(above);
                }
                splitLeaf(found);
                alive += 3;
                if (countsAll && alive > std::size_t{m_options.maxNodes} * 2) return false;
            }
        }
    }
    return true;
}

// Asks `keep`, then marks the edges toward coarser neighbours that are kept too. How many are kept.
std::uint32_t NodeCut::keepAndLink(const Keep* keep) {
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        if (m_leafState[i] == 0) continue;
        m_leaves[i].fullDensity = m_grid.isFullDensity(m_leaves[i].key);
        if (keep != nullptr && !(*keep)(m_leaves[i], m_grid.square(m_leaves[i].key))) continue;
        m_leafState[i] = kAlive | kKept;
        ++kept;
    }
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
        if (m_leafState[i] != (kAlive | kKept)) continue;
        const NodeKey key = m_leaves[i].key;
        std::uint8_t edges = 0;
        for (int side = 0; side < 4 && key.depth > 0; ++side) {
            const std::int64_t x = std::int64_t{key.x} + kStepX[side];
            const std::int64_t z = std::int64_t{key.z} + kStepZ[side];
            if (x < 0 || z < 0) continue;
            const NodeKey parent{key.depth - 1, static_cast<std::uint32_t>(x >> 1),
                                 static_cast<std::uint32_t>(z >> 1)};
            if (parent.x == key.x >> 1 && parent.z == key.z >> 1) continue;  // a sibling
            const std::uint32_t found = m_tree.find(parent);
            if (found < kInner && m_leafState[found] == (kAlive | kKept)) {
                edges = static_cast<std::uint8_t>(edges | 1u << side);
            }
        }
        m_leaves[i].coarserEdges = edges;
    }
    return kept;
}

}  // namespace karst::heightfield
