// Input: a manifest's JSON. What parses is written again and parses to the same manifest.
#include "fuzz_layouts.h"
#include "json.h"

#include <karst/heightfield/package_format.h>

using namespace karst;
using namespace karst::heightfield;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const PackageForm form : {PackageForm::Folder, PackageForm::File}) {
        const Result<PackageManifest> manifest = parseManifest(text, form);
        if (!manifest) {
            fuzz::demand(manifest.error().message.rfind("manifest: ", 0) == 0);
            continue;
        }
        fuzz::demand(validate(manifest->layout).ok());
        const Result<PackageManifest> back = parseManifest(writeManifest(*manifest, form), form);
        fuzz::demand(back.ok() && *back == *manifest);
        fuzz::demand(tilePath(*manifest, {0, 0, 0}).find("..") == std::string::npos ||
                     validateTilesPath(manifest->tiles).ok());
    }
    // Any text's values, whatever they are called.
    const Result<JsonDocument> document = JsonDocument::parse(text, "text");
    if (document && document->root().kind() == JsonKind::Array) {
        std::uint32_t count = 0;
        for (auto item = document->root().first(); item; item = item->next())
            ++count;
        fuzz::demand(count == document->root().size());
    }
    return 0;
}
