#pragma once

#include <karst/base/function_ref.h>
#include <karst/heightfield/crater.h>
#include <karst/heightfield/terrain_material.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace karst::heightfield {

/// The relief that one material's ground has below the stored samples.
struct DetailMaterial {
    double amplitude = 0;  ///< of the noise, world units, >= 0
    double ridged = 0;     ///< character, 0: rolling .. 1: ridges
};

struct TileDetailOptions {
    std::uint32_t levels = 2;  ///< synthesised below level 0, 1 .. 4
    std::uint64_t seed = 0;
    double baseWavelengthSamples = 3;  ///< of the first octave, in finest stored samples; 0.25 .. 1e6
    std::uint32_t octaves = 3;         ///< 1 .. 8; wavelengths halve
    double persistence = 0.5;          ///< amplitude of each octave to the one before; 0 .. 1
    /// Of rules.materials. By default gentle ground and rough rock.
    std::array<DetailMaterial, TerrainMaterialRules::kMaxMaterials> materials{
        DetailMaterial{0.05, 0}, DetailMaterial{0.6, 0.7}, {}, {}};
    TerrainMaterialRules rules;
    /// The level that heightAt and colliders use (Surface::publish): -levels .. the root level.
    std::int32_t collisionLevel = 0;
};

/// Synthesises the levels below 0 of a pyramid (spec rows H24 - H26).
///
/// All levels sample one continuous surface: the Catmull-Rom reconstruction of the level-0 samples, plus
/// octaves of gradient noise less their own Catmull-Rom interpolation from the level-0 points, times what the
/// materials at the place give, plus the exact offsets of craters. So every level agrees bit for bit at every
/// point that it shares with another, level 0 included, and tiles that share an edge agree on it. Materials
/// come from the slope and height of the reconstruction, without craters.
///
/// A tile's lattice needs its level-0 ancestor alone. Its apron, where it lies beyond the ancestor, needs one
/// sample of the ancestor's neighbour: given by a lookup it is bit for bit the neighbour's own sample;
/// without one (null, or beyond the pyramid) the ancestor's slope continues there, and only normals at that
/// edge see it.
///
/// Threads: const, any; results do not depend on how tiles are spread over threads. Integer hashes and f64
/// arithmetic alone: the same bits from every compiler (-ffp-contract=off).
class TileDetail {
  public:
    /// The ancestor or a neighbour of it, as loaded (without craters); null where it is not resident.
    using TileLookup = FunctionRef<const HeightTile*(const TileKey&)>;

    /// Refuses by name what is out of range or not finite.
    static Result<TileDetail> create(const TileLayout& layout, const TileDetailOptions& options);

    const TileDetailOptions& options() const;
    std::int32_t finestLevel() const { return -static_cast<std::int32_t>(options().levels); }
    std::int32_t collisionLevel() const { return options().collisionLevel; }

    /// The level-0 tile over a tile of a level below 0.
    static TileKey ancestorOf(const TileKey& key) {
        const auto depth = static_cast<std::uint32_t>(-key.level);
        return {0, key.x >> depth, key.z >> depth};
    }

    /// The tile of a level finestLevel() .. -1. `ancestor` is its level-0 ancestor as loaded, without
    /// craters; craters that do not reach the tile change nothing, nor does their order. Bounds hold all
    /// finer levels; the error table covers key.level .. key.level + tileLevels() and is at level 0 and above
    /// no more than the resolved ancestor's, but where it must not fall below its own finer entries. A cell
    /// is a hole where its level-0 cell is. Stored material weights are interpolated. The revision is the
    /// ancestor's plus the number of craters that reach the tile.
    TilePtr synthesise(const TileKey& key, const HeightTile& ancestor, std::span<const Crater> craters,
                       TileLookup lookup) const;
    TilePtr synthesise(const TileKey& key, const HeightTile& ancestor,
                       std::span<const Crater> craters = {}) const;

    /// How far detail may move the surface from a stored tile's lattice: the noise of the materials that the
    /// tile's own lattice shows, and at level 0 the reconstruction's bend between the samples. World units.
    double detailError(const HeightTile& tile) const;

    struct State;

  private:
    explicit TileDetail(std::shared_ptr<const State> state) : m_state(std::move(state)) {}
    std::shared_ptr<const State> m_state;
};

/// A stored tile's error table with detailError added to each entry, still monotone (spec row H26): flat calm
/// ground stays authored at distances where rock refines. `tile` as loaded.
std::vector<double> addDetailError(const HeightTile& tile, const TileDetail& detail);

/// What a streamer makes of a stored tile as loaded: its craters, and its error table with detail (null:
/// none). The same object where nothing changes.
TilePtr resolveStoredTile(const TilePtr& tile, const TileLayout& layout, std::span<const Crater> craters,
                          const TileDetail* detail);

}  // namespace karst::heightfield
