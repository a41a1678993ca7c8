#pragma once

#include <common/picture_renderer.h>

#include <cstddef>
#include <span>

namespace karst::test {

/// Buffers that hold the whole of a mesh, given but not yet recorded.
Result<render::NodeMeshBuffers> buffersOf(app::VulkanContext& context, std::span<const std::byte> vertices,
                                          std::span<const std::byte> indices);

}  // namespace karst::test
