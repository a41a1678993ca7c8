#pragma once

#include "device_functions.h"

namespace karst::render {

/// Names what is recorded in its scope in debuggers and captures; nothing where VK_EXT_debug_utils is off.
class DebugLabel {
  public:
    DebugLabel(const DeviceFunctions& fn, VkCommandBuffer commands, const char* name)
        : m_fn(fn), m_commands(commands) {
        if (!fn.CmdBeginDebugUtilsLabelEXT) return;
        VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
        label.pLabelName = name;
        fn.CmdBeginDebugUtilsLabelEXT(commands, &label);
    }
    ~DebugLabel() {
        if (m_fn.CmdEndDebugUtilsLabelEXT) m_fn.CmdEndDebugUtilsLabelEXT(m_commands);
    }
    DebugLabel(const DebugLabel&) = delete;
    DebugLabel& operator=(const DebugLabel&) = delete;

  private:
    const DeviceFunctions& m_fn;
    VkCommandBuffer m_commands;
};

}  // namespace karst::render
