// Voxel ground: fills a block of it, digs a hole, meshes what changed and writes the surface as a .glb.
#include <karst/voxel/fill_shapes.h>
#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/gltf_writer.h>

#include <cstdio>
#include <map>

using namespace karst;

int main(int count, char** arguments) {
    voxel::Grid grid = voxel::Grid::create({}).value();  // cells of 4 units, the standard materials
    const voxel::MaterialId grass = *grid.materials().find("grass"), rock = *grid.materials().find("rock");
    auto edit = voxel::fillBlock(grid, {{0, -40, 0}, {}}, {300, 80, 300}, rock);
    if (edit) edit = voxel::fillBlock(grid, {{0, -4, 0}, {}}, {300, 8, 300}, grass);
    if (!edit) return std::puts(edit.error().message.c_str()), 1;

    // A reader remembers a generation and a revision, and asks what changed since.
    const voxel::GridSnapshot before = grid.snapshot();
    std::map<voxel::ChunkCoord, voxel_mesh::SurfaceMesh> surfaces;
    voxel_mesh::ChunkMesher mesher;
    for (const voxel::ChunkCoord chunk : voxel_mesh::meshCandidates(before))
        mesher.build(before, chunk, 0, surfaces[chunk]);

    edit = voxel::fillBall(grid, {20, 0, 10}, 40, voxel::kAir);  // dig
    if (!edit) return std::puts(edit.error().message.c_str()), 1;
    const voxel::GridChanges changes = grid.changesSince(before.generation(), before.revision());
    const auto stale = voxel::invalidatedChunks(changes, 0);
    const voxel::GridSnapshot after = grid.snapshot(stale);  // shares the cells of these and their neighbours
    for (const voxel::ChunkCoord chunk : stale)
        mesher.build(after, chunk, 0, surfaces[chunk]);
    std::printf("%lld cells dug out, %zu chunks of %zu meshed again\n",
                static_cast<long long>(edit->changedCells), stale.size(), surfaces.size());

    std::vector<voxel_mesh::PlacedSurface> placed;
    for (const auto& [chunk, mesh] : surfaces)
        placed.push_back({chunk, &mesh});
    const auto glb = voxel_mesh::writeGlb({placed, grid.placement(), grid.materials(), {}});
    if (!glb) return std::puts(glb.error().message.c_str()), 1;
    std::FILE* file = std::fopen(count > 1 ? arguments[1] : "hole.glb", "wb");
    if (!file) return std::puts("the .glb cannot be written"), 1;
    const bool written = std::fwrite(glb->data(), 1, glb->size(), file) == glb->size();
    return std::fclose(file) == 0 && written ? 0 : 1;
}
