#include "detail_patch.h"

#include <algorithm>
#include <cmath>

namespace karst::heightfield {

std::array<double, 4> TileDetail::State::perMaterial(const DetailNoise::Value& value) const {
    std::array<double, 4> out{};
    for (std::size_t m = 0; m < options.rules.materials; ++m) {
        const DetailMaterial& material = options.materials[m];
        out[m] = material.amplitude * ((1 - material.ridged) * value.plain + material.ridged * value.ridged);
    }
    return out;
}

DetailPatch::DetailPatch(const TileDetail::State& detail, const HeightTile& ancestor, const GridRect& places,
                         TileDetail::TileLookup lookup)
    : m_detail(detail),
      m_originU(std::int64_t{ancestor.key.x} * detail.layout.tileCells * kSixteenths),
      m_originV(std::int64_t{ancestor.key.z} * detail.layout.tileCells * kSixteenths),
      m_firstX(floorCell(places.minX) - 1),
      m_firstZ(floorCell(places.minZ) - 1),
      m_columns(floorCell(places.maxX) + 2 - m_firstX + 1),
      m_rows(floorCell(places.maxZ) + 2 - m_firstZ + 1) {
    const auto count = static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows);
    m_height.resize(count);
    m_plain.resize(count);
    m_ridged.resize(count);
    m_line.resize(static_cast<std::size_t>(m_columns) * 4);
    readSamples(ancestor, lookup);
    std::size_t index = 0;
    for (int z = m_firstZ; z < m_firstZ + m_rows; ++z) {
        for (int x = m_firstX; x < m_firstX + m_columns; ++x, ++index) {
            const DetailNoise::Value noise =
                detail.noise.at(static_cast<double>(m_originU / kSixteenths + x),
                                static_cast<double>(m_originV / kSixteenths + z));
            m_plain[index] = noise.plain;
            m_ridged[index] = noise.ridged;
        }
    }
}

void DetailPatch::readSamples(const HeightTile& ancestor, TileDetail::TileLookup lookup) {
    const int cells = static_cast<int>(m_detail.layout.tileCells);
    // Tiles around the ancestor, looked up once where a sample needs them.
    const HeightTile* around[3][3] = {};
    bool asked[3][3] = {};
    const auto neighbour = [&](int dx, int dz) -> const HeightTile* {
        const auto i = static_cast<std::size_t>(dx + 1), j = static_cast<std::size_t>(dz + 1);
        if (!asked[j][i]) {
            asked[j][i] = true;
            const TileKey key{0, ancestor.key.x + static_cast<std::uint32_t>(dx),
                              ancestor.key.z + static_cast<std::uint32_t>(dz)};
            // Beyond the low sides the numbers wrap, and no layout holds them.
            if (m_detail.layout.contains(key)) around[j][i] = lookup(key);
        }
        return around[j][i];
    };
    const auto outside = [&](int i) { return i < -kTileApron ? -1 : i > cells + kTileApron ? 1 : 0; };
    const auto sampleAt = [&](auto&& self, int i, int j) -> double {
        const int dx = outside(i), dz = outside(j);
        if (dx == 0 && dz == 0) return double{ancestor.sample(i, j)};
        if (const HeightTile* tile = neighbour(dx, dz))
            return double{tile->sample(i - dx * cells, j - dz * cells)};
        // At a corner along the axis on which nothing is known: a tile to the side does the same with its
        // own.
        if (dx != 0 && (dz == 0 || neighbour(dx, 0) == nullptr))
            return 2 * self(self, i - dx, j) - self(self, i - 2 * dx, j);
        return 2 * self(self, i, j - dz) - self(self, i, j - 2 * dz);
    };
    std::size_t index = 0;
    for (int z = m_firstZ; z < m_firstZ + m_rows; ++z) {
        for (int x = m_firstX; x < m_firstX + m_columns; ++x)
            m_height[index++] = sampleAt(sampleAt, x, z);
    }
}

void DetailPatch::row(const CraterSet& craters, int v, int first, int stride, int count, float* out) {
    const TileLayout& layout = m_detail.layout;
    const TileDetailOptions& options = m_detail.options;
    const int cellZ = floorCell(v);
    const CatmullRom& along = kCatmullRom[static_cast<std::size_t>(v & (kSixteenths - 1))];
    const auto columns = static_cast<std::size_t>(m_columns);
    double* height = m_line.data();
    double* rise = height + columns;
    double* plain = rise + columns;
    double* ridged = plain + columns;
    const auto down = [&](const std::vector<double>& grid, const double w[4], double* line) {
        const double* p = grid.data() + rowOf(cellZ - 1);
        for (std::size_t i = 0; i < columns; ++i)
            line[i] = weighted(w, p[i], p[i + columns], p[i + 2 * columns], p[i + 3 * columns]);
    };
    down(m_height, along.value, height);
    down(m_height, along.slope, rise);
    down(m_plain, along.value, plain);
    down(m_ridged, along.value, ridged);

    const double placeV = static_cast<double>(m_originV + v) / kSixteenths;
    const double z = layout.originZ + placeV * layout.spacingZ;
    const double* authored = m_height.data() + rowOf(cellZ);
    for (int n = 0; n < count; ++n) {
        const int u = first + n * stride;
        const int fraction = u & (kSixteenths - 1);
        const auto i = static_cast<std::size_t>(floorCell(u) - 1 - m_firstX);
        const double placeU = static_cast<double>(m_originU + u) / kSixteenths;
        double value;
        if (fraction == 0 && (v & (kSixteenths - 1)) == 0) {
            value = authored[i + 1];
        } else {
            const CatmullRom& across = kCatmullRom[static_cast<std::size_t>(fraction)];
            const auto over = [&](const double* line, const double w[4]) {
                return weighted(w, line[i], line[i + 1], line[i + 2], line[i + 3]);
            };
            value = over(height, across.value);
            const double slopeX = over(height, across.slope) / layout.spacingX;
            const double slopeZ = over(rise, across.value) / layout.spacingZ;
            const double slope = std::sqrt(slopeX * slopeX + slopeZ * slopeZ);
            const MaterialWeights weights = options.rules.weightsAt(slope, value);
            double ofPlain = 0, ofRidged = 0;
            for (std::size_t m = 0; m < options.rules.materials; ++m) {
                const DetailMaterial& material = options.materials[m];
                const double amplitude = weights[m] * material.amplitude;
                ofPlain += amplitude * (1 - material.ridged);
                ofRidged += amplitude * material.ridged;
            }
            if (ofPlain != 0 || ofRidged != 0) {
                const DetailNoise::Value noise = m_detail.noise.at(placeU, placeV);
                value += ofPlain * (noise.plain - over(plain, across.value)) +
                         ofRidged * (noise.ridged - over(ridged, across.value));
            }
        }
        const double offset =
            craters.empty() ? 0.0 : craters.offsetAt(layout.originX + placeU * layout.spacingX, z);
        out[n] = withOffset(value, offset);
    }
}

CellShape DetailPatch::shapeOf(int cellX, int cellZ) const {
    double samples[4][4];
    for (int j = 0; j < 4; ++j) {
        const double* from =
            m_height.data() + rowOf(cellZ - 1 + j) + static_cast<std::size_t>(cellX - 1 - m_firstX);
        std::copy_n(from, 4, samples[j]);
    }
    return CellShape(samples, m_detail.layout.spacingX, m_detail.layout.spacingZ);
}

}  // namespace karst::heightfield
