#include "asset_build_input.h"

#include <algorithm>

namespace karst::tool {

bool AssetBuildInput::patchErrors(const heightfield::TileKey& key, std::span<double> errors) const {
    const std::vector<double>& known = m_asset.patch(key.x, key.z).errors;
    if (known.size() != errors.size()) return false;
    std::copy(known.begin(), known.end(), errors.begin());
    return true;
}

Result<void> AssetBuildInput::readRows(std::uint32_t firstRow, std::uint32_t count,
                                       std::span<float> heights) {
    const std::size_t first = std::size_t{firstRow} * columns();
    std::copy_n(m_asset.heights.begin() + static_cast<std::ptrdiff_t>(first), std::size_t{count} * columns(),
                heights.begin());
    return {};
}

}  // namespace karst::tool
