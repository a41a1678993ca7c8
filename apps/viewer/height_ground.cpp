#include "height_ground.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <system_error>
#include <utility>

#include "../karst/crater_log_file.h"
#include "../karst/package_streaming.h"
#include "height_ground_colliders.h"

namespace karst::viewer {

using namespace heightfield;

namespace {

// Updates after which the ground without an undone crater is shown, loaded or not.
constexpr std::uint32_t kMostUndoUpdates = 300;

Result<void> dig(TileStreamer& streamer, std::span<const Crater> craters) {
    for (const Crater& crater : craters) {
        if (auto dug = streamer.addCrater(crater); !dug) return dug;
    }
    return {};
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& ending) {
    std::random_device random;
    std::error_code code;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(code);
    do {
        m_path = (code ? std::filesystem::path(".") : folder) /
                 ("karst-viewer-" + std::to_string(random()) + ending);
    } while (std::filesystem::exists(m_path, code));
}

TemporaryFile::~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
}

Result<std::unique_ptr<HeightGround>> HeightGround::create(HeightOpening opening,
                                                           const Externals& externals) {
    const TileLayout layout = opening.source->layout();
    std::unique_ptr<PackageTileSource> source = std::move(opening.source);
    std::unique_ptr<HeightGround> ground(new HeightGround(std::move(opening), externals));
    auto resolver = tool::groundResolver(layout, ground->m_opening.detailLevels);
    if (!resolver) return resolver.error();
    ground->m_resolver = *resolver;
    auto streamer = ground->makeStreamer(std::move(source));
    if (!streamer) return streamer.error();
    ground->m_streamer.emplace(std::move(*streamer));
    ground->m_problem = ground->m_opening.problem;
    ground->readCraters();
    const Rect rect = layout.groundRect();
    const HeightRange range = layout.quantisation;
    ground->m_bounds = {{rect.minX, range.min, rect.minZ}, {rect.maxX, range.max, rect.maxZ}};
    ground->m_levels.hasTolerance = true;
    return ground;
}

Result<TileStreamer> HeightGround::makeStreamer(std::unique_ptr<PackageTileSource> source) const {
    TileStreamerOptions options;
    options.maximumResidentTiles = 4096;
    options.maximumPendingLoads = 64;
    options.maximumSynthesesPerUpdate = 32;
    options.detailLevels = m_opening.detailLevels;
    // Who walks stands on what is drawn, the synthesised detail too.
    options.collisionLevel = -static_cast<std::int32_t>(m_opening.detailLevels);
    options.resolver = m_resolver;
    const TileLayout layout = source->ready() ? source->layout() : m_streamer->layout();
    return TileStreamer::create(layout, std::move(source), std::move(options), m_externals);
}

double HeightGround::spacing() const {
    const TileLayout& layout = m_streamer->layout();
    return std::min(layout.spacingX, layout.spacingZ);
}

Result<void> HeightGround::update(const Viewpoint& viewpoint) {
    TileView view;
    view.eye = viewpoint.eye;
    view.projectionScale = viewpoint.projectionScale;
    view.tolerance = m_levels.tolerance;
    std::vector<Interest> interests{view};
    for (const SolidPlace& place : viewpoint.solid)
        interests.push_back(CollisionInterest{place.center.x, place.center.z, place.radius});
    const auto report = m_streamer->update(interests);
    if (!report) return report.error();
    m_report = *report;
    m_loaded += m_report.loaded;
    m_failed += m_report.failed;
    watchLoads(m_report);
    if (m_report.published && !m_next) takeSurface(m_streamer->surface());
    if (!m_dug && m_measured) {
        // Only now: the ground's heights, and so its colours, are those without craters.
        m_dug = m_report.published = true;
        if (auto dug = dig(*m_streamer, m_craters); !dug) return dug;
    }
    if (!m_next) return {};
    const auto next = m_next->update(interests);
    if (!next) return next.error();
    watchLoads(*next);
    const bool loaded = next->settled() && next->waiting == 0;
    if (!m_next->surface().empty() && (loaded || ++m_nextUpdates > kMostUndoUpdates)) {
        m_streamer = std::move(m_next);
        m_next.reset();
        takeSurface(m_streamer->surface());
    }
    return {};
}

// Told of once, until tiles come again: a server that is away fails them all, again and again.
void HeightGround::watchLoads(const StreamingReport& report) {
    if (report.failed > 0 && !m_failing) {
        m_problem = name() + ": " + std::to_string(report.failed) +
                    (report.failed == 1 ? " tile" : " tiles") +
                    " could not be loaded; what is there stays, and they are asked for again";
        m_failing = true;
    } else if (report.loaded > 0 && report.failed == 0) {
        m_failing = false;
    }
}

void HeightGround::takeSurface(const Surface& surface) {
    m_surface = surface;
    if (m_measured || surface.empty()) return;
    // The roots know how high the ground really is.
    m_measured = true;
    double low = m_bounds.max.y, high = m_bounds.min.y;
    for (const TilePtr& tile : surface.tiles()) {
        low = std::min(low, double{tile->bounds.min});
        high = std::max(high, double{tile->bounds.max});
    }
    if (low <= high) m_bounds.min.y = low, m_bounds.max.y = high;
}

bool HeightGround::settled() const {
    return !m_surface.empty() && m_report.settled() && m_report.waiting == 0 && !m_next;
}

std::optional<GroundHit> HeightGround::castRay(const Ray& ray, double maxT) {
    if (m_surface.empty()) return std::nullopt;
    const Surface indexed = m_index.surface();
    if (indexed.lineage() != m_surface.lineage() || indexed.revision() != m_surface.revision()) {
        const SurfaceIndex previous = m_index;
        m_index = SurfaceIndex(m_surface, &previous, m_externals);
    }
    const SurfaceHit hit = m_index.castRay(ray, maxT);
    if (!hit.hit()) return std::nullopt;
    return GroundHit{hit.position, toDouble(hit.normal), hit.t * length(ray.direction)};
}

Result<std::unique_ptr<GroundColliders>> HeightGround::makeColliders(WorldPosition origin) {
    return makeHeightColliders(*this, origin);
}

std::span<const Tool> HeightGround::tools() const {
    static constexpr Tool kTools[] = {Tool::Look, Tool::Crater};
    return kTools;
}

Result<void> HeightGround::use(const ToolUse& use) {
    if (use.tool != Tool::Crater) return {};
    Crater crater;
    crater.x = use.center.x;
    crater.z = use.center.z;
    crater.radius = use.radius;
    crater.depth = use.radius * use.strength;
    crater.rimHeight = crater.depth * 0.2;
    if (auto dug = m_streamer->addCrater(crater); !dug) return dug;
    if (m_next) {
        if (auto dug = m_next->addCrater(crater); !dug) return dug;
    }
    m_craters.push_back(crater);
    m_undone.clear();
    return {};
}

// Craters are added to tiles as they were stored, in any order; taking one away is loading them again.
Result<void> HeightGround::undo() {
    if (m_craters.empty()) return {};
    auto source = m_opening.reopen();
    if (!source) return source.error();
    auto streamer = makeStreamer(std::move(*source));
    if (!streamer) return streamer.error();
    if (auto dug = dig(*streamer, std::span(m_craters).first(m_craters.size() - 1)); !dug) return dug;
    m_next.emplace(std::move(*streamer));
    m_nextUpdates = 0;
    m_undone.push_back(m_craters.back());
    m_craters.pop_back();
    return {};
}

Result<void> HeightGround::redo() {
    if (m_undone.empty()) return {};
    const Crater crater = m_undone.back();
    if (auto dug = (m_next ? *m_next : *m_streamer).addCrater(crater); !dug) return dug;
    m_undone.pop_back();
    m_craters.push_back(crater);
    return {};
}

Result<std::string> HeightGround::save() {
    if (m_opening.craterLog.empty()) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: craters cannot be saved beside a URL: name a file for them (Save as)",
                         name().c_str());
    }
    if (auto written = tool::writeCraterLog(m_opening.craterLog, m_craters); !written) return written.error();
    m_saved = m_craters;
    const std::size_t count = m_craters.size();
    return "saved " + std::to_string(count) + (count == 1 ? " crater in " : " craters in ") + savePath();
}

Result<std::string> HeightGround::saveAs(const std::string& path) {
    const std::filesystem::path old = std::exchange(m_opening.craterLog, path);
    auto saved = save();
    if (!saved) m_opening.craterLog = old;
    return saved;
}

// Ground whose log is damaged is shown as if there were none; save() does not write over it.
void HeightGround::readCraters() {
    if (m_opening.craterLog.empty()) return;
    auto craters = tool::readCraterLog(m_opening.craterLog);
    if (craters) {
        m_craters = m_saved = std::move(*craters);
    } else if (craters.error().code != ErrorCode::NotFound) {
        m_problem = "the craters are not shown: " + craters.error().message;
    }
}

std::vector<Figure> HeightGround::figures() const {
    return {{"tiles resident", double(m_report.resident), ""},
            {"loads under way", double(m_report.pending), ""},
            {"tiles wanted", double(m_report.wanted), ""},
            {"tiles loaded", double(m_loaded), "in all"},
            {"loads failed", double(m_failed), "in all"},
            {"snapshots", double(m_surface.revision()), "in all"},
            {"craters", double(m_craters.size()), ""}};
}

}  // namespace karst::viewer
