// Input: a .vox file. What is read of it must hold together.
#include <karst/voxel/magica_voxel.h>

#include <cstdlib>

using namespace karst;
using namespace karst::voxel;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    MagicaVoxelLimits limits;
    limits.maxCells = 1 << 20;
    limits.maxInstances = 4096;
    const auto scene = readMagicaVoxel({reinterpret_cast<const std::byte*>(data), size}, limits);
    if (!scene) {
        if (scene.error().message.empty()) std::abort();
        return 0;
    }
    const CellBox bounds = scene->bounds();
    std::uint64_t cells = 0;
    for (const MagicaVoxelInstance& instance : scene->instances) {
        if (instance.model >= scene->models.size()) std::abort();
        for (const MagicaVoxelCell& cell : scene->models[instance.model].cells) {
            ++cells;
            if (cell.color == 0 || !bounds.contains(scene->cellOf(instance, cell))) std::abort();
        }
    }
    if (cells > limits.maxCells || scene->instances.size() > limits.maxInstances) std::abort();
    return 0;
}
