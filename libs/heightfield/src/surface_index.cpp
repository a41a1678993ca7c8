#include "surface_index.h"

#include <cmath>

namespace karst::heightfield {
namespace {

double powerOfTwo(std::int32_t level) {
    return level >= 0 ? static_cast<double>(std::uint64_t{1} << level)
                      : 1.0 / static_cast<double>(std::uint64_t{1} << -level);
}

void unite(HeightRange& range, const HeightRange& other) {
    range.min = std::min(range.min, other.min);
    range.max = std::max(range.max, other.max);
}

constexpr HeightRange kNothing{std::numeric_limits<float>::infinity(),
                               -std::numeric_limits<float>::infinity()};

float roundedDown(double value) {
    constexpr double kMost = std::numeric_limits<float>::max();
    const auto near = static_cast<float>(std::clamp(value, -kMost, kMost));
    return double{near} > value ? std::nextafter(near, -std::numeric_limits<float>::infinity()) : near;
}

float roundedUp(double value) {
    return -roundedDown(-value);
}

/// Of the samples around a block of cells, read one by one.
HeightRange scan(const float* samples, std::ptrdiff_t side, int x, int z, int size) {
    HeightRange range = kNothing;
    for (int j = z; j <= z + size; ++j) {
        for (int i = x; i <= x + size; ++i) {
            const float sample = samples[j * side + i];
            unite(range, {sample, sample});
        }
    }
    return range;
}

}  // namespace

TileBlocks::TileBlocks(const float* samples, std::ptrdiff_t side, int cells) {
    const int leafCells = std::min(kLeafCells, cells);
    const int leafShift = blockLevel(cells / leafCells), most = 1 << leafShift;
    std::vector<HeightRange> leaves(static_cast<std::size_t>(most) * static_cast<std::size_t>(most));
    HeightRange whole = kNothing;
    for (int z = 0; z < most; ++z) {
        for (int x = 0; x < most; ++x) {
            HeightRange& leaf = leaves[static_cast<std::size_t>((z << leafShift) + x)];
            leaf = scan(samples, side, x * leafCells, z * leafCells, leafCells);
            unite(whole, leaf);
        }
    }
    const std::size_t count = blockIndex(leafShift + 1, 0, 0);
    m_words.resize(kHeadWords + (2 * count + sizeof(double) - 1) / sizeof(double));
    auto* ranges = reinterpret_cast<std::uint8_t*>(m_words.data() + kHeadWords);
    const double base = double{whole.min}, span = double{whole.max} - base;
    double step = span / 255;
    while (base + 255 * step < double{whole.max})
        step = std::nextafter(step, std::numeric_limits<double>::infinity());
    const double inverse = span > 0 ? 1 / step : 0;
    m_words[0] = base;
    m_words[1] = step;
    // Rounding of the quotient is set right: a range must hold all samples.
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        int low = static_cast<int>((double{leaves[i].min} - base) * inverse);
        int high = std::min(static_cast<int>((double{leaves[i].max} - base) * inverse), 255);
        while (low > 0 && base + low * step > double{leaves[i].min})
            --low;
        while (high < 255 && base + high * step < double{leaves[i].max})
            ++high;
        std::uint8_t* range = ranges + 2 * (blockIndex(leafShift, 0, 0) + i);
        range[0] = static_cast<std::uint8_t>(low);
        range[1] = static_cast<std::uint8_t>(high);
    }
    for (int shift = leafShift - 1; shift >= 0; --shift) {
        for (int z = 0; z < 1 << shift; ++z) {
            for (int x = 0; x < 1 << shift; ++x) {
                std::uint8_t* range = ranges + 2 * blockIndex(shift, x, z);
                const std::uint8_t* upper = ranges + 2 * blockIndex(shift + 1, 2 * x, 2 * z);
                const std::uint8_t* lower = ranges + 2 * blockIndex(shift + 1, 2 * x, 2 * z + 1);
                range[0] = std::min({upper[0], upper[2], lower[0], lower[2]});
                range[1] = std::max({upper[1], upper[3], lower[1], lower[3]});
            }
        }
    }
}

