#pragma once

#include <karst/heightfield/package_format.h>

#include <filesystem>

namespace karst::heightfield {

/// What the user's path to a package means: a byte source's root, and the form.
struct PackagePath {
    std::filesystem::path root;
    PackageForm form = PackageForm::Folder;
};

inline PackagePath packagePath(const std::filesystem::path& path) {
    std::error_code code;
    if (path.filename() == kManifestName) {
        return {path.has_parent_path() ? path.parent_path() : std::filesystem::path("."),
                PackageForm::Folder};
    }
    return {path, std::filesystem::is_directory(path, code) ? PackageForm::Folder : PackageForm::File};
}

}  // namespace karst::heightfield
