#include <karst/heightfield/package_format.h>

#include <filesystem>

#include "ground_picture.h"

namespace karst::tool {

using namespace heightfield;

bool looksLikePackage(const std::string& file) {
    if (file.starts_with("http://") || file.starts_with("https://")) return true;
    std::error_code code;
    const std::filesystem::path path(file);
    if (std::filesystem::is_directory(path, code)) return true;
    return path.filename() == kManifestName || path.extension() == ".karst";
}

}  // namespace karst::tool
