#pragma once

#include <karst/voxel/fill_shapes.h>

#include <algorithm>
#include <array>

namespace karst::voxel {

/// How a fill's coverage meets the cells that are there: the rules of fill_shapes.h.
class FillRule {
  public:
    FillRule(const MaterialTable& table, MaterialId material, FillMode mode)
        : m_kinds(table.kinds()), m_material(material) {
        if (mode == FillMode::Paint) {
            m_effect = Effect::Paint;
        } else if (table.kind(material) == MaterialKind::Air) {
            m_effect = Effect::Dig;
        } else {
            m_effect = table.isWater(material) ? Effect::Water : Effect::Solid;
        }
    }

    /// Cells of a row and their coverages.
    void apply(Cell* cells, const std::uint8_t* coverage, std::int32_t count) const {
        const auto each = [&](auto&& rule) {
            for (std::int32_t i = 0; i < count; ++i) {
                if (coverage[i] != 0) rule(cells[i], coverage[i]);
            }
        };
        switch (m_effect) {
            case Effect::Dig:
                return each([](Cell& cell, std::uint8_t c) { dig(cell, c); });
            case Effect::Solid:
                return each([this](Cell& cell, std::uint8_t c) { addSolid(cell, c); });
            case Effect::Water:
                return each([this](Cell& cell, std::uint8_t c) { addWater(cell, c); });
            case Effect::Paint:
                return each([this](Cell& cell, std::uint8_t c) { paint(cell, c); });
        }
    }
    /// Cells that are covered wholly.
    void applyFull(Cell* cells, std::int32_t count) const {
        if (m_effect == Effect::Dig) {
            std::fill_n(cells, count, Cell{});
        } else if (m_effect == Effect::Solid) {
            std::fill_n(cells, count, Cell{m_material, 255});
        } else if (m_effect == Effect::Water) {
            for (std::int32_t i = 0; i < count; ++i)
                addWater(cells[i], 255);
        } else {
            for (std::int32_t i = 0; i < count; ++i)
                paint(cells[i], 255);
        }
    }
    /// Nothing can come of filling cells like this.
    bool keeps(Cell cell) const {
        switch (m_effect) {
            case Effect::Dig:
                return cell.empty();
            case Effect::Solid:
                return cell == Cell{m_material, 255};
            case Effect::Water:
                return m_kinds[cell.material] == MaterialKind::Solid || cell == Cell{m_material, 255};
            case Effect::Paint:
                return m_kinds[cell.material] != MaterialKind::Solid || cell.material == m_material;
        }
        return false;
    }

  private:
    enum class Effect { Dig, Solid, Water, Paint };

    static void dig(Cell& cell, std::uint8_t c) {
        cell.occupancy = std::min<std::uint8_t>(cell.occupancy, static_cast<std::uint8_t>(255 - c));
        if (cell.occupancy == 0) cell = {};
    }
    void addSolid(Cell& cell, std::uint8_t c) const {
        if (m_kinds[cell.material] == MaterialKind::Solid) {
            enlarge(cell, c);
        } else {
            cell = {m_material, c};
        }
    }
    void addWater(Cell& cell, std::uint8_t c) const {
        if (m_kinds[cell.material] == MaterialKind::Air) {
            cell = {m_material, c};
        } else if (m_kinds[cell.material] == MaterialKind::Water) {
            enlarge(cell, c);
        }
    }
    void paint(Cell& cell, std::uint8_t c) const {
        if (c >= 128 && m_kinds[cell.material] == MaterialKind::Solid) cell.material = m_material;
    }
    void enlarge(Cell& cell, std::uint8_t c) const {
        if (c >= 128 || c >= cell.occupancy) cell.material = m_material;
        cell.occupancy = std::max(cell.occupancy, c);
    }

    const std::array<MaterialKind, 256>& m_kinds;
    MaterialId m_material;
    Effect m_effect;
};

}  // namespace karst::voxel
