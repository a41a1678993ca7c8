#pragma once

#include <karst/heightfield/terrain_asset.h>

#include <vector>

#include "raster_build_input.h"

namespace karst::tool {

/// The heights of a version 1 asset.
class AssetBuildInput final : public heightfield::BuildInput {
  public:
    AssetBuildInput(heightfield::TerrainAsset asset, HoleRects holes, std::uint64_t mark)
        : m_asset(std::move(asset)), m_holes(std::move(holes)), m_mark(mark) {}

    const heightfield::TerrainAsset& asset() const { return m_asset; }
    /// BuildOptions::levelZeroErrors: the asset's own patch errors.
    bool patchErrors(const heightfield::TileKey& key, std::span<double> errors) const;

    std::uint32_t columns() const override { return m_asset.manifest.samplesX(); }
    std::uint32_t rows() const override { return m_asset.manifest.samplesZ(); }
    double spacingX() const override { return m_asset.manifest.spacingX; }
    double spacingZ() const override { return m_asset.manifest.spacingZ; }
    Result<void> readRows(std::uint32_t firstRow, std::uint32_t count, std::span<float> heights) override;
    void cutCells(std::uint32_t cellRow, FunctionRef<void(std::uint32_t)> cut) override {
        m_holes.cutCells(*this, cellRow, cut);
    }
    std::uint64_t fingerprint() const override { return m_mark; }

  private:
    heightfield::TerrainAsset m_asset;
    HoleRects m_holes;
    std::uint64_t m_mark;
};

}  // namespace karst::tool
