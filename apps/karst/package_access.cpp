#include "package_access.h"

#ifdef KARST_HAVE_HTTP
#include <karst/http/http_byte_source.h>
#endif

#include "package_codecs.h"

namespace karst::tool {

using namespace heightfield;

Result<std::unique_ptr<PackageTileSource>> openTileSource(const std::string& package,
                                                          const Externals& externals) {
    std::unique_ptr<BlockCodec> codec;
    if (const auto maker = codecMaker(defaultCodec()); maker && *maker) codec = (*maker)();
    if (!package.starts_with("http://") && !package.starts_with("https://")) {
        return openPackage(package, std::move(codec));
    }
#ifdef KARST_HAVE_HTTP
    std::string base = package, file;
    if (package.ends_with(".karst")) {
        const std::size_t slash = package.rfind('/');
        base = package.substr(0, slash);
        file = package.substr(slash + 1);
    } else if (const std::string manifest = "/" + std::string(kManifestName); package.ends_with(manifest)) {
        base = package.substr(0, package.size() - manifest.size());
    }
    Result<std::unique_ptr<http::HttpByteSource>> bytes = http::HttpByteSource::create(base, {}, externals);
    if (!bytes) return bytes.error();
    return std::make_unique<PackageTileSource>(
        std::move(*bytes), file.empty() ? PackageForm::Folder : PackageForm::File, std::move(codec), file);
#else
    static_cast<void>(externals);
    return makeError(ErrorCode::Unsupported, "%s: this karst was built without HTTP", package.c_str());
#endif
}

}  // namespace karst::tool
