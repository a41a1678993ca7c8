#include "mesh_publisher.h"

#include <memory>
#include <utility>

namespace karst::voxel_stream {

using voxel::ChunkCoord;

namespace {

template <class Mesh>
std::size_t bytesOf(const Mesh& mesh) {
    return mesh.vertices.size() * sizeof(mesh.vertices[0]) + mesh.indices.size() * sizeof(mesh.indices[0]);
}

template <class Mesh>
std::size_t heldBytes(const std::shared_ptr<const Mesh>& mesh) {
    if (mesh == nullptr) return 0;
    return sizeof(Mesh) + mesh->vertices.capacity() * sizeof(mesh->vertices[0]) +
           mesh->indices.capacity() * sizeof(mesh->indices[0]);
}

/// Null for an empty one.
template <class Mesh>
std::shared_ptr<const Mesh> held(Mesh&& mesh) {
    return mesh.empty() ? nullptr : std::make_shared<const Mesh>(std::move(mesh));
}

}  // namespace

void MeshPublisher::publish(MeshWorkshop& workshop, MeshQueue& queue, StreamUpdate& update) {
    std::uint64_t begin = 0;
    for (std::uint32_t taken = 0; taken < m_options.resultsPerStep; ++taken) {
        if (taken > 0 && m_clock->nowNanoseconds() - begin >= m_options.nanoseconds) return;
        std::optional<MeshResult> result = workshop.next();
        if (!result) return;
        if (taken == 0) begin = m_clock->nowNanoseconds();
        if (!queue.current(result->request)) {
            ++update.stale;
        } else if (result->abandoned) {
            queue.putBack(result->request);
        } else {
            queue.finish(result->request);
            show(*result);
            ++update.published;
        }
    }
}

void MeshPublisher::show(MeshResult& result) {
    const MeshRequest& request = result.request;
    Record& record = m_records[request.chunk];
    const bool wasShown = record.shown();
    record.level = request.level;
    if (request.solid) record.solidBytes = bytesOf(result.solid);
    if (request.water) record.waterBytes = bytesOf(result.water);
    if (record.shown()) {
        m_sink->show(request.chunk, request.level, request.solid ? &result.solid : nullptr,
                     request.water ? &result.water : nullptr);
    } else if (wasShown) {
        m_sink->drop(request.chunk);
    }
    if (m_options.keepGeometry) keep(result, record);
}

void MeshPublisher::keep(MeshResult& result, Record& record) const {
    record.geometry.level = record.level;
    if (result.request.solid) {
        result.solid.vertices.resize(result.solidVertices);
        result.solid.indices.resize(result.solidIndices);
        record.geometry.solid = held(std::move(result.solid));
    }
    if (result.request.water) record.geometry.water = held(std::move(result.water));
}

void MeshPublisher::drop(ChunkCoord chunk) {
    const auto place = m_records.find(chunk);
    if (place == m_records.end()) return;
    const bool shown = place->second.shown();
    m_records.erase(place);
    if (shown) m_sink->drop(chunk);
}

void MeshPublisher::addStats(StreamStats& stats) const {
    for (const auto& [chunk, record] : m_records) {
        if (!record.shown()) {
            ++stats.empty;
            continue;
        }
        ++stats.shown;
        ++stats.levels[static_cast<std::size_t>(record.level)];
        stats.shownBytes += record.solidBytes + record.waterBytes;
        stats.geometryBytes += heldBytes(record.geometry.solid) + heldBytes(record.geometry.water);
    }
}

DisplayedGeometry MeshPublisher::displayed(ChunkCoord chunk) const {
    const auto place = m_records.find(chunk);
    return place == m_records.end() ? DisplayedGeometry() : place->second.geometry;
}

}  // namespace karst::voxel_stream
