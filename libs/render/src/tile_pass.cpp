#include <embedded_shaders.h>
#include <karst/heightfield_mesh/tile_record.h>

#include <array>
#include <cstddef>

#include "tile_pass_impl.h"

namespace karst::render {

using heightfield::TileRecord;

TilePass::Impl::~Impl() {
    destroyPassPipeline(fn, solid);
    destroyPassPipeline(fn, gaps);
    if (setLayout) fn.DestroyDescriptorSetLayout(fn.device, setLayout, nullptr);
}

TilePass::TilePass(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
TilePass::TilePass(TilePass&&) noexcept = default;
TilePass& TilePass::operator=(TilePass&&) noexcept = default;
TilePass::~TilePass() = default;

Result<VkDescriptorSetLayout> createTileSetLayout(const DeviceFunctions& fn) {
    return createSetLayout(fn, kTileSetName, kTileBindings);
}

namespace {

ShaderCode gapsFragmentOf(const PassTarget& target, const ShaderCode& surface) {
    switch (target.kind) {
        case PassKind::Wireframe:
            return {kTileGapsWireframeFrag, kTileGapsWireframeFragBytes};
        case PassKind::Overdraw:
            return {kTileGapsOverdrawFrag, kTileGapsOverdrawFragBytes};
        case PassKind::DepthPrepass:
        case PassKind::Shadow:
            return {kTileGapsDepthFrag, kTileGapsDepthFragBytes};
        default:
            return surface;
    }
}

}  // namespace

Result<TilePass> TilePass::create(const VulkanDevice& device, const SceneUniforms& scene,
                                  const TilePassDesc& desc) {
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    if (auto good = validate(*fn, desc.target); !good) return good.error();
    auto impl = std::make_unique<Impl>(*fn);
    impl->target = desc.target;
    auto setLayout = createTileSetLayout(*fn);
    if (!setLayout) return setLayout.error();
    impl->setLayout = *setLayout;

    constexpr VkVertexInputRate kTile = VK_VERTEX_INPUT_RATE_INSTANCE;
    const std::array bindings = {VkVertexInputBindingDescription{0, sizeof(TileRecord), kTile}};
    const std::array attributes = {
        VkVertexInputAttributeDescription{0, 0, VK_FORMAT_R32G32_SINT, offsetof(TileRecord, x)},
        VkVertexInputAttributeDescription{1, 0, VK_FORMAT_R32_UINT, offsetof(TileRecord, bits)},
        VkVertexInputAttributeDescription{2, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(TileRecord, detail)},
        VkVertexInputAttributeDescription{3, 0, VK_FORMAT_R32G32B32_UINT, offsetof(TileRecord, corners)},
        VkVertexInputAttributeDescription{4, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(TileRecord, edges)}};
    const bool surface = desc.target.kind == PassKind::Lit || desc.target.kind == PassKind::GBuffer;
    PassPipelineDesc pass;
    pass.name = "karst tiles";
    pass.target = desc.target;
    pass.setLayout = scene.descriptorSetLayout();
    pass.ownSet = impl->setLayout;
    pass.bindings = bindings;
    pass.attributes = attributes;
    pass.vertex =
        surface ? ShaderCode{kTileVert, kTileVertBytes} : ShaderCode{kTileDepthVert, kTileDepthVertBytes};
    pass.fragment =
        fragmentOf(desc.target, {kTileFrag, kTileFragBytes}, {kTileGbufferFrag, kTileGbufferFragBytes});
    if (desc.target.kind == PassKind::Visibility)
        pass.fragment = {kTileVisibilityFrag, kTileVisibilityFragBytes};
    const ShaderCode whole = pass.fragment;
    auto solid = createPassPipeline(*fn, pass);
    if (!solid) return solid.error();
    impl->solid = *solid;
    pass.name = "karst tiles with gaps";
    pass.fragment = gapsFragmentOf(desc.target, whole);
    pass.fragment.constant1 = VK_TRUE;
    auto gaps = createPassPipeline(*fn, pass);
    if (!gaps) return gaps.error();
    impl->gaps = *gaps;
    return TilePass(std::move(impl));
}

}  // namespace karst::render
