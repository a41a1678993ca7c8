// Exits with 0 if the surfaces of the benchmark's chunks have the golden bits.
#include <cstdio>

#include "surface_golden.h"

int main() {
    const std::uint64_t hash = karst::voxel_mesh::test::goldenSurfaceHash();
    std::printf("0x%llx\n", static_cast<unsigned long long>(hash));
    return hash == karst::voxel_mesh::test::kGoldenSurface ? 0 : 1;
}
