// Crater logs of any bytes: an error, or valid craters that encode to the same bytes. Half of the inputs get
// a right hash, so that what lies behind it is reached.
#include <karst/base/hash.h>
#include <karst/heightfield/crater.h>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace karst::heightfield;
    if (size < 1) return 0;
    std::vector<std::byte> bytes(size - 1);
    for (std::size_t i = 1; i < size; ++i)
        bytes[i - 1] = static_cast<std::byte>(data[i]);
    if ((data[0] & 1) != 0 && bytes.size() >= 8) {
        const std::uint64_t hash = karst::Hasher().bytes(bytes.data(), bytes.size() - 8).value();
        for (std::size_t i = 0; i < 8; ++i)
            bytes[bytes.size() - 8 + i] = static_cast<std::byte>(hash >> (8 * i) & 0xff);
    }
    const auto craters = decodeCraters(bytes);
    if (!craters) {
        if (craters.error().message.empty()) std::abort();
        return 0;
    }
    for (const Crater& crater : *craters) {
        if (!validate(crater)) std::abort();
        const double offset = crater.offsetAt(crater.x, crater.z);
        if (!(offset <= crater.rimHeight && offset >= -crater.depth * (1 + 1e-9) - crater.rimHeight * 1e-9)) {
            std::abort();
        }
    }
    if (encodeCraters(*craters) != bytes) std::abort();
    return 0;
}
