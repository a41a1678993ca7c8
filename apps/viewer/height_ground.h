#pragma once

#include <karst/base/externals.h>
#include <karst/heightfield/package_tile_source.h>
#include <karst/heightfield/surface_query.h>
#include <karst/heightfield_stream/streamer.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "ground.h"

namespace karst::viewer {

/// A file that goes when this does.
class TemporaryFile {
  public:
    /// A name that nobody has, in the system's folder for such files; nothing is written.
    explicit TemporaryFile(const std::string& ending);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

/// A pyramid of height tiles, open.
struct HeightOpening {
    std::string name;
    /// Of the same package again, without waiting.
    std::function<Result<std::unique_ptr<heightfield::PackageTileSource>>()> reopen;
    std::unique_ptr<heightfield::PackageTileSource> source;  ///< ready
    std::shared_ptr<TemporaryFile> temporary;                ///< the package, where it was built to be shown
    std::uint32_t detailLevels = 0;
    std::string problem;              ///< that did not keep it from being opened; empty: none
    std::filesystem::path craterLog;  ///< where craters are saved, and come from; empty: nowhere
};

/// Streamed height tiles, dug into by craters.
class HeightGround final : public Ground {
  public:
    static Result<std::unique_ptr<HeightGround>> create(HeightOpening opening, const Externals& externals);

    const std::string& name() const override { return m_opening.name; }
    bool ready() const override { return m_measured; }
    Bounds bounds() const override { return m_bounds; }
    double spacing() const override;
    Result<void> update(const Viewpoint& viewpoint) override;
    bool settled() const override;
    std::optional<GroundHit> castRay(const Ray& ray, double maxT) override;
    Result<std::unique_ptr<GroundColliders>> makeColliders(WorldPosition origin) override;

    std::span<const Tool> tools() const override;
    void beginStroke() override {}
    Result<void> use(const ToolUse& use) override;
    void endStroke() override {}
    std::size_t undoCount() const override { return m_craters.size(); }
    std::size_t redoCount() const override { return m_undone.size(); }
    Result<void> undo() override;
    Result<void> redo() override;
    std::string savePath() const override { return m_opening.craterLog.string(); }
    bool unsaved() const override { return m_craters != m_saved; }
    Result<std::string> save() override;
    Result<std::string> saveAs(const std::string& path) override;
    std::string takeProblem() override { return std::exchange(m_problem, {}); }
    LevelSettings& levels() override { return m_levels; }
    std::vector<Figure> figures() const override;

    const heightfield::Surface& surface() const { return m_surface; }
    const std::vector<heightfield::Crater>& craters() const { return m_craters; }

  private:
    HeightGround(HeightOpening opening, const Externals& externals)
        : m_opening(std::move(opening)), m_externals(externals) {}
    Result<heightfield::TileStreamer> makeStreamer(
        std::unique_ptr<heightfield::PackageTileSource> source) const;
    void readCraters();
    void watchLoads(const heightfield::StreamingReport& report);
    void takeSurface(const heightfield::Surface& surface);

    HeightOpening m_opening;
    Externals m_externals;
    std::shared_ptr<const heightfield::TileResolver> m_resolver;
    std::optional<heightfield::TileStreamer> m_streamer;
    /// After an undo: the same ground without the crater, until it has loaded as much.
    std::optional<heightfield::TileStreamer> m_next;
    std::uint32_t m_nextUpdates = 0;
    heightfield::Surface m_surface;
    heightfield::SurfaceIndex m_index;
    heightfield::StreamingReport m_report;
    std::uint64_t m_loaded = 0, m_failed = 0;
    std::vector<heightfield::Crater> m_craters, m_undone, m_saved;
    std::string m_problem;
    LevelSettings m_levels;
    Bounds m_bounds;
    bool m_failing = false;                  // loads fail, and that was told
    bool m_measured = false, m_dug = false;  // m_dug: the craters that were there are in the ground
};

}  // namespace karst::viewer
