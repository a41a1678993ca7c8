#include <karst/base/assert.h>
#include <karst/render/tile_terrain.h>

#include <algorithm>
#include <cmath>

#include "tile_pass_impl.h"
#include "tile_terrain_impl.h"

namespace karst::render {

using namespace heightfield;

namespace {

constexpr double kFinestCell = 1.0 / (1 << TileLayout::kMaxDetailLevels);

gpu::vec4 pack(const Vec3d& v, double w = 0) {
    const Vec3f f = toFloat(v);
    return {f.x, f.y, f.z, static_cast<float>(w)};
}

std::uint64_t trianglesOf(const TileRun& run, std::uint32_t cells, std::size_t level) {
    const std::uint64_t across = cells >> level;
    return run.count * across * across * 2;
}

// How many levels below 0 are there.
std::uint32_t detailLevels(const Surface& surface) {
    const std::span<const TilePtr> tiles = surface.tiles();
    return tiles.empty() ? 0 : static_cast<std::uint32_t>(std::max(-tiles.back()->key.level, 0));
}

}  // namespace

TileTerrain::Impl::Impl(const DeviceFunctions& functions, const TileTerrainDesc& description,
                        std::uint32_t layerLimit)
    : fn(functions),
      desc(description),
      retired(fn, description.framesInFlight),
      pool(fn, retired, layerLimit),
      selector(description.externals) {}

TileTerrain::TileTerrain(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
TileTerrain::TileTerrain(TileTerrain&&) noexcept = default;
TileTerrain& TileTerrain::operator=(TileTerrain&&) noexcept = default;
TileTerrain::~TileTerrain() = default;

Result<TileTerrain> TileTerrain::create(const VulkanDevice& device, const TileTerrainDesc& desc) {
    if (desc.framesInFlight < 1 || desc.framesInFlight > Impl::kMaxFramesInFlight) {
        return makeError(ErrorCode::InvalidArgument, "tile terrain: framesInFlight %u is not in 1..%u",
                         desc.framesInFlight, Impl::kMaxFramesInFlight);
    }
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    VkPhysicalDeviceProperties properties{};
    fn->GetPhysicalDeviceProperties(fn->physicalDevice, &properties);
    std::uint32_t limit = std::min(properties.limits.maxImageArrayLayers, 65535u);
    if (desc.layerLimit != 0) limit = std::min(limit, desc.layerLimit);
    auto impl = std::make_unique<Impl>(*fn, desc, limit);
    auto layout = createTileSetLayout(*fn);
    if (!layout) return layout.error();
    impl->setLayout = *layout;
    auto sampler = createSampler(*fn, "karst tile slopes", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    if (!sampler) return sampler.error();
    impl->sampler = *sampler;
    auto uniforms = createBuffer(*fn, "karst tile uniforms", sizeof(gpu::GpuTiles),
                                 VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                 MemoryKind::Device);
    if (!uniforms) return uniforms.error();
    impl->uniforms = *uniforms;
    return TileTerrain(std::move(impl));
}

Result<void> TileTerrain::Impl::checkSettings(const CameraView& camera, double viewportHeight,
                                              const TileTerrainSettings& settings) const {
    const auto refuse = [](const char* what, double value) {
        return makeError(ErrorCode::InvalidArgument, "tile terrain: %s %g", what, value);
    };
    if (!(settings.tolerance > 0) || !std::isfinite(settings.tolerance))
        return refuse("tolerance must be finite and above 0, not", settings.tolerance);
    if (!(settings.targetRadius >= 0) || !std::isfinite(settings.targetRadius))
        return refuse("target radius must be finite and not negative, not", settings.targetRadius);
    if (settings.focus && !isFinite(*settings.focus)) {
        return makeError(ErrorCode::InvalidArgument, "tile terrain: focus (%g, %g, %g) is not finite",
                         settings.focus->x, settings.focus->y, settings.focus->z);
    }
    if (!(viewportHeight > 0) || !std::isfinite(viewportHeight))
        return refuse("viewport height must be finite and above 0, not", viewportHeight);
    if (!isFinite(camera.position) || !isFinite(camera.forward)) {
        return makeError(ErrorCode::InvalidArgument, "tile terrain: camera at (%g, %g, %g) is not finite",
                         camera.position.x, camera.position.y, camera.position.z);
    }
    if (!(camera.verticalFov > 0) || !(camera.verticalFov < 3.14159265))
        return refuse("camera's vertical field of view must be between 0 and pi, not", camera.verticalFov);
    return {};
}

Result<double> TileTerrain::Impl::select(const CameraView& camera, double viewportHeight,
                                         const TileTerrainSettings& settings, const TerrainFrame& frame_,
                                         std::span<const RenderView> drawn) {
    TileView view;
    view.tolerance = settings.tolerance;
    if (frame_.collapsed) {
        // There is no place that the camera looks from: everything at its finest.
        const Rect ground = surface.layout().groundRect();
        view.eye = {(ground.minX + ground.maxX) / 2, 0, (ground.minZ + ground.maxZ) / 2};
        view.projectionScale = 1e15;
    } else {
        view.eye = frame_.toLocal(camera.position);
        // Distances shrink at most by the smallest scale, errors grow at most by the largest.
        view.projectionScale = viewportHeight / (2 * std::tan(camera.verticalFov / 2)) *
                               (frame_.largestScale / frame_.smallestScale);
        const Vec3d focus = frame_.toLocal(settings.focus.value_or(camera.position));
        view.focusX = focus.x;
        view.focusZ = focus.z;
        view.targetRadius = settings.targetRadius / frame_.smallestScale;
    }
    if (Result<void> good = validate(view); !good) return good.error();
    double factor = 1;
    for (int attempt = 0; attempt < 64; ++attempt) {
        const TileSelection selection = selector.select(surface, view, detailLevels(surface));
        nodes.assign(selection.nodes.begin(), selection.nodes.end());
        tilesOfNodes.clear();
        for (const TileNode& node : nodes)
            tilesOfNodes.push_back(surface.find(node.key));
        cull.run(surface.layout(), tilesOfNodes, frame_, drawn, settings.cull);
        if (cull.distinct() <= pool.limit()) return settings.tolerance * factor;
        // A larger tolerance, for errors and for the size of cells alike.
        const double step = attempt < 16 ? 1.25 : 8;
        factor *= step;
        view.projectionScale /= step;
        if (attempt >= 8) view.targetRadius /= 2;
    }
    return makeError(ErrorCode::InvalidArgument,
                     "tile terrain: a limit of %u layers is too small for %u tiles", pool.limit(),
                     cull.distinct());
}

void TileTerrain::Impl::setUniforms(const CameraView& camera, double viewportHeight,
                                    const TileTerrainSettings& settings, const TerrainFrame& frame_,
                                    const TileAnchor& anchor) {
    const TileLayout& layout = surface.layout();
    const TerrainTransform& t = settings.transform;
    tiles.columnX = pack(t.axisX * (layout.spacingX * kFinestCell));
    tiles.columnY = pack(t.axisY);
    tiles.columnZ = pack(t.axisZ * (layout.spacingZ * kFinestCell));
    tiles.offset =
        pack(frame_.toWorld(anchorPosition(layout, anchor)) - sceneOrigin(camera), double{anchor.height});
    const double pixels = viewportHeight / (2 * std::tan(camera.verticalFov / 2));
    tiles.parameters = {static_cast<float>(pixels / settings.tolerance * frame_.riseScale),
                        settings.pixelNormals ? 1.0f : 0.0f, frame_.mirrored ? -1.0f : 1.0f,
                        static_cast<float>(layout.rootLevel())};
    tiles.cellX = tiles.cellZ = {};
    if (frame_.collapsed) return;
    // Rows of the inverse, of axes that need not be at right angles.
    const double volume = dot(t.axisX, cross(t.axisY, t.axisZ));
    tiles.cellX = pack(cross(t.axisY, t.axisZ) * (1 / (volume * layout.spacingX * kFinestCell)));
    tiles.cellZ = pack(cross(t.axisX, t.axisY) * (1 / (volume * layout.spacingZ * kFinestCell)));
}

void TileTerrain::Impl::writeRecords(const TerrainFrame& frame_, const TileAnchor& anchor,
                                     TerrainStats& stats) {
    const TileLayout& layout = surface.layout();
    const std::span<const NodeCorners> corners = reconciler.reconcile(layout, nodes);
    records.clear();
    for (std::size_t v = 0; v < views.size(); ++v) {
        DrawnView& drawn = views[v];
        const std::span<const std::uint8_t> reached = cull.view(v);
        std::span<const TileNode> shown = nodes;
        if (!drawn.view.camera && drawn.view.texelSize > 0 && frame_.riseScale > 0) {
            const double error = drawn.view.texelSize / frame_.riseScale;
            coarsest.clear();
            for (std::size_t n = 0; n < nodes.size(); ++n) {
                coarsest.push_back(cull.camera()[n] != 0
                                       ? nodes[n].detail
                                       : coarsestDetail(*tilesOfNodes[n], layout.tileLevels(), error));
            }
            shown = selector.coarsen(coarsest).nodes;
        }
        drawn.runs = {};
        const auto levelOf = [&](std::size_t n) {
            return static_cast<std::size_t>(shown[n].detail - static_cast<float>(shown[n].key.level));
        };
        for (std::size_t n = 0; n < shown.size(); ++n) {
            if (reached[n] != 0) ++drawn.runs[levelOf(n)].count;
        }
        auto next = static_cast<std::uint32_t>(records.size());
        std::uint32_t count = 0;
        std::uint64_t triangles = 0;
        for (std::size_t level = 0; level < drawn.runs.size(); ++level) {
            TileRun& run = drawn.runs[level];
            run.first = next;
            next += run.count;
            count += run.count;
            triangles += trianglesOf(run, layout.tileCells, level);
        }
        (drawn.view.camera ? stats.cameraTriangles : stats.shadowTriangles) += triangles;
        if (!drawn.view.camera) stats.shadowDraws += count;
        records.resize(next);
        std::array<std::uint32_t, TerrainGrid::kMaxLevels> at{};
        for (std::size_t n = 0; n < shown.size(); ++n) {
            if (reached[n] == 0) continue;
            const std::size_t level = levelOf(n);
            TileRun& run = drawn.runs[level];
            TileRecord& record = records[run.first + at[level]++];
            record = makeTileRecord(layout, *tilesOfNodes[n], shown[n], corners[n], anchor, layerOfNode[n]);
            run.gaps = run.gaps || record.hasGaps();
        }
        drawn.seams = {next, 0, false};
        for (std::uint32_t r = next - count; r < next; ++r) {
            const TileRecord& record = records[r];
            const float coarsestEdge = *std::max_element(std::begin(record.edges), std::end(record.edges));
            if (static_cast<std::uint32_t>(coarsestEdge) <= record.strideLevel()) continue;
            records.push_back(TileRecord(record));
            ++drawn.seams.count;
        }
    }
}

// Only tiles that came or went are looked at: snapshots share the others.
void TileTerrain::Impl::measureSurface(const Surface& next) {
    const std::span<const TilePtr> old = surface.empty() ? std::span<const TilePtr>{} : surface.tiles();
    const std::span<const TilePtr> now = next.tiles();
    if (old.empty()) residentBytes = 0;
    for (std::size_t i = 0, j = 0; i < old.size() || j < now.size();) {
        const bool both = i < old.size() && j < now.size();
        if (both && old[i] == now[j]) {
            ++i;
            ++j;
            continue;
        }
        if (j == now.size() || (both && old[i]->key < now[j]->key))
            residentBytes -= old[i++]->memoryBytes();
        else
            residentBytes += now[j++]->memoryBytes();
    }
}

void TileTerrain::Impl::release() {
    pool.release();
    retired.add(recordBuffer);
    retired.add(indices);
    retired.add(setPool);
    set = VK_NULL_HANDLE;
    grid = {};
    surface = {};
    nodes.clear();
    drawnKeys.clear();
    drawnLayers.clear();
}

Result<TerrainStats> TileTerrain::prepare(const Surface& surface, const CameraView& camera,
                                          double viewportHeight, const TileTerrainSettings& settings,
                                          std::span<const RenderView> views) {
    Impl& impl = *m_impl;
    const std::uint64_t start = impl.desc.externals.clock->nowNanoseconds();
    impl.ready = impl.recorded = false;
    impl.views.clear();
    impl.retired.begin();
    impl.frame = (impl.frame + 1) % impl.desc.framesInFlight;
    if (auto good = impl.checkSettings(camera, viewportHeight, settings); !good) return good.error();
    auto frame = TerrainFrame::make(settings.transform);
    if (!frame) return frame.error();

    TerrainStats stats;
    stats.tolerance = settings.tolerance;
    const bool sameLineage = !impl.surface.empty() && surface.lineage() == impl.surface.lineage();
    if (!impl.surface.empty() && (settings.hidden || surface.empty() || !sameLineage)) impl.release();
    if (surface.empty()) return stats;
    const bool changed = impl.surface.empty() || surface.revision() != impl.surface.revision() ||
                         surface.tiles().data() != impl.surface.tiles().data();
    if (changed) impl.measureSurface(surface);
    stats.residentTiles = static_cast<std::uint32_t>(surface.tiles().size());
    stats.residentBytes = impl.residentBytes;
    if (settings.hidden) return stats;

    impl.surface = surface;
    auto tolerance = impl.select(camera, viewportHeight, settings, *frame, views);
    if (!tolerance) return tolerance.error();
    stats.tolerance = *tolerance;
    impl.drawnKeys.clear();
    for (std::size_t n = 0; n < impl.nodes.size(); ++n) {
        const TileNode& node = impl.nodes[n];
        stats.finestLevel = n == 0 ? node.key.level : std::min(stats.finestLevel, node.key.level);
        stats.drawn += impl.cull.camera()[n] != 0 || (!settings.cull && impl.cull.any()[n] != 0);
        if (impl.cull.any()[n] != 0) impl.drawnKeys.push_back(node.key);
    }
    stats.selected = static_cast<std::uint32_t>(impl.nodes.size());
    stats.distinct = impl.cull.distinct();
    impl.drawnLayers.resize(impl.drawnKeys.size());
    if (auto placed = impl.pool.place(surface, changed, impl.drawnKeys, impl.drawnLayers); !placed)
        return placed.error();
    impl.layerOfNode.assign(impl.nodes.size(), 0);
    for (std::size_t n = 0, d = 0; n < impl.nodes.size(); ++n) {
        if (impl.cull.any()[n] != 0) impl.layerOfNode[n] = impl.drawnLayers[d++];
    }
    const Vec3d eye = frame->collapsed ? Vec3d{surface.layout().originX, 0, surface.layout().originZ}
                                       : frame->toLocal(camera.position);
    const TileAnchor anchor = tileAnchor(surface.layout(), eye);
    for (const RenderView& view : views)
        impl.views.push_back({view, {}, {}});
    impl.writeRecords(*frame, anchor, stats);
    impl.setUniforms(camera, viewportHeight, settings, *frame, anchor);
    if (auto staged = impl.stage(); !staged) return staged.error();
    impl.ready = true;
    stats.layers = impl.pool.layers();
    stats.layerBytes = stats.layers * impl.pool.layerBytes();
    stats.uploads = static_cast<std::uint32_t>(impl.pool.uploads().size());
    stats.uploadBytes = stats.uploads * impl.pool.layerBytes();
    stats.prepareSeconds = static_cast<double>(impl.desc.externals.clock->nowNanoseconds() - start) * 1e-9;
    return stats;
}

std::optional<std::uint32_t> TileTerrain::layerOf(const TileKey& key) const {
    const auto& keys = m_impl->drawnKeys;
    const auto found = std::find(keys.begin(), keys.end(), key);
    if (!m_impl->ready || found == keys.end()) return std::nullopt;
    return m_impl->drawnLayers[static_cast<std::size_t>(found - keys.begin())];
}

VkImage TileTerrain::poolImage() const {
    return m_impl->pool.image();
}
VkImage TileTerrain::slopesImage() const {
    return m_impl->pool.slopesImage();
}

}  // namespace karst::render
