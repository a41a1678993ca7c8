// .hgt and headerless files of any bytes under any layout. The first four bytes make the options, the first
// of them also whether it is a side-car JSON that is read.
#include "fuzz_support.h"
#include "sidecar.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace karst::importer;
    if (size < 4) return 0;
    const auto bytes = std::as_bytes(std::span(data + 4, size - 4));
    OpenRequest request;
    if (data[0] % 4 == 0) {
        request.path = (data[1] & 1) != 0 ? "N42E001.hgt" : "fuzz.hgt";
        readAll(openHgt(memoryBytes(bytes), request));
    } else if (data[0] % 4 == 1) {
        const std::string json(reinterpret_cast<const char*>(data + 4), size - 4);
        const auto sidecar = parseSidecar(json, "fuzz.json");
        if (sidecar) static_cast<void>(sidecar->range());
    } else {
        request.path = "fuzz.raw";
        RawLayout& layout = request.options.raw;
        if (data[0] % 4 == 2) layout.width = static_cast<std::int8_t>(data[1]);
        if ((data[0] & 16) != 0) layout.height = static_cast<std::int8_t>(data[2]);
        layout.type = static_cast<SampleType>(data[3] % 11);
        layout.channels = data[2] % 5;
        if ((data[0] & 32) != 0) layout.byteOrder = karst::ByteOrder::Big;
        if ((data[0] & 64) != 0) request.options.valueRange = karst::heightfield::HeightRange{-5, 70};
        request.options.southUp = (data[0] & 128) != 0;
        readAll(openRaw(memoryBytes(bytes), request));
    }
    return 0;
}
