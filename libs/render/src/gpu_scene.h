#pragma once

#include <karst/base/result.h>
#include <karst/render/scene_settings.h>
#include <karst/render/shadow_maps.h>

#include "../shaders/gpu_types.h"

namespace karst::render {

/// The settings as the shaders read them; refuses by name what is outside its range.
Result<gpu::GpuScene> gpuSceneOf(const SceneSettings& settings, const ShadowMapsDesc& maps);

}  // namespace karst::render