SurfaceIndex::State::State(const Surface& from, const State* previous, const Externals& externals)
    : surface(from) {
    const TileLayout& layout = surface.layout();
    ground = layout.groundRect();
    lastU = layout.samplesX - 1.0;
    lastV = layout.samplesZ - 1.0;
    cells = static_cast<int>(layout.tileCells);
    side = layout.tileSide();
    const std::vector<std::size_t> nodeOf = makeNodes();
    makeBlocks(nodeOf, previous, externals);
    makeRanges();
    makeCover();
    makeWindow(nodeOf);
}

std::vector<std::size_t> SurfaceIndex::State::makeNodes() {
    const TileLayout& layout = surface.layout();
    // One root over all: the layout's own roots may be many.
    std::int32_t rootLevel = layout.rootLevel();
    while (std::max(layout.rootsX, layout.rootsZ) > 1u << (rootLevel - layout.rootLevel()))
        ++rootLevel;
    const auto makeNode = [&](const TileKey& key) {
        SurfaceNode node;
        node.level = static_cast<std::int8_t>(key.level);
        node.cellSide = static_cast<float>(powerOfTwo(key.level));
        node.cellsPerSide = static_cast<float>(powerOfTwo(-key.level));
        const double extent = cells * powerOfTwo(key.level) * kSixteenths;
        node.placeU = static_cast<std::int32_t>(key.x * extent);
        node.placeV = static_cast<std::int32_t>(key.z * extent);
        nodes.push_back(node);
        return static_cast<std::int32_t>(nodes.size()) - 1;
    };
    nodes.reserve(surface.tiles().size() + 32);
    makeNode({rootLevel, 0, 0});
    std::vector<std::size_t> nodeOf;
    nodeOf.reserve(surface.tiles().size());
    for (const TilePtr& tile : surface.tiles()) {
        std::size_t at = 0;
        for (std::int32_t level = rootLevel - 1; level >= tile->key.level; --level) {
            const auto shift = static_cast<std::uint32_t>(level - tile->key.level);
            const std::uint32_t x = tile->key.x >> shift, z = tile->key.z >> shift;
            const std::size_t quadrant = (x & 1) | (z & 1) << 1;
            if (nodes[at].child[quadrant] < 0) {
                const std::int32_t made = makeNode({level, x, z});
                nodes[at].child[quadrant] = made;
            }
            at = static_cast<std::size_t>(nodes[at].child[quadrant]);
        }
        nodeOf.push_back(at);
        SurfaceNode& node = nodes[at];
        node.samples = tile->samples.data() + kTileApron * side + kTileApron;
        node.holed = !tile->holes.empty();
    }
    holes.assign(nodes.size(), nullptr);
    for (std::size_t i = 0; i < nodeOf.size(); ++i) {
        if (nodes[nodeOf[i]].holed) holes[nodeOf[i]] = surface.tiles()[i]->holes.data();
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (nodes[n].samples != nullptr) {
            nodes[n].owner = static_cast<std::int32_t>(n);
            nodes[n].leaf =
                std::all_of(nodes[n].child, nodes[n].child + 4, [](std::int32_t c) { return c < 0; });
        }
        for (const std::int32_t child : nodes[n].child) {
            if (child >= 0) nodes[static_cast<std::size_t>(child)].owner = nodes[n].owner;
        }
    }
    return nodeOf;
}

void SurfaceIndex::State::makeBlocks(const std::vector<std::size_t>& nodeOf, const State* previous,
                                     const Externals& externals) {
    const auto tiles = surface.tiles();
    const auto before = previous != nullptr ? previous->surface.tiles() : std::span<const TilePtr>{};
    blocks.resize(tiles.size());
    std::vector<std::uint8_t> seen(nodes.size());  // is it the finest anywhere?
    for (const SurfaceNode& node : nodes) {
        if (node.owner >= 0 && std::any_of(node.child, node.child + 4, [](std::int32_t c) { return c < 0; }))
            seen[static_cast<std::size_t>(node.owner)] = 1;
    }
    std::vector<std::size_t> missing;
    std::size_t old = 0;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        while (old < before.size() && before[old]->key < tiles[i]->key)
            ++old;
        if (old < before.size() && before[old] == tiles[i]) blocks[i] = previous->blocks[old];
        if (blocks[i] == nullptr && seen[nodeOf[i]] != 0) missing.push_back(i);
    }
    externals.jobs->parallelFor(missing.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const SurfaceNode& node = nodes[nodeOf[missing[i]]];
            blocks[missing[i]] = std::make_shared<const TileBlocks>(node.samples, side, cells);
        }
    });
    built = missing.size();
    for (std::size_t i = 0; i < tiles.size(); ++i)
        nodes[nodeOf[i]].blocks = blocks[i] != nullptr ? blocks[i]->words() : nullptr;
}

