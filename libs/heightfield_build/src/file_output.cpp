#include "file_output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace karst::heightfield {
namespace {

Error failed(const char* what, const std::filesystem::path& path, int code) {
    if (code == ELOOP) {  // of O_NOFOLLOW: what it points to is not this program's to write
        return makeError(ErrorCode::Io, "%s: cannot %s: is a symbolic link", path.c_str(), what);
    }
    return makeError(code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, "%s: cannot %s: %s", path.c_str(),
                     what, std::strerror(code));
}

}  // namespace

FileOutput::FileOutput(FileOutput&& other) noexcept
    : m_handle(std::exchange(other.m_handle, -1)), m_path(std::move(other.m_path)) {}

FileOutput& FileOutput::operator=(FileOutput&& other) noexcept {
    if (this != &other) {
        close();
        m_handle = std::exchange(other.m_handle, -1);
        m_path = std::move(other.m_path);
    }
    return *this;
}

void FileOutput::close() {
    if (m_handle >= 0) ::close(m_handle);
    m_handle = -1;
}

Result<FileOutput> FileOutput::open(const std::filesystem::path& path, bool keep) {
    FileOutput file;
    file.m_path = path;
    file.m_handle =
        ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | (keep ? 0 : O_CREAT | O_TRUNC), 0666);
    if (file.m_handle < 0) return failed(keep ? "open" : "create", path, errno);
    return file;
}

Result<FileOutput> FileOutput::openAlone(const std::filesystem::path& path, bool keep) {
    // What another process writes must not be cut before it is known that nobody does.
    Result<FileOutput> file = lockedAt(path, O_RDWR | (keep ? 0 : O_CREAT));
    if (!file || keep) return file;
    if (Result<void> cut = file->truncate(0); !cut) return cut.error();
    return file;
}

Result<FileOutput> FileOutput::holdFolder(const std::filesystem::path& path) {
    return lockedAt(path, O_RDONLY | O_DIRECTORY);
}

Result<FileOutput> FileOutput::lockedAt(const std::filesystem::path& path, int flags) {
    for (;;) {
        FileOutput file;
        file.m_path = path;
        file.m_handle = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file.m_handle < 0) return failed((flags & O_CREAT) != 0 ? "create" : "open", path, errno);
        // File systems without locks are trusted to have one writer.
        if (::flock(file.m_handle, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            return makeError(ErrorCode::Io, "%s: another process is writing it", path.c_str());
        }
        // Whoever had it may have put it in its place, or thrown it away, before letting go.
        struct stat held = {}, there = {};
        if (::fstat(file.m_handle, &held) != 0) return failed("look at", path, errno);
        if (::stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino && held.st_dev == there.st_dev)
            return file;
    }
}

Result<void> FileOutput::writeAt(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t done = ::pwrite(m_handle, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return failed("write", m_path, done < 0 ? errno : ENOSPC);
        offset += static_cast<std::uint64_t>(done);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return {};
}

Result<FileOutput> FileOutput::openToRead(const std::filesystem::path& path) {
    FileOutput file;
    file.m_path = path;
    file.m_handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file.m_handle < 0) return failed("open", path, errno);
    return file;
}

Result<void> FileOutput::readAt(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t done = ::pread(m_handle, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return failed("read", m_path, done < 0 ? errno : EIO);
        offset += static_cast<std::uint64_t>(done);
        bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return {};
}

void FileOutput::startFlush(std::uint64_t offset, std::uint64_t bytes) {
#ifdef __linux__
    static_cast<void>(::sync_file_range(m_handle, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                                        SYNC_FILE_RANGE_WRITE));
#else
    static_cast<void>(offset);
    static_cast<void>(bytes);
#endif
}

Result<void> FileOutput::truncate(std::uint64_t bytes) {
    if (::ftruncate(m_handle, static_cast<off_t>(bytes)) != 0) return failed("resize", m_path, errno);
    return {};
}

Result<std::uint64_t> FileOutput::size() const {
    struct stat status = {};
    if (::fstat(m_handle, &status) != 0) return failed("look at", m_path, errno);
    return static_cast<std::uint64_t>(status.st_size);
}

Result<void> FileOutput::sync() {
    if (::fsync(m_handle) != 0) return failed("flush", m_path, errno);
    return {};
}

Result<std::vector<std::byte>> readWholeFile(const std::filesystem::path& path) {
    const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (handle < 0) return failed("open", path, errno);
    std::vector<std::byte> bytes;
    struct stat status = {};
    int code = ::fstat(handle, &status) == 0 ? 0 : errno;
    if (code == 0) bytes.resize(static_cast<std::size_t>(status.st_size));
    for (std::size_t at = 0; code == 0 && at < bytes.size();) {
        const ssize_t done = ::read(handle, bytes.data() + at, bytes.size() - at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) {
            code = done < 0 ? errno : EIO;
            break;
        }
        at += static_cast<std::size_t>(done);
    }
    ::close(handle);
    if (code != 0) return failed("read", path, code);
    return bytes;
}

Result<void> replaceFile(const std::filesystem::path& path, std::span<const std::byte> bytes, bool sync,
                         const std::string& ending) {
    std::filesystem::path fresh = path;
    fresh += ending;
    {
        Result<FileOutput> file = FileOutput::open(fresh, false);
        if (!file) return file.error();
        if (Result<void> written = file->writeAt(0, bytes); !written) return written;
        if (sync) {
            if (Result<void> flushed = file->sync(); !flushed) return flushed;
        }
    }
    return renamePath(fresh, path);
}

Result<void> syncFolder(const std::filesystem::path& folder) {
    const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle < 0) return failed("open", folder, errno);
    // Thousands of small files: the whole file system at once is quicker than each of them.
    const int code = ::syncfs(handle) == 0 ? 0 : errno;
    ::close(handle);
    if (code != 0) return failed("flush", folder, code);
    return {};
}

Result<void> replaceFolder(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code code;
    if (std::filesystem::is_empty(to, code) || !std::filesystem::exists(to, code))
        return renamePath(from, to);
    std::filesystem::path old = to;
    old += ".old";
    std::filesystem::remove_all(old, code);
    if (Result<void> moved = renamePath(to, old); !moved) return moved;
    if (Result<void> moved = renamePath(from, to); !moved) return moved;
    std::filesystem::remove_all(old, code);
    return {};
}

Result<void> renamePath(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0) return failed("take the place of the old one", to, errno);
    return {};
}

}  // namespace karst::heightfield
