#include "voxel_pipeline.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace karst::render {

Result<PassPipeline> createVoxelPipeline(const DeviceFunctions& fn, const SceneUniforms& scene,
                                         VkDescriptorSetLayout poolLayout, const VoxelPipelineDesc& desc) {
    if (auto good = validate(fn, desc.target); !good) return good.error();
    const std::array bindings = {
        VkVertexInputBindingDescription{0, sizeof(GpuVoxelVertex), VK_VERTEX_INPUT_RATE_VERTEX}};
    const std::array attributes = {
        VkVertexInputAttributeDescription{0, 0, VK_FORMAT_R32G32_UINT, offsetof(GpuVoxelVertex, place)},
        VkVertexInputAttributeDescription{1, 0, VK_FORMAT_R16G16_SNORM, offsetof(GpuVoxelVertex, normal)},
        VkVertexInputAttributeDescription{2, 0, VK_FORMAT_R8G8B8A8_UINT, offsetof(GpuVoxelVertex, materials)},
        VkVertexInputAttributeDescription{3, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(GpuVoxelVertex, weights)},
        VkVertexInputAttributeDescription{4, 0, VK_FORMAT_R16_UINT, offsetof(GpuVoxelVertex, slot)},
        VkVertexInputAttributeDescription{5, 0, VK_FORMAT_R8G8_UNORM, offsetof(GpuVoxelVertex, light)}};
    PassPipelineDesc pass;
    pass.name = desc.name;
    pass.target = desc.target;
    pass.vertex = desc.vertex;
    const PassKind kind = desc.target.kind;
    // Lines blend, as their own lit pass does.
    pass.fragment = fragmentOf({kind == PassKind::Wireframe ? PassKind::Lit : kind, desc.target.formats},
                               kind == PassKind::Wireframe ? desc.wireframe : desc.lit, desc.gbuffer);
    if (kind == PassKind::Visibility) pass.fragment = desc.visibility;
    pass.setLayout = scene.descriptorSetLayout();
    pass.ownSet = poolLayout;
    pass.thirdSet = desc.groundSet;
    if (kind != PassKind::Visibility) {
        pass.bindings = bindings;
        pass.attributes = attributes;
    }
    pass.blend = kind == PassKind::Wireframe || (desc.translucent && kind == PassKind::Lit);
    pass.writeDepth = !pass.blend;
    return createPassPipeline(fn, pass);
}

gpu::GpuVoxelPush voxelPushOf(WorldPosition origin, const voxel::GridPlacement& placement,
                              double wavePeriod) {
    const Vec3d cells = (origin - placement.origin) * (1.0 / placement.cellSize);
    // Far beyond the grid nothing of it is seen; the numbers stay within an int.
    const auto whole = [](double v) { return std::floor(std::fmin(std::fmax(v, -1e9), 1e9)); };
    const Vec3d first{whole(cells.x), whole(cells.y), whole(cells.z)};
    const auto inPeriod = [&](double v) {
        return static_cast<float>(v - wavePeriod * std::floor(v / wavePeriod));
    };
    gpu::GpuVoxelPush push;
    push.originCell = {static_cast<int>(first.x), static_cast<int>(first.y), static_cast<int>(first.z), 0};
    const Vec3f rest = toFloat(cells - first);
    push.origin = {rest.x, rest.y, rest.z, static_cast<float>(placement.cellSize)};
    push.waveOrigin = {inPeriod(origin.x), inPeriod(origin.z), 0, 0};
    return push;
}

void bindVoxelPass(const DeviceFunctions& fn, const PassPipeline& pipeline, VkCommandBuffer commands,
                   const SceneUniforms& scene, const RenderView& view, VkDescriptorSet poolSet,
                   const voxel::GridPlacement& placement, double wavePeriod, VkRect2D area) {
    bindPass(fn, pipeline, commands, scene, view, area);
    fn.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 1, 1, &poolSet, 0,
                             nullptr);
    const gpu::GpuVoxelPush push = voxelPushOf(scene.origin(), placement, wavePeriod);
    static_assert(kOwnPushOffset + sizeof(push) <= kPushBytes);
    fn.CmdPushConstants(commands, pipeline.layout, kPushStages, kOwnPushOffset, sizeof(push), &push);
}

}  // namespace karst::render
