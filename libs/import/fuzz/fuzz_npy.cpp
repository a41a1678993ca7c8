// numpy arrays of any bytes: an error or a raster that keeps its promises. The first byte picks the
// direction.
#include "fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace karst::importer;
    if (size < 1) return 0;
    OpenRequest request;
    request.path = "fuzz.npy";
    request.options.southUp = (data[0] & 1) != 0;
    if ((data[0] & 2) != 0) request.options.valueRange = karst::heightfield::HeightRange{-5, 70};
    readAll(openNpy(memoryBytes(std::as_bytes(std::span(data + 1, size - 1))), request));
    return 0;
}
