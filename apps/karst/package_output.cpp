#include "package_output.h"

#include <karst/heightfield/package_reader.h>

#include "package_codecs.h"

namespace karst::tool {

using heightfield::CodecId;
using heightfield::PackageForm;

void PackageOutput::addArguments(Arguments& parser) {
    parser.option("--format", "FORM", "file or folder (file; folder for version 2 or a path that is one)",
                  [this](const std::string& text) -> Result<void> {
                      if (text != "file" && text != "folder") {
                          return makeError(ErrorCode::InvalidArgument, "'%s' is neither file nor folder",
                                           text.c_str());
                      }
                      form = text == "file" ? PackageForm::File : PackageForm::Folder;
                      return {};
                  });
    parser.option("--version", "N", "of the package: 2 or 3 (3)", intoInteger(version, 2, 3));
    parser.option("--codec", "NAME",
                  "none or zstd (" + std::string(codecName(defaultCodec())) + "; none for version 2)",
                  [this](const std::string& text) -> Result<void> {
                      codec = heightfield::codecFromName(text);
                      if (codec) return {};
                      return makeError(ErrorCode::InvalidArgument, "'%s' is neither none nor zstd",
                                       text.c_str());
                  });
    parser.flag("--force", "take the place of a package that is there", force);
}

Result<void> PackageOutput::resolve() {
    std::error_code code;
    if (!path.has_filename() && path.has_parent_path()) {  // "name/"
        path = path.parent_path();
        if (!form) form = PackageForm::Folder;
    }
    if (!version) version = 3;
    if (*version == 2) {
        if (form == PackageForm::File) {
            return makeError(ErrorCode::InvalidArgument, "a package of version 2 cannot be one file");
        }
        if (codec && *codec != CodecId::None) {
            return makeError(ErrorCode::InvalidArgument, "a package of version 2 is not compressed");
        }
        form = PackageForm::Folder;
        codec = CodecId::None;
    }
    if (!form) form = std::filesystem::is_directory(path, code) ? PackageForm::Folder : PackageForm::File;
    if (!codec) codec = defaultCodec();
    return {};
}

Result<void> PackageOutput::checkPlace() const {
    std::error_code code;
    const std::string name = path.string();
    const std::filesystem::path around = path.has_parent_path() ? path.parent_path() : ".";
    if (!std::filesystem::is_directory(around, code)) {
        return makeError(ErrorCode::NotFound, "%s: there is no folder %s", name.c_str(),
                         around.string().c_str());
    }
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, code))) return {};
    const bool folder = std::filesystem::is_directory(path, code);
    const bool empty = folder && std::filesystem::is_empty(path, code);
    if (empty && form == PackageForm::Folder) return {};
    if (!force) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: is there already; --force puts the new one in its place", name.c_str());
    }
    if (folder != (form == PackageForm::Folder)) {
        return makeError(ErrorCode::InvalidArgument, "%s: is a %s; the new package would be a %s",
                         name.c_str(), folder ? "folder" : "file", folder ? "file" : "folder");
    }
    // Nothing but a package is ever thrown away.
    if (const auto there = heightfield::PackageReader::open(path); !there) {
        return makeError(ErrorCode::InvalidArgument,
                         "%s: is no package (%s), so --force does not take its place", name.c_str(),
                         there.error().message.c_str());
    }
    return {};
}

std::unique_ptr<heightfield::TileSink> PackageOutput::makeSink() const {
    return form == PackageForm::File ? heightfield::makeFileSink(path) : heightfield::makeFolderSink(path);
}

}  // namespace karst::tool
