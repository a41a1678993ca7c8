#include "height_morph.h"
#include "tile_selection_state.h"

namespace karst::heightfield {

Result<void> validate(const TileView& view) {
    const auto refuse = [](const char* what, double value) {
        return makeError(ErrorCode::InvalidArgument, "terrain view: %s %g", what, value);
    };
    if (!isFinite(view.eye)) {
        return makeError(ErrorCode::InvalidArgument, "terrain view: eye (%g, %g, %g) is not finite",
                         view.eye.x, view.eye.y, view.eye.z);
    }
    if (!(view.projectionScale > 0) || !std::isfinite(view.projectionScale))
        return refuse("projection scale must be finite and above 0, not", view.projectionScale);
    if (!(view.tolerance > 0) || !std::isfinite(view.tolerance))
        return refuse("tolerance must be finite and above 0, not", view.tolerance);
    if (!std::isfinite(view.focusX)) return refuse("focus X is not finite:", view.focusX);
    if (!std::isfinite(view.focusZ)) return refuse("focus Z is not finite:", view.focusZ);
    if (!(view.targetRadius >= 0) || !std::isfinite(view.targetRadius))
        return refuse("target radius must be finite and not negative, not", view.targetRadius);
    return {};
}

TileSelector::TileSelector(const Externals& externals) : m_state(std::make_unique<State>(externals)) {}
TileSelector::~TileSelector() = default;
TileSelector::TileSelector(TileSelector&&) noexcept = default;
TileSelector& TileSelector::operator=(TileSelector&&) noexcept = default;

TileSelection TileSelector::select(const Surface& surface, const TileView& view, std::uint32_t detailLevels) {
    KARST_ASSERT(validate(view).ok());
    State& state = *m_state;
    if (state.begin(surface, view, detailLevels)) {
        state.walk();
        state.listLeaves();
        state.chooseDetails();
        state.listPrefetched();
        state.reconcileEdges(state.drawn);
    }
    state.surface = nullptr;
    return {state.drawn, state.wanted, state.used};
}

TileSelection TileSelector::coarsen(std::span<const float> coarsest) {
    State& state = *m_state;
    KARST_ASSERT(coarsest.size() == state.leaves.size());
    const std::size_t count = std::min(coarsest.size(), state.leaves.size());
    for (std::size_t i = 0; i < count; ++i) {
        State::Leaf& leaf = state.leaves[i];
        // From what select() chose, not from the last coarsening.
        const double most = leaf.key.level + state.tileLevels;
        const double asked = double{coarsest[i]};
        leaf.detail = asked > leaf.selected ? roundDetail(std::min(asked, most)) : leaf.selected;
    }
    state.holdBesideSmaller();
    state.reconcileEdges(state.coarsened);
    return {state.coarsened, state.wanted, state.used};
}

double sampleNodeHeight(const HeightTile& tile, const TileLayout& layout, const TileNode& node, double u,
                        double v) {
    const auto fetch = [&](int i, int j) { return double{tile.sample(i, j)}; };
    const double level = node.key.level;
    double edges[4];
    for (int side = 0; side < 4; ++side)
        edges[side] = double{node.edges[side]} - level;
    return HeightMorph(fetch, layout.tileCells, double{node.detail} - level, edges).heightAt(u, v);
}

}  // namespace karst::heightfield
