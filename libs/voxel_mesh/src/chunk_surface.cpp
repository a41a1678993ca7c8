#include <karst/voxel_mesh/chunk_surface.h>

#include "mesher_pool.h"

#include <karst/base/assert.h>

namespace karst::voxel_mesh {

ChunkMesher::ChunkMesher(const SurfaceOptions& options, Allocator& allocator)
    : m_options(options),
      m_samples(kMaxFieldSamples, allocator),
      m_materials(kMaxFieldSamples, allocator),
      m_workspace(options.nets.manifold, allocator),
      m_writer(allocator) {
    // The writer wants them, and the extractor makes them several at once.
    m_options.nets.unitNormals = true;
}

void ChunkMesher::build(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk, int level,
                        SurfaceMesh& out) {
    out.level = level;
    out.vertices.clear();
    out.indices.clear();
    const FieldContent content =
        samplePaddedField(grid, chunk, level, m_samples, m_materials, {}, m_options.vote);
    if (content != FieldContent::Mixed) return;

    FieldView field;
    field.samples = m_samples.data();
    field.materials = m_materials.data();
    field.size = samplesPerAxis(level);
    field.padding = kFieldPadding;
    const Result<RawSurface> raw = extractSurface(field, m_options.nets, m_workspace.buffers());
    KARST_ASSERT(raw.ok());
    const Result<void> written = m_writer.writeMesh(field, *raw, level, out);
    KARST_ASSERT(written.ok());
}

std::vector<SurfaceMesh> buildSurfaces(const voxel::GridSnapshot& grid,
                                       std::span<const voxel::ChunkCoord> chunks, int level, JobSystem& jobs,
                                       const SurfaceOptions& options) {
    std::vector<SurfaceMesh> out(chunks.size());
    MesherPool pool(options, heapAllocator());
    // A surface takes some ten to a few hundred microseconds, so a short run of them is work enough.
    constexpr std::size_t kGrain = 4;
    jobs.parallelFor(chunks.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        std::unique_ptr<ChunkMesher> mesher = pool.take();
        for (std::size_t i = begin; i < end; ++i)
            mesher->build(grid, chunks[i], level, out[i]);
        pool.giveBack(std::move(mesher));
    });
    return out;
}

}  // namespace karst::voxel_mesh
