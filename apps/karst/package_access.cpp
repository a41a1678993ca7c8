#include "package_access.h"

#ifdef KARST_HAVE_HTTP
#include <karst/http/package_url.h>
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
    return http::openPackageUrl(package, std::move(codec), {}, externals);
#else
    static_cast<void>(externals);
    return makeError(ErrorCode::Unsupported, "%s: this karst was built without HTTP", package.c_str());
#endif
}

}  // namespace karst::tool
