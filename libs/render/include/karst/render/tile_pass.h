#pragma once

#include <karst/base/result.h>
#include <karst/render/render_view.h>
#include <karst/render/scene_uniforms.h>

#include <memory>

namespace karst::render {

struct TilePassDesc {
    PassTarget target;
};

/// The pipelines that draw height tiles into one kind of target; any TileTerrain draws with it.
///
/// Threads: immutable.
class TilePass {
  public:
    /// Fails with InvalidArgument for a format or kind that it cannot draw, by name; with DeviceLost where
    /// the device refuses.
    static Result<TilePass> create(const VulkanDevice& device, const SceneUniforms& scene,
                                   const TilePassDesc& desc);
    TilePass(TilePass&&) noexcept;
    TilePass& operator=(TilePass&&) noexcept;
    ~TilePass();

  private:
    friend class TileTerrain;
    struct Impl;
    explicit TilePass(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace karst::render
