#pragma once

#include <karst/base/checksum.h>
#include <karst_test/run_codec.h>

#include <cstddef>
#include <span>
#include <vector>

// What tests and fuzzers share.
namespace karst::heightfield::test_data {

/// Makes the checksum at `field` right again, so that a test reaches what lies behind it.
inline void reseal(std::vector<std::byte>& bytes, std::size_t field) {
    const std::span<const std::byte> all(bytes);
    const std::uint64_t sum = xxh64(all.subspan(field + 4), xxh64(all.first(field)));
    for (std::size_t i = 0; i < 4; ++i)
        bytes[field + i] = static_cast<std::byte>(sum >> (8 * i));
}

}  // namespace karst::heightfield::test_data
