#include <karst/http/package_url.h>

namespace karst::http {

using namespace heightfield;

Result<std::unique_ptr<PackageTileSource>> openPackageUrl(const std::string& url,
                                                          std::unique_ptr<BlockCodec> codec,
                                                          const HttpOptions& options,
                                                          const Externals& externals) {
    std::string base = url, file;
    const std::size_t slash = url.rfind('/');
    if (url.ends_with(".karst") && slash != std::string::npos) {
        base = url.substr(0, slash);
        file = url.substr(slash + 1);
    } else if (slash != std::string::npos && url.substr(slash + 1) == kManifestName) {
        base = url.substr(0, slash);
    }
    Result<std::unique_ptr<HttpByteSource>> bytes = HttpByteSource::create(base, options, externals);
    if (!bytes) return bytes.error();
    return std::make_unique<PackageTileSource>(
        std::move(*bytes), file.empty() ? PackageForm::Folder : PackageForm::File, std::move(codec), file);
}

}  // namespace karst::http
