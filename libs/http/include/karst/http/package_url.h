#pragma once

#include <karst/heightfield/package_tile_source.h>
#include <karst/http/http_byte_source.h>

#include <memory>
#include <string>

namespace karst::http {

/// The tiles of a package at a URL: of its folder, of the folder's terrain.json, or of a single file, whose
/// name must end with .karst. The manifest comes later: PackageTileSource::update until it is ready. `codec`
/// as for PackageTileSource. Errors of HttpByteSource::create.
Result<std::unique_ptr<heightfield::PackageTileSource>> openPackageUrl(
    const std::string& url, std::unique_ptr<heightfield::BlockCodec> codec = nullptr,
    const HttpOptions& options = {}, const Externals& externals = {});

}  // namespace karst::http
