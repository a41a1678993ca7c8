#pragma once

#include <karst/base/byte_source.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <thread>

namespace karst {

/// Why a path is not one within a package: null where it is. It must be 1 to 1024 bytes of names joined by
/// '/', relative, without empty, "." and ".." names, backslashes, colons (drive letters) and control
/// characters.
const char* relativePathFault(std::string_view path);

/// What one read may take at most, unless said otherwise.
inline constexpr std::uint64_t kMostFileBytes = std::uint64_t{64} << 20;

/// Reads a range of a regular file beneath the folder `root`, at once. An empty path reads `root` itself,
/// which is then a file. InvalidArgument for a path with a fault or one that leaves the folder through a
/// symbolic link (looked at before opening: whoever may change the folder in between could still swap one
/// in); NotFound where there is no such file; Io where it ends before the range does; TooLarge past
/// `mostBytes`. Safe from any thread.
Result<std::vector<std::byte>> readFileRange(const std::filesystem::path& root, const ByteRange& range,
                                             std::uint64_t mostBytes = kMostFileBytes);

/// A byte source over files of a folder, or over one file (range paths are then empty). Reads as
/// readFileRange does, in the order of the requests, on one thread of its own; no lock is held meanwhile.
///
/// Threads: as ByteSource. The destructor waits for the read under way and drops the others.
class FileByteSource final : public ByteSource {
  public:
    explicit FileByteSource(std::filesystem::path root, std::uint64_t mostBytes = kMostFileBytes);
    ~FileByteSource() override;
    FileByteSource(const FileByteSource&) = delete;
    FileByteSource& operator=(const FileByteSource&) = delete;

    std::uint64_t request(const ByteRange& range) override;
    std::optional<Finished> poll() override;
    void cancel(std::uint64_t id) override;

  private:
    struct Job {
        std::uint64_t id = 0;
        ByteRange range;
    };
    void work();

    const std::filesystem::path m_root;
    const std::uint64_t m_mostBytes;
    std::uint64_t m_lastId = 0;

    std::mutex m_mutex;  // guards what follows
    std::condition_variable m_wake;
    std::deque<Job> m_jobs;
    std::deque<Finished> m_finished;
    std::uint64_t m_reading = 0;  // the worker's; 0 where it reads none, or none that is still wanted
    bool m_stop = false;

    std::thread m_worker;
};

}  // namespace karst