void SurfaceIndex::State::makeRanges() {
    // Children come after their parents.
    for (std::size_t n = nodes.size(); n-- > 0;) {
        SurfaceNode& node = nodes[n];
        HeightRange range = kNothing;
        for (unsigned q = 0; q < 4; ++q) {
            if (node.child[q] >= 0) {
                const SurfaceNode& child = nodes[static_cast<std::size_t>(node.child[q])];
                unite(range, {child.low, child.high});
            } else if (const Square s = squareOf(node, q); s.node != nullptr) {
                if (s.size < TileBlocks::kLeafCells) {
                    unite(range, scan(s.node->samples, side, s.x, s.z, s.size));
                } else {
                    const TileBlocks::View view(s.node->blocks, cells);
                    const TileBlocks::Range block = view.at(blockLevel(s.size), s.x / s.size, s.z / s.size);
                    unite(range,
                          {roundedDown(view.heightOf(block.low)), roundedUp(view.heightOf(block.high))});
                }
            }
        }
        node.low = range.min;
        node.high = range.max;
    }
}

void SurfaceIndex::State::makeCover() {
    cover.reset(lastU, lastV, 16 * surface.tiles().size() + 4096);
    coverScale = powerOfTwo(-cover.shift());
    for (const SurfaceNode& node : nodes) {
        for (unsigned q = 0; q < 4; ++q) {
            if (node.child[q] < 0) coverQuadrant(node, q);
        }
    }
    cover.finish();

    coverTileLevel = blockLevel(cells) - cover.shift();
    if (coverTileLevel < 0) return;
    const auto tilesOf = [&](int squares) { return ((squares - 1) >> coverTileLevel) + 1; };
    coverTileColumns = tilesOf(cover.columns());
    const int rows = tilesOf(cover.rows());
    coverLeaves.assign(static_cast<std::size_t>(coverTileColumns) * static_cast<std::size_t>(rows), -1);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const SurfaceNode& node = nodes[n];
        if (!node.leaf || node.level < 0) continue;
        const int extent = 1 << node.level;
        const int x0 = static_cast<int>(node.u() / cells), z0 = static_cast<int>(node.v() / cells);
        for (int z = z0; z < std::min(z0 + extent, rows); ++z) {
            for (int x = x0; x < std::min(x0 + extent, coverTileColumns); ++x)
                coverLeaves[static_cast<std::size_t>(z) * static_cast<std::size_t>(coverTileColumns) +
                            static_cast<std::size_t>(x)] = static_cast<std::int32_t>(n);
        }
    }
    coverHighs.reserve(static_cast<std::size_t>(cover.columns()) * static_cast<std::size_t>(cover.rows()));
    for (int z = 0; z < cover.rows(); ++z) {
        for (int x = 0; x < cover.columns(); ++x) {
            const std::int32_t leaf = coverLeaves[static_cast<std::size_t>(
                (z >> coverTileLevel) * coverTileColumns + (x >> coverTileLevel))];
            coverHighs.push_back(leaf >= 0 ? cover.at(0, x, z).max : std::numeric_limits<float>::infinity());
        }
    }
}

