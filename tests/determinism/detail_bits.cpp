// Exits with 0 if synthesised detail, craters and error tables have the golden bits.
#include <cstdio>

#include "detail_golden.h"

int main() {
    const std::uint64_t hash = karst::test::goldenDetailHash(karst::inlineJobSystem());
    std::printf("0x%llx\n", static_cast<unsigned long long>(hash));
    return hash == karst::test::kGoldenDetail ? 0 : 1;
}
