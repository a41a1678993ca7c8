#include <karst/heightfield_build/package_files.h>

#include <charconv>
#include <string>

namespace karst::heightfield {
namespace {

// "<x>-<z>.ktile" as tilePath() writes it.
bool isTileOf(const PackageManifest& manifest, std::int32_t level, const std::string& name) {
    TileKey key{level, 0, 0};
    const char* const end = name.data() + name.size();
    const auto x = std::from_chars(name.data(), end, key.x);
    if (x.ec != std::errc() || x.ptr == end || *x.ptr != '-') return false;
    const auto z = std::from_chars(x.ptr + 1, end, key.z);
    if (z.ec != std::errc() || !manifest.layout.contains(key)) return false;
    return std::filesystem::path(tilePath(manifest, key)).filename() == name;
}

}  // namespace

PackageFiles countPackageFiles(const std::filesystem::path& package, const PackageManifest& manifest) {
    PackageFiles found;
    std::error_code code;
    const std::filesystem::path root =
        std::filesystem::is_directory(package, code) ? package : package.parent_path();
    const std::uint64_t manifestBytes = std::filesystem::file_size(root / kManifestName, code);
    if (!code) found.bytes = manifestBytes;
    for (std::int32_t level = 0; level <= manifest.layout.rootLevel(); ++level) {
        const std::filesystem::path folder = (root / tilePath(manifest, {level, 0, 0})).parent_path();
        std::filesystem::directory_iterator entry(folder, code);
        for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
            if (!isTileOf(manifest, level, entry->path().filename().string())) continue;
            std::error_code gone;
            const std::uint64_t bytes = std::filesystem::file_size(entry->path(), gone);
            if (gone) continue;
            ++found.tiles;
            found.bytes += bytes;
        }
    }
    return found;
}

}  // namespace karst::heightfield
