#include "crater_log_file.h"

#include <fcntl.h>
#include <karst/base/file_byte_source.h>
#include <karst/heightfield/package_format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace karst::tool {

namespace fs = std::filesystem;

namespace {

Error cannotWrite(const fs::path& path, int reason) {
    return makeError(ErrorCode::Io, "%s: the craters cannot be written there: %s", path.c_str(),
                     std::strerror(reason));
}

// All of the bytes, on the disk; 0 or the reason why not.
int writeAll(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return ::fsync(file) == 0 ? 0 : errno;
}

}  // namespace

fs::path craterLogOf(const std::string& ground) {
    if (ground.empty() || ground.starts_with("http://") || ground.starts_with("https://")) return {};
    std::error_code code;
    fs::path path = fs::absolute(ground, code).lexically_normal();
    if (code) return {};
    if (!path.has_filename()) path = path.parent_path();  // "name/"
    if (path.filename() == heightfield::kManifestName) path = path.parent_path();
    if (!path.has_filename()) return {};  // the root folder
    path += ".craters";
    return path;
}

Result<std::vector<heightfield::Crater>> readCraterLog(const fs::path& path) {
    std::error_code code;
    if (!fs::exists(path, code)) return makeError(ErrorCode::NotFound, "%s: no such file", path.c_str());
    const auto bytes = readFileRange(path, {"", 0, ByteRange::kToEnd});
    if (!bytes) return bytes.error();
    auto craters = heightfield::decodeCraters(*bytes);
    if (!craters) return Error{craters.error().code, path.string() + ": " + craters.error().message};
    return craters;
}

Result<void> writeCraterLog(const fs::path& path, std::span<const heightfield::Crater> craters) {
    std::error_code code;
    if (fs::exists(fs::symlink_status(path, code))) {
        if (const auto there = readCraterLog(path); !there) {
            return makeError(ErrorCode::InvalidArgument,
                             "%s: is no log of craters, so it is not written over (%s)", path.c_str(),
                             there.error().message.c_str());
        }
    }
    // A link keeps pointing where it does.
    fs::path target = fs::weakly_canonical(path, code);
    if (code) target = path;
    const fs::path partial = target.string() + ".partial";
    const int file = ::open(partial.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0) return cannotWrite(path, errno);
    int reason = writeAll(file, heightfield::encodeCraters(craters));
    if (::close(file) != 0 && reason == 0) reason = errno;
    if (reason == 0 && ::rename(partial.c_str(), target.c_str()) != 0) reason = errno;
    if (reason == 0) return {};
    ::unlink(partial.c_str());
    return cannotWrite(path, reason);
}

}  // namespace karst::tool
