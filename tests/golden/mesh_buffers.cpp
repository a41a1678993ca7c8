#include "golden/mesh_buffers.h"

namespace karst::test {

Result<render::NodeMeshBuffers> buffersOf(app::VulkanContext& context, std::span<const std::byte> vertices,
                                          std::span<const std::byte> indices) {
    auto buffers = render::NodeMeshBuffers::create(
        context.description(), {.vertexBytes = vertices.size(), .indexBytes = indices.size()});
    if (!buffers) return buffers;
    if (auto put = buffers->uploadVertices(0, vertices); !put) return put.error();
    if (auto put = buffers->uploadIndices(0, indices); !put) return put.error();
    return buffers;
}

}  // namespace karst::test
