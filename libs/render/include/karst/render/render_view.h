#pragma once

#include <karst/base/camera_view.h>
#include <karst/base/frustum.h>
#include <karst/base/math.h>
#include <karst/render/device.h>

#include <cstdint>

namespace karst::render {

/// What a pass writes.
enum class PassKind : std::uint8_t {
    DepthPrepass,  ///< depth only; the passes after it test with greater-or-equal and so need no other state
    Lit,           ///< one colour, with light, shadows and haze; and depth
    GBuffer,       ///< the three colours of kGBufferFormats, without light; and depth
    Shadow,        ///< depth only, biased away from the light
    Wireframe,     ///< the triangles' edges as lines, into one colour; drawn over what Lit drew
    Overdraw,      ///< adds the same little light for every fragment, without a depth test
    Visibility,    ///< what is seen, into one colour that was cleared to 0; and depth
};
inline constexpr int kPassKinds = 7;

/// The colour of PassKind::Visibility, which a GroundShading lights. One sample a pixel.
inline constexpr VkFormat kVisibilityFormat = VK_FORMAT_R32_UINT;

/// The colours of PassKind::GBuffer.
/// 0: albedo in rgb (linear, encoded by the device), openness to the sky's light in a.
/// 1: the world-space shading normal, n * 0.5 + 0.5 in rgb.
/// 2: r roughness, g how much of the sun's light the clouds let through, b 1 for water.
inline constexpr VkFormat kGBufferFormats[3] = {VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_A2B10G10R10_UNORM_PACK32,
                                                VK_FORMAT_R8G8B8A8_UNORM};

/// What a pipeline is made for.
struct PassTarget {
    PassKind kind = PassKind::Lit;
    /// The colour matters for Lit, Wireframe and Overdraw; depth for all, samples for all but Visibility.
    AttachmentFormats formats;
};

/// One thing that is drawn into: the camera's picture, a shadow cascade, a face of a point light.
struct RenderView {
    Mat4f viewProjection;  ///< of positions relative to the scene's origin; reverse-Z
    Frustum frustum;       ///< in the world: what can be seen, or casts a shadow that can
    double texelSize = 0;  ///< cascades: world units that a texel covers; else 0
    bool camera = true;    ///< false for shadows
};

/// What all positions on the GPU are relative to while this camera's picture is made: the camera's position,
/// rounded to f32. Positions are subtracted from it in f64, so that a millimetre stays one far from the
/// world's origin (spec row HX3).
WorldPosition sceneOrigin(const CameraView& camera);

RenderView cameraView(const CameraView& camera);

}  // namespace karst::render
