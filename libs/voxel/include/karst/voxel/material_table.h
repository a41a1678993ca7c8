#pragma once

#include <karst/base/result.h>
#include <karst/voxel/cell.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace karst::voxel {

enum class MaterialKind : std::uint8_t { Air, Solid, Water };

/// One entry of a material table. The colour is for diagnostic drawing and exports, 8 bits a channel, sRGB.
struct Material {
    std::string name;
    MaterialKind kind = MaterialKind::Solid;
    std::array<std::uint8_t, 3> color{128, 128, 128};
    bool operator==(const Material&) const = default;
};

/// What the material ids of a grid mean: up to 256 entries, entry 0 is always air. Immutable, cheap to copy
/// (shared), safe to read from any thread.
class MaterialTable {
  public:
    /// The table of standard().
    MaterialTable();
    /// Entry 0 must be of the kind Air and no other may be; names must be unique, not empty, at most 64
    /// bytes.
    static Result<MaterialTable> create(std::span<const Material> materials);
    /// air, water, grass, ground, rock, sand, snow, mud, clay, gravel, limestone, basalt, ice, wood: in this
    /// order.
    static MaterialTable standard();

    std::size_t size() const;
    bool contains(MaterialId id) const { return id < size(); }
    /// `id` must be in the table.
    const Material& operator[](MaterialId id) const;
    /// Air for ids that are not in the table.
    MaterialKind kind(MaterialId id) const { return kinds()[id]; }
    bool isSolid(MaterialId id) const { return kind(id) == MaterialKind::Solid; }
    bool isWater(MaterialId id) const { return kind(id) == MaterialKind::Water; }
    std::optional<MaterialId> find(std::string_view name) const;
    /// One per possible id.
    const std::array<MaterialKind, 256>& kinds() const;

    /// occupancy where the material is solid, else 0: fraction = value / 255.
    std::uint8_t solidOccupancy(Cell cell) const {
        return isSolid(cell.material) ? cell.occupancy : std::uint8_t{0};
    }
    std::uint8_t waterOccupancy(Cell cell) const {
        return isWater(cell.material) ? cell.occupancy : std::uint8_t{0};
    }

    /// The same entries in the same order.
    bool operator==(const MaterialTable& other) const;

  private:
    struct State;
    explicit MaterialTable(std::shared_ptr<const State> state) : m_state(std::move(state)) {}
    std::shared_ptr<const State> m_state;
};

}  // namespace karst::voxel
