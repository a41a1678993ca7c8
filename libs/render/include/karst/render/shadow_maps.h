#pragma once

#include <karst/base/result.h>
#include <karst/render/device.h>
#include <karst/render/shadow_views.h>

#include <cstdint>
#include <memory>

namespace karst::render {

struct ShadowMapsDesc {
    int cascades = 0;                        ///< 0..kMaxCascades
    std::uint32_t cascadeResolution = 2048;  ///< texels along a side: 16 .. the device's limit
    int pointLights = 0;                     ///< that cast shadows: 0..kMaxPointLights
    std::uint32_t pointResolution = 512;     ///< texels along a side of a face: 16 .. the device's limit
};

/// The depth images that shadows are read from: an array of cascades and one of point lights' faces. Before
/// anything is drawn into them they shade nothing.
///
/// For each map: recordBegin, the casters' passes (PassKind::Shadow, 1 sample, D32_SFLOAT), recordEnd;
/// outside of another rendering scope, and before what reads them.
///
/// Memory: 4 bytes a texel on the device. Threads: one at a time.
class ShadowMaps {
  public:
    /// Fails with InvalidArgument for numbers outside their ranges, DeviceLost where memory is out.
    static Result<ShadowMaps> create(const VulkanDevice& device, const ShadowMapsDesc& desc);
    ShadowMaps(ShadowMaps&&) noexcept;
    ShadowMaps& operator=(ShadowMaps&&) noexcept;
    ~ShadowMaps();

    const ShadowMapsDesc& desc() const;
    /// What casters are drawn into.
    static PassTarget target();
    VkRect2D cascadeArea() const;
    VkRect2D faceArea() const;

    void recordBeginCascade(VkCommandBuffer commands, int cascade);
    /// `face`: 0..5 as pointLightFaces orders them.
    void recordBeginFace(VkCommandBuffer commands, int light, int face);
    void recordEnd(VkCommandBuffer commands);

    /// Makes the images readable before their first use; SceneUniforms::recordUpdate calls it.
    void recordFirstUse(VkCommandBuffer commands);

    VkImageView cascadesView() const;
    VkImageView facesView() const;
    VkSampler sampler() const;  ///< compares: 1 where what is asked for is not behind what the map holds

  private:
    struct Impl;
    explicit ShadowMaps(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
