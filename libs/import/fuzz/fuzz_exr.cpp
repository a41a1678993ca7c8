// EXR files of any bytes: an error or a raster that keeps its promises.
#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace karst::importer;
    OpenRequest request;
    request.path = "fuzz.exr";
    readAll(openExr(memoryBytes(std::as_bytes(std::span(data, size))), request));
    return 0;
}