/// What a quadrant without a child shows, in blocks of about the cover's squares.
void SurfaceIndex::State::coverQuadrant(const SurfaceNode& node, unsigned q) {
    const Square s = squareOf(node, q);
    if (s.node == nullptr) return;
    const double half = node.cell() * (cells / 2);
    const double u0 = node.u() + (q & 1) * half, v0 = node.v() + (q >> 1) * half;
    if (s.size < TileBlocks::kLeafCells) {
        cover.add(u0, v0, u0 + half, v0 + half, scan(s.node->samples, side, s.x, s.z, s.size));
        return;
    }
    const TileBlocks::View view(s.node->blocks, cells);
    const int level =
        std::clamp(cover.shift() - s.node->level, blockLevel(TileBlocks::kLeafCells), blockLevel(s.size));
    // Wider by more than the rounding to floats.
    const auto rangeAt = [&](int x, int z) {
        const TileBlocks::Range range = view.at(level, (s.x >> level) + x, (s.z >> level) + z);
        const double low = view.heightOf(range.low), high = view.heightOf(range.high);
        constexpr double kUnit = 0x1p-23, kLeast = 1e-44;
        return HeightRange{static_cast<float>(low - std::abs(low) * kUnit - kLeast),
                           static_cast<float>(high + std::abs(high) * kUnit + kLeast)};
    };
    const double block = s.node->cell() * powerOfTwo(level);
    if (level == cover.shift() - s.node->level) {  // each block is a square
        const int x0 = static_cast<int>(u0 * coverScale), z0 = static_cast<int>(v0 * coverScale);
        const int columns = std::min(s.size >> level, cover.columns() - x0);
        const int rows = std::min(s.size >> level, cover.rows() - z0);
        for (int z = 0; z < rows; ++z) {
            for (int x = 0; x < columns; ++x)
                cover.set(x0 + x, z0 + z, rangeAt(x, z));
        }
        return;
    }
    for (int z = 0; z < s.size >> level; ++z) {
        for (int x = 0; x < s.size >> level; ++x) {
            cover.add(u0 + x * block, v0 + z * block, u0 + (x + 1) * block, v0 + (z + 1) * block,
                      rangeAt(x, z));
        }
    }
}

void SurfaceIndex::State::makeWindow(const std::vector<std::size_t>& nodeOf) {
    const TileLayout& layout = surface.layout();
    const std::int32_t level = surface.collisionLevel();
    const double scale = powerOfTwo(-level);
    collisionScale = {scale, scale};
    collisionShift = static_cast<int>(layout.tileLevels());
    groundMin = {ground.minX, ground.minZ};
    groundMax = {ground.maxX, ground.maxZ};
    origin = {layout.originX, layout.originZ};
    spacing = {layout.spacingX, layout.spacingZ};
    last = {lastU, lastV};
    lastCell = {std::ceil(lastU * scale) - 1, std::ceil(lastV * scale) - 1};
    int minX = std::numeric_limits<int>::max(), minZ = minX, maxX = -1, maxZ = -1;
    std::size_t count = 0;
    for (const TilePtr& tile : surface.tiles()) {
        if (tile->key.level != level) continue;
        ++count;
        const int x = static_cast<int>(tile->key.x), z = static_cast<int>(tile->key.z);
        minX = std::min(minX, x);
        minZ = std::min(minZ, z);
        maxX = std::max(maxX, x);
        maxZ = std::max(maxZ, z);
    }
    if (count == 0) return;
    const auto area =
        static_cast<std::uint64_t>(maxX - minX + 1) * static_cast<std::uint64_t>(maxZ - minZ + 1);
    if (area > 16 * count + 4096) return;
    windowX = minX;
    windowZ = minZ;
    windowColumns = static_cast<std::uint32_t>(maxX - minX + 1);
    windowRows = static_cast<std::uint32_t>(maxZ - minZ + 1);
    window.resize(static_cast<std::size_t>(area));
    for (const std::size_t at : nodeOf) {
        const SurfaceNode& node = nodes[at];
        if (node.level != level) continue;
        const TileKey key = node.keyOf(cells);
        const auto x = static_cast<std::size_t>(static_cast<int>(key.x) - minX);
        const auto z = static_cast<std::size_t>(static_cast<int>(key.z) - minZ);
        window[z * windowColumns + x] = {node.samples, holes[at]};
    }
}

const SurfaceNode* SurfaceIndex::State::leafAt(const SurfaceNode* from, double u, double v,
                                               std::int32_t level) const {
    const SurfaceNode* found = nullptr;
    for (const SurfaceNode* node = from; node->level >= level;) {
        if (node->samples != nullptr) found = node;
        const double half = node->cell() * cells * 0.5;
        const std::int32_t child =
            node->child[(u >= node->u() + half ? 1 : 0) | (v >= node->v() + half ? 2 : 0)];
        if (child < 0) break;
        node = &nodes[static_cast<std::size_t>(child)];
    }
    return found;
}

}  // namespace karst::heightfield
