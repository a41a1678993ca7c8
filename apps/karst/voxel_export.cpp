#include <karst/voxel_mesh/chunk_surface.h>
#include <karst/voxel_mesh/gltf_writer.h>
#include <karst/voxel_mesh/obj_writer.h>

#include <cstdio>
#include <filesystem>

#include "voxel_command.h"

namespace karst::tool {

int runVoxelExport(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "voxel export",
        "Writes the surface of a file of voxels for other programs: .glb (glTF 2.0) with a node\n"
        "for each chunk, or .obj with its .mtl beside. Y is up; colours are the materials'.");
    std::string file, output;
    std::optional<int> level;
    std::optional<Bounds> box;
    std::optional<Vec3d> origin;
    parser.positional("FILE", "a file of voxels", intoString(file));
    parser.positional("OUT", "what to write, *.glb or *.obj", intoString(output));
    parser.option("--level", "0..3", "of detail: each halves the samples along an axis (0)",
                  intoInteger(level, 0, voxel_mesh::kMeshLevels - 1));
    parser.option("--box", "X0,Y0,Z0,X1,Y1,Z1", "only the chunks that this box of the world meets",
                  intoBox(box));
    parser.option("--origin", "X,Y,Z", "the place in the world that becomes the file's 0,0,0",
                  intoPoint(origin));
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    const bool glb = output.ends_with(".glb");
    if (!glb && !output.ends_with(".obj")) {
        return usageError(parser, makeError(ErrorCode::InvalidArgument,
                                            "OUT: '%s' must end with .glb or .obj", output.c_str()));
    }

    auto store = voxel::VoxelStore::open(file, {.readOnly = true});
    if (!store) return failure(parser, file, store.error());
    const auto info = store->info();
    if (!info) return failure(parser, file, info.error());
    std::optional<voxel::ChunkBox> wanted;
    if (box) wanted = chunksAround(info->placement, *box);
    const auto grid = wanted ? store->load(withNeighbours(*wanted), externals) : store->load(externals);
    if (!grid) return failure(parser, file, grid.error());

    const voxel::GridSnapshot snapshot = grid->snapshot();
    std::vector<voxel::ChunkCoord> chunks = voxel_mesh::meshCandidates(snapshot);
    if (wanted) std::erase_if(chunks, [&](voxel::ChunkCoord c) { return !wanted->contains(c); });
    const auto meshes = voxel_mesh::buildSurfaces(snapshot, chunks, level.value_or(0), *externals.jobs);
    std::vector<voxel_mesh::PlacedSurface> surfaces;
    std::size_t vertices = 0, triangles = 0;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (meshes[i].empty()) continue;
        surfaces.push_back({chunks[i], &meshes[i]});
        vertices += meshes[i].vertices.size();
        triangles += meshes[i].indices.size() / 3;
    }
    const voxel_mesh::SurfaceExport all{surfaces, snapshot.placement(), snapshot.materials(),
                                        origin.value_or(Vec3d{})};
    if (glb) {
        const auto bytes = voxel_mesh::writeGlb(all);
        if (!bytes) return failure(parser, file, bytes.error());
        if (const auto written = writeFile(output, bytes->data(), bytes->size()); !written) {
            return failure(parser, output, written.error());
        }
    } else {
        const std::filesystem::path mtl = std::filesystem::path(output).replace_extension(".mtl");
        const std::string name = mtl.filename().string();
        const auto files = voxel_mesh::writeObj(all, {.materialFile = name});
        if (!files) return failure(parser, file, files.error());
        if (const auto written = writeFile(output, files->obj.data(), files->obj.size()); !written) {
            return failure(parser, output, written.error());
        }
        if (const auto written = writeFile(mtl.string(), files->mtl.data(), files->mtl.size()); !written) {
            return failure(parser, mtl.string(), written.error());
        }
    }
    std::printf("%s: %zu chunks, %zu vertices, %zu triangles\n", output.c_str(), surfaces.size(), vertices,
                triangles);
    return kOk;
}

}  // namespace karst::tool
