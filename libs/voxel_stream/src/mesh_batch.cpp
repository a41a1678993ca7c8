#include <karst/voxel_stream/mesh_batch.h>

#include "mesh_workshop.h"

#include <utility>

namespace karst::voxel_stream {

MeshBatch::MeshBatch(std::shared_ptr<MeshWorkshop> workshop, voxel::GridSnapshot snapshot,
                     std::vector<MeshRequest> requests)
    : m_workshop(std::move(workshop)), m_snapshot(std::move(snapshot)), m_requests(std::move(requests)) {}

MeshBatch::~MeshBatch() {
    if (m_started || m_workshop->closed()) return;
    for (const MeshRequest& request : m_requests) {
        MeshResult result;
        result.request = request;
        result.abandoned = true;
        m_workshop->put(std::move(result));
    }
}

void MeshBatch::run() {
    if (m_started.exchange(true)) return;
    std::unique_ptr<MeshWorkshop::Tools> tools = m_workshop->take();
    for (const MeshRequest& request : m_requests) {
        if (m_workshop->closed()) break;
        m_workshop->put(m_workshop->make(*tools, m_snapshot, request));
    }
    m_workshop->giveBack(std::move(tools));
    // Whoever holds the batch on does not hold the grid's chunks.
    m_snapshot = voxel::GridSnapshot();
}

}  // namespace karst::voxel_stream
