#include "water_ground_impl.h"

namespace karst::render {

namespace {

constexpr const char* kName = "karst water ground";

}  // namespace

Result<VkDescriptorSetLayout> createWaterGroundLayout(const DeviceFunctions& fn) {
    VkDescriptorSetLayoutBinding binding{};
    binding.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = 1;
    info.pBindings = &binding;
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    const VkResult code = fn.CreateDescriptorSetLayout(fn.device, &info, nullptr, &layout);
    if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorSetLayout", kName, code);
    fn.setName(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, layout, kName);
    return layout;
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

    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = 1;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    VkResult code = fn->CreateDescriptorPool(fn->device, &poolInfo, nullptr, &impl->pool);
    if (code != VK_SUCCESS) return vulkanError("vkCreateDescriptorPool", kName, code);
    fn->setName(VK_OBJECT_TYPE_DESCRIPTOR_POOL, impl->pool, kName);

    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = impl->pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &impl->layout;
    code = fn->AllocateDescriptorSets(fn->device, &allocate, &impl->set);
    if (code != VK_SUCCESS) return vulkanError("vkAllocateDescriptorSets", kName, code);
    fn->setName(VK_OBJECT_TYPE_DESCRIPTOR_SET, impl->set, kName);

    const VkDescriptorImageInfo image{VK_NULL_HANDLE, desc.depth, desc.layout};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = impl->set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    write.pImageInfo = &image;
    fn->UpdateDescriptorSets(fn->device, 1, &write, 0, nullptr);
    return WaterGround(std::move(impl));
}

}  // namespace karst::render
