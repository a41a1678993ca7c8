#include "shader_code.h"

namespace karst::render {

Result<VkShaderModule> createShaderModule(const DeviceFunctions& fn, const char* name,
                                          const ShaderCode& code) {
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = code.bytes;
    info.pCode = code.words;
    VkShaderModule module = VK_NULL_HANDLE;
    const VkResult result = fn.CreateShaderModule(fn.device, &info, nullptr, &module);
    if (result != VK_SUCCESS) return vulkanError("vkCreateShaderModule", name, result);
    fn.setName(VK_OBJECT_TYPE_SHADER_MODULE, module, name);
    return module;
}

}  // namespace karst::render
