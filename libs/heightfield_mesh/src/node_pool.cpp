#include <karst/heightfield_mesh/node_pool.h>

#include <algorithm>
#include <cmath>

namespace karst::heightfield {
namespace {

// Nearest and farthest points of a rect from a point, squared, along the ground.
struct DistanceSq {
    double nearest, farthest;
};

DistanceSq groundDistance(const Rect& area, const WorldPosition& camera) {
    const double nearX = std::max({area.minX - camera.x, 0.0, camera.x - area.maxX});
    const double nearZ = std::max({area.minZ - camera.z, 0.0, camera.z - area.maxZ});
    const double farX = std::max(std::abs(area.minX - camera.x), std::abs(area.maxX - camera.x));
    const double farZ = std::max(std::abs(area.minZ - camera.z), std::abs(area.maxZ - camera.z));
    return {nearX * nearX + nearZ * nearZ, farX * farX + farZ * farZ};
}

}  // namespace

NodePool::NodePool(NodeCut cut, const Externals& externals)
    : m_cut(std::move(cut)),
      m_slots(*externals.allocator),
      m_dirty(*externals.allocator),
      m_seen(*externals.allocator),
      m_order(*externals.allocator),
      m_free(*externals.allocator),
      m_remeshed(*externals.allocator),
      m_rewritten(*externals.allocator),
      m_runDirty(*externals.allocator),
      m_wanted(*externals.allocator),
      m_bySlot(*externals.allocator) {}

Result<NodePool> NodePool::create(const HeightRaster& raster, const NodeCutOptions& options,
                                  const Externals& externals) {
    constexpr std::uint32_t kMostNodes = 1u << 16;
    if (options.maxNodes == 0 || options.maxNodes > kMostNodes) {
        return makeError(ErrorCode::InvalidArgument, "node pool: maxNodes %u is not 1 to %u",
                         options.maxNodes, kMostNodes);
    }
    Result<NodeCut> cut = NodeCut::create(shapeOf(raster), options, externals);
    if (!cut) return cut.error();
    NodePool pool(std::move(cut).value(), externals);
    pool.m_shape = shapeOf(raster);
    const std::uint32_t count = options.maxNodes;
    pool.m_slots.resize(count);
    pool.m_dirty.resize(count);
    pool.m_seen.resize(count);
    pool.m_runDirty.resize(count);
    pool.m_order.reserve(count);
    pool.m_remeshed.reserve(count);
    pool.m_rewritten.reserve(count);
    pool.m_wanted.reserve(count);
    pool.m_free.reserve(count);
    pool.m_bySlot.reserve(count);
    for (std::uint32_t i = count; i-- > 0;)
        pool.m_free.push_back(i);
    return pool;
}

Bounds NodePool::bounds() const {
    const Rect& rect = grid().rect();
    const HeightRange& range = m_shape.heightRange;
    return {{rect.minX, range.min, rect.minZ}, {rect.maxX, range.max, rect.maxZ}};
}

Result<void> NodePool::checkShape(const HeightRaster& raster) const {
    if (shapeOf(raster) == m_shape) return {};
    return makeError(
        ErrorCode::InvalidArgument,
        "node pool: made for %d x %d texels over (%g, %g)..(%g, %g), heights %g..%g, but given %d x %d over "
        "(%g, %g)..(%g, %g), heights %g..%g",
        m_shape.columns, m_shape.rows, m_shape.rect.minX, m_shape.rect.minZ, m_shape.rect.maxX,
        m_shape.rect.maxZ, double{m_shape.heightRange.min}, double{m_shape.heightRange.max}, raster.columns(),
        raster.rows(), raster.rect().minX, raster.rect().minZ, raster.rect().maxX, raster.rect().maxZ,
        double{raster.heightRange().min}, double{raster.heightRange().max});
}

bool NodePool::nothingNew(const HeightRaster& raster, const WorldPosition& camera) const {
    return !m_marked && raster.generation() == m_generation && camera == m_camera;
}

Result<NodePoolUpdate> NodePool::update(const HeightRaster& raster, const WorldPosition& camera) {
    if (Result<void> same = checkShape(raster); !same) return same.error();
    // A camera that is not finite shows nothing: the cut stays as it is.
    const WorldPosition eye = isFinite(camera) ? camera : m_camera;
    if (nothingNew(raster, eye)) return NodePoolUpdate{false, nodeCount(), {}, {}};
    const std::span<const CutNode> nodes = m_cut.select(eye);
    m_marked = false;
    return follow(raster, eye, nodes);
}

Result<NodePoolUpdate> NodePool::update(const HeightRaster& raster, const WorldPosition& camera,
                                        NodeCut::Keep keep) {
    if (Result<void> same = checkShape(raster); !same) return same.error();
    const WorldPosition eye = isFinite(camera) ? camera : m_camera;
    const std::span<const CutNode> nodes = m_cut.select(eye, keep);
    m_marked = true;  // another predicate, or none, may come next time
    return follow(raster, eye, nodes);
}

Result<NodePoolUpdate> NodePool::updateWithNodes(const HeightRaster& raster, const WorldPosition& camera,
                                                 std::span<const CutNode> nodes) {
    if (Result<void> same = checkShape(raster); !same) return same.error();
    if (nodes.size() > maxNodes()) {
        return makeError(ErrorCode::TooLarge, "node pool: a cut of %zu nodes, but the pool holds %u",
                         nodes.size(), maxNodes());
    }
    NodeTable seen(*m_slots.get_allocator().allocator());
    for (const CutNode& node : nodes) {
        if (!grid().contains(node.key)) {
            return makeError(
                ErrorCode::InvalidArgument,
                "node pool: node at depth %u, (%u, %u) does not stand on the grid of %u x %u roots of %g",
                node.key.depth, node.key.x, node.key.z, grid().roots().countX, grid().roots().countZ,
                grid().roots().size);
        }
        if (seen.find(node.key) != NodeTable::kAbsent) {
            return makeError(ErrorCode::InvalidArgument, "node pool: node at depth %u, (%u, %u) comes twice",
                             node.key.depth, node.key.x, node.key.z);
        }
        seen.set(node.key, 0);
    }
    m_marked = true;
    return follow(raster, isFinite(camera) ? camera : m_camera, nodes);
}

void NodePool::invalidate(const Rect& area) {
    for (const std::uint32_t slot : m_order) {
        if (!grid().area(m_slots[slot].key).overlaps(area)) continue;
        m_dirty[slot] = 1;
        m_marked = true;
    }
}

// Does any vertex of the node slide between its own level and the next, or follow a coarser edge that does?
bool NodePool::slides(const CutNode& node, const WorldPosition& camera) const {
    if (node.key.depth == 0) return false;
    const DistanceSq d = groundDistance(grid().area(node.key), camera);
    // The next coarser band begins farther out, so it is covered. Some slack for the band's rounding to f32.
    return d.farthest + m_cut.verticalDistanceSq(camera) >
           double{m_cut.morphBand(node.key.depth).startSq} * (1 - 1e-5);
}

NodePoolUpdate NodePool::follow(const HeightRaster& raster, const WorldPosition& camera,
                                std::span<const CutNode> nodes) {
    ++m_updateCount;
    m_remeshed.clear();
    m_rewritten.clear();
    m_wanted.clear();
    const std::uint32_t before = nodeCount();
    const bool moved = !(camera == m_camera) || m_split != m_cut.effectiveSplitDistance();
    m_camera = camera;
    m_split = m_cut.effectiveSplitDistance();

    // A texel reaches the vertices that stand up to a texel away, and those may belong to a node that ends
    // half a texel before them.
    Rect edited{1, 1, 0, 0};
    if (const GridRect texels = raster.changedSince(m_generation); !texels.empty()) {
        const double reachX = 2 * raster.spacingX();
        const double reachZ = 2 * raster.spacingZ();
        edited = {raster.texelX(texels.minX) - reachX, raster.texelZ(texels.minZ) - reachZ,
                  raster.texelX(texels.maxX) + reachX, raster.texelZ(texels.maxZ) + reachZ};
    }
    m_generation = raster.generation();

    const auto mark = [&](std::uint32_t index, bool vertices, bool run) {
        if (vertices) m_remeshed.push_back(index);
        if (run) m_runDirty[m_slots[index].run] = 1;
    };
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const CutNode& node = nodes[i];
        const std::uint32_t index = m_bySlot.find(node.key);
        if (index == NodeTable::kAbsent || !m_slots[index].inUse || !(m_slots[index].key == node.key)) {
            m_wanted.push_back(i);
            continue;
        }
        Slot& slot = m_slots[index];
        m_seen[index] = m_updateCount;
        const bool sliding = slides(node, camera);
        const bool touched =
            m_dirty[index] != 0 || (!edited.empty() && grid().area(node.key).overlaps(edited));
        mark(index, touched || slot.coarserEdges != node.coarserEdges || (moved && (sliding || slot.sliding)),
             touched);
        slot.coarserEdges = node.coarserEdges;
        slot.fullDensity = node.fullDensity;
        slot.sliding = sliding;
        slot.generation = m_generation;
        m_dirty[index] = 0;
    }
    // Nodes that left the cut: their runs are taken by the last ones.
    for (std::uint32_t run = 0; run < m_order.size();) {
        const std::uint32_t index = m_order[run];
        if (m_seen[index] == m_updateCount) {
            ++run;
            continue;
        }
        m_slots[index].inUse = false;
        m_dirty[index] = 0;
        m_free.push_back(index);
        const std::uint32_t last = m_order.back();
        m_order.pop_back();
        if (run < m_order.size()) {
            m_order[run] = last;
            m_slots[last].run = run;
            m_runDirty[run] = 1;
        }
    }
    std::sort(m_free.begin(), m_free.end(), [](std::uint32_t a, std::uint32_t b) { return a > b; });
    for (const std::uint32_t i : m_wanted) {
        const std::uint32_t index = m_free.back();
        m_free.pop_back();
        Slot& slot = m_slots[index];
        slot = {nodes[i].key,
                nodes[i].coarserEdges,
                nodes[i].fullDensity,
                true,
                slides(nodes[i], camera),
                m_generation,
                static_cast<std::uint32_t>(m_order.size())};
        m_seen[index] = m_updateCount;
        m_order.push_back(index);
        mark(index, true, true);
    }
    // The table is only ever asked for nodes in use; made anew it stays small.
    m_bySlot.clear();
    for (const std::uint32_t index : m_order)
        m_bySlot.set(m_slots[index].key, index);

    for (std::uint32_t run = 0; run < m_order.size(); ++run) {
        if (m_runDirty[run] != 0) m_rewritten.push_back(run);
    }
    std::fill(m_runDirty.begin(), m_runDirty.end(), std::uint8_t{0});
    std::sort(m_remeshed.begin(), m_remeshed.end());
    const bool changed = !m_remeshed.empty() || !m_rewritten.empty() || nodeCount() != before;
    return {changed, nodeCount(), m_remeshed, m_rewritten};
}

}  // namespace karst::heightfield
