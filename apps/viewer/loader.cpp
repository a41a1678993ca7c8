#include "loader.h"

#include <karst/heightfield/package_format.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst/import/raster_source.h>

#include <chrono>
#include <filesystem>

#include "../karst/crater_log_file.h"
#include "../karst/ground_picture.h"
#include "../karst/package_access.h"
#include "../karst/package_codecs.h"
#include "../karst/raster_build_input.h"
#include "../karst/voxel_drawing.h"
#include "height_ground.h"
#ifdef KARST_HAVE_SQLITE
#include "voxel_ground.h"
#endif

namespace karst::viewer {

namespace {

namespace fs = std::filesystem;

// How long a package's manifest may take.
constexpr std::chrono::seconds kPatience(30);

std::filesystem::path craterLog(const OpenRequest& request) {
    return request.craters.empty() ? tool::craterLogOf(request.file) : fs::path(request.craters);
}

std::string shortName(const std::string& file) {
    const std::string name = fs::path(file).filename().string();
    return name.empty() ? file : name;
}

/// Passes everything on, and keeps the first warning: what the importer guessed is told of in the window.
class FirstWarning final : public Logger {
  public:
    explicit FirstWarning(Logger& next) : m_next(&next) {}
    void write(LogLevel level, std::string_view message) override {
        m_next->write(level, message);
        const std::lock_guard lock(m_mutex);
        if (level >= LogLevel::Warning && m_text.empty()) m_text = message;
    }
    std::string text() const {
        const std::lock_guard lock(m_mutex);
        return m_text;
    }

  private:
    Logger* m_next;
    mutable std::mutex m_mutex;
    std::string m_text;
};

}  // namespace

Loader::Loader(const Externals& externals) : m_externals(externals) {}

Loader::~Loader() {
    cancel();
}

void Loader::cancel() {
    m_stop = true;
    if (m_thread.joinable()) m_thread.join();
    m_stop = m_done = false;
    m_result.reset();
}

void Loader::start(const OpenRequest& request) {
    cancel();
    show("opening " + shortName(request.file), -1);
    m_thread = std::thread([this, request] {
        m_result.emplace(open(request));
        const std::string name = shortName(request.file);
        if (!*m_result && m_result->error().message.find(name) == std::string::npos) {
            const Error& error = m_result->error();
            m_result.emplace(Error{error.code, name + ": " + error.message});
        }
        m_done = true;
    });
}

std::optional<Result<std::unique_ptr<Ground>>> Loader::take() {
    if (!m_done) return std::nullopt;
    m_thread.join();
    m_done = false;
    auto result = std::move(m_result);
    m_result.reset();
    return result;
}

Loader::Progress Loader::progress() const {
    const std::lock_guard lock(m_mutex);
    return {m_what, m_share};
}

void Loader::show(std::string what, double share) {
    const std::lock_guard lock(m_mutex);
    m_what = std::move(what);
    m_share = share;
}

Result<std::unique_ptr<Ground>> Loader::open(const OpenRequest& request) {
    if (tool::looksLikeVoxels(request.file)) return openVoxels(request);
    if (tool::looksLikePackage(request.file)) return openPackage(request);
    return openRaster(request);
}

Result<std::unique_ptr<Ground>> Loader::openVoxels(const OpenRequest& request) {
#ifdef KARST_HAVE_SQLITE
    show("reading the voxels of " + shortName(request.file), -1);
    auto ground = VoxelGround::open(request.file, m_externals);
    if (!ground) return ground.error();
    return std::unique_ptr<Ground>(std::move(*ground));
#else
    return makeError(ErrorCode::Unsupported,
                     "%s: this viewer was built without SQLite, so it reads no voxels", request.file.c_str());
#endif
}

Result<std::unique_ptr<Ground>> Loader::openPackage(const OpenRequest& request) {
    std::error_code code;
    if (fs::is_directory(request.file, code) &&
        !fs::exists(fs::path(request.file) / heightfield::kManifestName, code)) {
        return makeError(ErrorCode::NotFound, "%s: a folder without a terrain.json, so no package",
                         request.file.c_str());
    }
    show("opening the package " + shortName(request.file), -1);
    HeightOpening opening;
    opening.name = shortName(request.file);
    opening.detailLevels = request.detailLevels;
    opening.craterLog = craterLog(request);
    opening.reopen = [file = request.file, externals = m_externals] {
        return tool::openTileSource(file, externals);
    };
    auto source = opening.reopen();
    if (!source) return source.error();
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!(*source)->ready()) {
        (*source)->update();
        if ((*source)->state() == heightfield::PackageTileSource::State::Failed) return (*source)->error();
        if (m_stop || std::chrono::steady_clock::now() > end) {
            return makeError(ErrorCode::Io, "%s: no manifest came within %d seconds", request.file.c_str(),
                             static_cast<int>(kPatience.count()));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    opening.source = std::move(*source);
    auto ground = HeightGround::create(std::move(opening), m_externals);
    if (!ground) return ground.error();
    return std::unique_ptr<Ground>(std::move(*ground));
}

// Of any size: the file is never in memory as a whole.
Result<std::unique_ptr<Ground>> Loader::openRaster(const OpenRequest& request) {
    FirstWarning warning(*m_externals.log);
    Externals noted = m_externals;
    noted.log = &warning;
    auto raster = importer::openRaster(request.file, request.import, noted);
    if (!raster) return raster.error();
    const double step = (*raster)->info().heightStep;
    tool::RasterBuildInput input(std::move(*raster), {}, 0);
    heightfield::BuildOptions options;
    options.heightStep = step;
    options.stop = &m_stop;
    const std::string what = "building a pyramid of " + shortName(request.file);
    show(what, 0);
    options.progress = [&](double share) { m_share = share; };
    const auto codec = tool::codecMaker(tool::defaultCodec());
    if (!codec) return codec.error();
    options.makeCodec = *codec;
    auto temporary = std::make_shared<TemporaryFile>(".karst");
    {
        const auto sink = heightfield::makeFileSink(temporary->path(), heightfield::Durability::Process);
        const auto report = heightfield::buildPyramid(input, *sink, options, noted);
        if (!report) return report.error();
        if (!report->finished)
            return makeError(ErrorCode::Io, "%s: the build was stopped", request.file.c_str());
    }
    HeightOpening opening;
    opening.name = shortName(request.file);
    opening.temporary = temporary;
    opening.problem = warning.text();
    opening.detailLevels = request.detailLevels;
    opening.craterLog = craterLog(request);
    opening.reopen = [file = temporary->path().string(), externals = m_externals] {
        return tool::openTileSource(file, externals);
    };
    auto source = opening.reopen();
    if (!source) return source.error();
    opening.source = std::move(*source);
    auto ground = HeightGround::create(std::move(opening), m_externals);
    if (!ground) return ground.error();
    return std::unique_ptr<Ground>(std::move(*ground));
}

}  // namespace karst::viewer
