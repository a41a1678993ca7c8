#pragma once

#include <karst/base/externals.h>
#include <karst/import/import_options.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "ground.h"

namespace karst::viewer {

struct OpenRequest {
    std::string file;  ///< a DEM, a package (folder, file or URL) or a voxel file
    importer::ImportOptions import;
    std::uint32_t detailLevels = 0;
    std::string craters;  ///< the log of its craters; empty: beside it
};

/// Opens ground on a thread of its own: reads voxels, waits for a package's manifest, or builds a temporary
/// package out of a DEM.
///
/// Threads: one at a time, the main one. The externals must outlive it; its destructor stops the work.
class Loader {
  public:
    explicit Loader(const Externals& externals);
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    /// Gives up what is under way.
    void start(const OpenRequest& request);
    void cancel();
    bool running() const { return m_thread.joinable(); }

    /// The ground or why there is none, once; nothing while the work goes on.
    std::optional<Result<std::unique_ptr<Ground>>> take();

    struct Progress {
        std::string what;   ///< "building a package of x.tif"
        double share = -1;  ///< 0..1; negative where it is not known
    };
    Progress progress() const;

  private:
    Result<std::unique_ptr<Ground>> open(const OpenRequest& request);
    Result<std::unique_ptr<Ground>> openVoxels(const OpenRequest& request);
    Result<std::unique_ptr<Ground>> openPackage(const OpenRequest& request);
    Result<std::unique_ptr<Ground>> openRaster(const OpenRequest& request);
    void show(std::string what, double share);

    Externals m_externals;
    std::thread m_thread;
    std::atomic<bool> m_stop{false}, m_done{false};
    std::atomic<double> m_share{-1};
    mutable std::mutex m_mutex;
    std::string m_what;
    std::optional<Result<std::unique_ptr<Ground>>> m_result;
};

}  // namespace karst::viewer
