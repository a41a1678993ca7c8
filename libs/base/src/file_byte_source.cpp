#include <karst/base/file_byte_source.h>

#include <algorithm>
#include <fstream>

namespace karst {
namespace {

namespace fs = std::filesystem;

// Both canonical.
bool isBeneath(const fs::path& path, const fs::path& folder) {
    const auto [end, at] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

// The file to open, symbolic links followed.
Result<fs::path> locate(const fs::path& root, const std::string& path) {
    std::error_code code;
    const fs::path base = fs::canonical(root, code);
    if (code) {
        return makeError(ErrorCode::NotFound, "%s: %s", root.string().c_str(), code.message().c_str());
    }
    if (path.empty()) return base;
    if (const char* fault = relativePathFault(path)) {
        return makeError(ErrorCode::InvalidArgument, "file '%.80s' in %s: the path %s", path.c_str(),
                         root.string().c_str(), fault);
    }
    const fs::path found = fs::canonical(base / path, code);
    if (code) {
        const bool absent =
            code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory;
        return makeError(absent ? ErrorCode::NotFound : ErrorCode::Io, "file '%s' in %s: %s", path.c_str(),
                         root.string().c_str(), code.message().c_str());
    }
    if (!isBeneath(found, base)) {
        return makeError(ErrorCode::InvalidArgument, "file '%s' in %s: a symbolic link leaves the folder",
                         path.c_str(), root.string().c_str());
    }
    return found;
}

}  // namespace

const char* relativePathFault(std::string_view path) {
    if (path.empty()) return "is empty";
    if (path.size() > 1024) return "is longer than 1024 bytes";
    for (const char c : path) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "holds a control character";
        if (c == '\\') return "holds a backslash";
        if (c == ':') return "holds a colon";
    }
    if (path.front() == '/') return "is absolute";
    while (true) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        const std::string_view name = path.substr(0, slash);
        if (name.empty()) return "holds an empty name";
        if (name == "..") return "leaves the folder";
        if (name == ".") return "holds the name '.'";
        if (slash == path.size()) return nullptr;
        path.remove_prefix(slash + 1);
    }
}

Result<std::vector<std::byte>> readFileRange(const fs::path& root, const ByteRange& range,
                                             std::uint64_t mostBytes) {
    using Long = unsigned long long;
    const Result<fs::path> path = locate(root, range.path);
    if (!path) return path.error();
    const std::string name = path->string();
    std::error_code code;
    // Opening a pipe or a device might wait for ever.
    if (!fs::is_regular_file(*path, code))
        return makeError(ErrorCode::InvalidArgument, "file %s: is no regular file", name.c_str());
    const std::uint64_t fileSize = fs::file_size(*path, code);
    if (code) return makeError(ErrorCode::Io, "file %s: %s", name.c_str(), code.message().c_str());
    const std::uint64_t left = fileSize - std::min(range.offset, fileSize);
    const std::uint64_t size = range.size == ByteRange::kToEnd ? left : range.size;
    if (range.offset > fileSize || size > left) {
        return makeError(ErrorCode::Io, "file %s: has %llu bytes, not %llu from %llu on", name.c_str(),
                         Long{fileSize}, Long{size}, Long{range.offset});
    }
    if (size > mostBytes) {
        return makeError(ErrorCode::TooLarge, "file %s: %llu bytes are more than %llu", name.c_str(),
                         Long{size}, Long{mostBytes});
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    std::ifstream file(*path, std::ios::binary);
    if (!file) return makeError(ErrorCode::Io, "file %s: cannot be opened", name.c_str());
    file.seekg(static_cast<std::streamoff>(range.offset));
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (!file || static_cast<std::uint64_t>(file.gcount()) != size) {
        return makeError(ErrorCode::Io, "file %s: reading %llu bytes from %llu on failed", name.c_str(),
                         Long{size}, Long{range.offset});
    }
    return bytes;
}

FileByteSource::FileByteSource(fs::path root, std::uint64_t mostBytes)
    : m_root(std::move(root)), m_mostBytes(mostBytes), m_worker([this] { work(); }) {}

FileByteSource::~FileByteSource() {
    {
        const std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_wake.notify_one();
    m_worker.join();
}

std::uint64_t FileByteSource::request(const ByteRange& range) {
    const std::uint64_t id = ++m_lastId;
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back({id, range});
    }
    m_wake.notify_one();
    return id;
}

std::optional<ByteSource::Finished> FileByteSource::poll() {
    const std::lock_guard lock(m_mutex);
    if (m_finished.empty()) return std::nullopt;
    Finished finished = std::move(m_finished.front());
    m_finished.pop_front();
    return finished;
}

void FileByteSource::cancel(std::uint64_t id) {
    // Bytes already read are freed after the lock.
    std::deque<Finished> dropped;
    const std::lock_guard lock(m_mutex);
    if (m_reading == id) m_reading = 0;
    std::erase_if(m_jobs, [&](const Job& job) { return job.id == id; });
    const auto found = std::find_if(m_finished.begin(), m_finished.end(),
                                    [&](const Finished& finished) { return finished.id == id; });
    if (found != m_finished.end()) {
        dropped.push_back(std::move(*found));
        m_finished.erase(found);
    }
}

void FileByteSource::work() {
    std::unique_lock lock(m_mutex);
    while (true) {
        m_wake.wait(lock, [&] { return m_stop || !m_jobs.empty(); });
        if (m_stop) return;
        const Job job = std::move(m_jobs.front());
        m_jobs.pop_front();
        m_reading = job.id;
        lock.unlock();
        Finished finished{job.id, readFileRange(m_root, job.range, m_mostBytes)};
        lock.lock();
        if (m_reading == job.id) m_finished.push_back(std::move(finished));
        m_reading = 0;
    }
}

}  // namespace karst
