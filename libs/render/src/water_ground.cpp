#include "water_ground_impl.h"

#include <array>

#include "descriptor_set.h"

namespace karst::render {

namespace {

constexpr const char* kName = "karst water ground";
constexpr DescriptorBinding kBindings[] = {{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_SHADER_STAGE_FRAGMENT_BIT}};

}  // namespace

Result<VkDescriptorSetLayout> createWaterGroundLayout(const DeviceFunctions& fn) {
    return createSetLayout(fn, kName, kBindings);
}

WaterGround::Impl::~Impl() {
    if (pool) fn.DestroyDescriptorPool(fn.device, pool, nullptr);
    if (layout) fn.DestroyDescriptorSetLayout(fn.device, layout, nullptr);
}

WaterGround::WaterGround(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
WaterGround::WaterGround(WaterGround&&) noexcept = default;
WaterGround& WaterGround::operator=(WaterGround&&) noexcept = default;
WaterGround::~WaterGround() = default;

Result<WaterGround> WaterGround::create(const VulkanDevice& device, const WaterGroundDesc& desc) {
    if (!desc.depth) return makeError(ErrorCode::InvalidArgument, "water ground: the depth's view is null");
    auto fn = DeviceFunctions::load(device);
    if (!fn) return fn.error();
    auto impl = std::make_unique<Impl>(*fn);
    auto layout = createWaterGroundLayout(*fn);
    if (!layout) return layout.error();
    impl->layout = *layout;

    auto pool = createDescriptorPool(*fn, kName, kBindings, 1);
    if (!pool) return pool.error();
    impl->pool = *pool;
    auto set = allocateSet(*fn, kName, impl->pool, impl->layout);
    if (!set) return set.error();
    impl->set = *set;
    writeSet(*fn, impl->set, kBindings,
             std::array{DescriptorValue::of(VK_NULL_HANDLE, desc.depth, desc.layout)});
    return WaterGround(std::move(impl));
}

}  // namespace karst::render
