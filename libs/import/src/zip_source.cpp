#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "gdal_errors.h"
#include "message.h"
#include "npy_source.h"
#include "readers.h"

namespace karst::importer {
namespace {

constexpr std::size_t kMostEntries = 4096;

Result<std::vector<std::string>> entriesOf(const std::string& folder, const std::string& name) {
    const GdalErrors errors;
    char** list = VSIReadDirRecursive(folder.c_str());
    std::vector<std::string> entries;
    for (int i = 0; list != nullptr && list[i] != nullptr && entries.size() <= kMostEntries; ++i) {
        const std::string entry = list[i];
        const std::string_view file = fileName(entry);
        if (file.empty() || file.starts_with(".") || entry.starts_with("__MACOSX/")) continue;
        entries.push_back(entry);
    }
    CSLDestroy(list);
    if (entries.size() > kMostEntries) {
        return makeError(ErrorCode::TooLarge, "%s: more than %zu files inside; unpack the one you want",
                         name.c_str(), kMostEntries);
    }
    if (entries.empty()) {
        return makeError(ErrorCode::CorruptData, "%s: no files inside, or no zip%s; fetch it again",
                         name.c_str(), errors.because().c_str());
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

bool mayBeRaster(const std::string& entry) {
    constexpr std::array<std::string_view, 12> kExtensions{"hgt", "tif", "tiff", "dem", "asc", "png",
                                                           "exr", "npy", "raw",  "r16", "r32", "r8"};
    const std::string extension = extensionOf(entry);
    return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

/// A length that no deflated data of the archive's length can give is a lie.
Result<void> checkLength(const std::string& path, std::uint64_t archiveBytes, const std::string& name) {
    const GdalErrors errors;
    VSIStatBufL stat;
    if (VSIStatL(path.c_str(), &stat) != 0) {
        return makeError(ErrorCode::CorruptData, "%s: cannot look into it%s; fetch it again", name.c_str(),
                         errors.because().c_str());
    }
    constexpr std::uint64_t kMostRatio = 1100;  // deflate's best is 1032 to 1
    if (stat.st_size < 0 || static_cast<std::uint64_t>(stat.st_size) / kMostRatio > archiveBytes) {
        return makeError(ErrorCode::CorruptData,
                         "%s: claims %lld bytes inside an archive of %llu; fetch it again", name.c_str(),
                         static_cast<long long>(stat.st_size), static_cast<unsigned long long>(archiveBytes));
    }
    return {};
}

}  // namespace

SourceResult openZip(const OpenRequest& request) {
    if (request.path.starts_with("/vsizip/")) {
        return makeError(ErrorCode::Unsupported, "%s: an archive inside an archive; unpack the outer one",
                         request.path.c_str());
    }
    const auto archive = openFile(request.path);
    if (!archive) return archive.error();
    const std::uint64_t archiveBytes = (*archive)->size();
    // GDAL ends the archive's name at the brace that matches its own.
    if (std::count(request.path.begin(), request.path.end(), '{') !=
        std::count(request.path.begin(), request.path.end(), '}')) {
        return makeError(ErrorCode::Unsupported,
                         "%s: an archive with unmatched braces in its path; rename it", request.path.c_str());
    }
    const std::string folder = "/vsizip/{" + request.path + "}";
    const auto entries = entriesOf(folder, request.path);
    if (!entries) return entries.error();

    std::vector<std::string> rasters;
    std::vector<NpzMember> arrays;
    for (const std::string& entry : *entries) {
        if (!mayBeRaster(entry)) continue;
        rasters.push_back(entry);
        if (extensionOf(entry) == "npy") {
            arrays.push_back({entry.substr(0, entry.size() - 4), folder + "/" + entry});
        }
    }
    if (!arrays.empty() && arrays.size() == rasters.size()) {
        for (const NpzMember& member : arrays) {
            const auto sound = checkLength(member.path, archiveBytes, request.path);
            if (!sound) return sound.error();
        }
        return openNpz(arrays, request);
    }
    std::string chosen;
    std::string names;
    for (const std::string& entry : rasters) {
        if (names.size() < 500) names += (names.empty() ? "" : ", ") + shown(entry);
        if (!request.options.array.empty() &&
            (entry == request.options.array || fileName(entry) == request.options.array)) {
            chosen = entry;
        }
    }
    if (chosen.empty() && rasters.size() == 1) chosen = rasters[0];
    if (chosen.empty()) {
        return makeError(rasters.empty() ? ErrorCode::NotFound : ErrorCode::InvalidArgument, "%s: %s%s",
                         request.path.c_str(),
                         rasters.empty() ? "no file of a readable kind inside; unpack it"
                                         : "several files inside, name one as the array option: ",
                         names.c_str());
    }
    OpenRequest inner = request;
    inner.path = folder + "/" + chosen;
    if (inner.options.array == chosen || inner.options.array == fileName(chosen)) inner.options.array.clear();
    const auto sound = checkLength(inner.path, archiveBytes, request.path);
    if (!sound) return sound.error();
    return openByContent(inner);
}

}  // namespace karst::importer
