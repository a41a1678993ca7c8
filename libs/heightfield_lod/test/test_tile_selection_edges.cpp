#include "random_pyramid.h"

#include <gtest/gtest.h>

namespace karst::heightfield {
namespace {

std::uint32_t detailOf(const RandomPyramid& pyramid) {
    return static_cast<std::uint32_t>(-pyramid.finestLevel());
}

// A side of a node, as it lies in cells of the finest level.
struct Side {
    int node = 0;
    double across = 0, begin = 0, end = 0;  // the line it lies on, and its ends along it
    bool alongX = false;
    double vertexStep = 0;  // between the vertices that are drawn on it
};

std::vector<Side> sidesOf(const RandomPyramid& pyramid, std::span<const TileNode> nodes) {
    std::vector<Side> out;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        const TileNode& node = nodes[n];
        const double size = std::ldexp(pyramid.layout.tileCells, node.key.level - pyramid.finestLevel());
        const double x = node.key.x * size, z = node.key.z * size;
        const double step = std::exp2(std::floor(double{node.detail}) - pyramid.finestLevel());
        const int id = static_cast<int>(n);
        out.push_back({id, x, z, z + size, false, step});
        out.push_back({id, x + size, z, z + size, false, step});
        out.push_back({id, z, x, x + size, true, step});
        out.push_back({id, z + size, x, x + size, true, step});
    }
    return out;
}

struct Counts {
    std::size_t shared = 0, differing = 0, corners = 0, midCorners = 0;
};

// Every rule that holds for one selection, coarsened or not: each ground cell covered once, neighbours within
// a level, edges as coarse as the coarsest along them, and the same heights to the bit from both sides.
void checkSelection(const RandomPyramid& pyramid, std::span<const TileNode> nodes, test::Random& random,
                    Counts& counts) {
    const TileLayout& layout = pyramid.layout;
    const DrawnGround drawn(pyramid, nodes);
    ASSERT_EQ(drawn.overlaps(), 0);
    const std::int32_t finest = pyramid.finestLevel();
    for (std::uint32_t z = 0; z < layout.tilesZ(finest); ++z) {
        for (std::uint32_t x = 0; x < layout.tilesX(finest); ++x) {
            if (!layout.contains({finest, x, z})) continue;
            ASSERT_GE(drawn.owner(x, z), 0) << x << " " << z;
        }
    }
    const double cells = layout.tileCells;
    const auto at = [&](const Side& side, double along) {
        return side.alongX ? drawn.heightOf(side.node, along, side.across)
                           : drawn.heightOf(side.node, side.across, along);
    };
    std::map<std::pair<bool, double>, std::vector<Side>> lines;
    for (const Side& side : sidesOf(pyramid, nodes))
        lines[{side.alongX, side.across}].push_back(side);
    for (const auto& [line, sides] : lines) {
        for (std::size_t i = 0; i < sides.size(); ++i) {
            for (std::size_t k = i + 1; k < sides.size(); ++k) {
                const Side &a = sides[i], &b = sides[k];
                const double begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
                if (!(begin < end)) continue;
                ++counts.shared;
                const TileNode& one = nodes[static_cast<std::size_t>(a.node)];
                const TileNode& other = nodes[static_cast<std::size_t>(b.node)];
                ASSERT_LE(std::abs(one.key.level - other.key.level), 1);
                counts.differing += one.key.level != other.key.level;
                // Both sides' vertices, and places between them.
                std::vector<double> places;
                for (double p = begin; p <= end; p += std::min(a.vertexStep, b.vertexStep))
                    places.push_back(p);
                for (int r = 0; r < 8; ++r)
                    places.push_back(begin + (end - begin) * random.integer(0, 1 << 20) / (1 << 20));
                for (const double place : places) {
                    ASSERT_EQ(at(a, place), at(b, place)) << "at " << place << " of " << a.across;
                    // The triangles along the border end in the same line.
                    for (const Side* side : {&a, &b}) {
                        const TileNode& node = nodes[static_cast<std::size_t>(side->node)];
                        const double size = std::ldexp(cells, node.key.level - finest);
                        const double low = (side->alongX ? node.key.z : node.key.x) * size;
                        Side inside = *side;
                        inside.across += side->across == low ? 1e-9 : -1e-9;
                        ASSERT_NEAR(at(inside, place), at(*side, place), 1e-6);
                    }
                }
            }
        }
    }
    // A tile's corners, in the middle of larger neighbours' sides too, are samples: one height for all.
    for (const TileNode& node : nodes) {
        const std::uint32_t span = 1u << (node.key.level - finest);
        for (std::uint32_t corner = 0; corner < 4; ++corner) {
            const std::uint32_t x = (node.key.x + (corner & 1)) * span,
                                z = (node.key.z + (corner >> 1)) * span;
            const double sample =
                pyramid.fine(static_cast<int>(x * layout.tileCells), static_cast<int>(z * layout.tileCells));
            for (int around = 0; around < 4; ++around) {
                const int n = drawn.owner(std::int64_t{x} - (around & 1), std::int64_t{z} - (around >> 1));
                if (n < 0) continue;
                ++counts.corners;
                const TileNode& other = nodes[static_cast<std::size_t>(n)];
                const std::uint32_t otherSpan = 1u << (other.key.level - finest);
                counts.midCorners += x % otherSpan != 0 || z % otherSpan != 0;
                ASSERT_EQ(drawn.heightOf(n, x * cells, z * cells), sample);
            }
        }
    }
}

// Each edge is the coarsest detail along it; a smaller tile has its larger neighbour's whole edge.
void checkEdges(const RandomPyramid& pyramid, std::span<const TileNode> nodes, Counts& counts) {
    const std::int32_t finest = pyramid.finestLevel();
    const DrawnGround drawn(pyramid, nodes);
    for (const TileNode& node : nodes) {
        const std::int64_t span = std::int64_t{1} << (node.key.level - finest);
        const std::int64_t x = node.key.x * span, z = node.key.z * span;
        for (std::uint32_t side = 0; side < 4; ++side) {
            // All tiles on both sides of the longest edge that this side is a part of.
            const auto beyond = [&](std::int64_t bx, std::int64_t bz, std::int64_t size, std::int64_t k) {
                switch (side) {
                    case kSideLowX:
                        return drawn.owner(bx - 1, bz + k);
                    case kSideHighX:
                        return drawn.owner(bx + size, bz + k);
                    case kSideLowZ:
                        return drawn.owner(bx + k, bz - 1);
                    default:
                        return drawn.owner(bx + k, bz + size);
                }
            };
            const int first = beyond(x, z, span, 0);
            const bool adopts =
                first >= 0 && nodes[static_cast<std::size_t>(first)].key.level > node.key.level;
            const std::int64_t size = adopts ? span * 2 : span;
            const std::int64_t ex = x / size * size, ez = z / size * size;
            float coarsest = node.detail;
            const bool alongX = side >= kSideLowZ;
            for (std::int64_t k = 0; k < size; ++k) {
                const int outside = alongX ? beyond(ex, z, span, k) : beyond(x, ez, span, k);
                const std::int64_t edgeX = side == kSideHighX ? x + span - 1 : x;
                const std::int64_t edgeZ = side == kSideHighZ ? z + span - 1 : z;
                const int inside = alongX ? drawn.owner(ex + k, edgeZ) : drawn.owner(edgeX, ez + k);
                for (const int n : {outside, inside}) {
                    if (n < 0) continue;
                    coarsest = std::max(coarsest, nodes[static_cast<std::size_t>(n)].detail);
                }
            }
            ++counts.shared;
            counts.differing += adopts;
            ASSERT_EQ(node.edges[side], coarsest) << "side " << side;
        }
    }
}

template <class Run>
void forRandomSelections(std::uint64_t seed, int pyramids, const Run& run) {
    test::Random random(seed);
    TileSelector selector;
    for (int i = 0; i < pyramids; ++i) {
        const RandomPyramid pyramid(randomShape(random), random);
        for (int k = 0; k < 6; ++k) {
            const Surface some = pyramid.some(random, random.range(0.4, 1.0));
            const TileView view = pyramid.randomView(random);
            const std::uint32_t detail = random.chance(0.8) ? detailOf(pyramid) : 0;
            const Kept kept(selector.select(k < 3 ? pyramid.surface : some, view, detail));
            run(pyramid, kept, selector, random);
            if (::testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(TileSelectionEdges, H13_NoCrackNoGapNoOverlapNeighboursWithinALevel) {
    Counts counts;
    forRandomSelections(1, 60, [&](const auto& pyramid, const Kept& kept, TileSelector&, auto& random) {
        checkSelection(pyramid, kept.nodes, random, counts);
    });
    EXPECT_GT(counts.shared, 10000u);
    EXPECT_GT(counts.differing, 1000u);
    EXPECT_GT(counts.midCorners, 1000u);
}

TEST(TileSelectionEdges, H13_EachEdgeTakesTheCoarsestDetailAlongIt) {
    Counts counts;
    forRandomSelections(2, 60, [&](const auto& pyramid, const Kept& kept, TileSelector&, auto&) {
        checkEdges(pyramid, kept.nodes, counts);
    });
    EXPECT_GT(counts.shared, 10000u);
    EXPECT_GT(counts.differing, 1000u);
}

// All errors 0, so that tiles draw their coarsest level from anywhere but in a target disk.
Surface flatSurface(const RandomPyramid& pyramid) {
    std::vector<TilePtr> tiles;
    for (const auto& [key, tile] : pyramid.tiles) {
        HeightTile flat = *tile;
        std::fill(flat.errors.begin(), flat.errors.end(), 0.0);
        tiles.push_back(std::make_shared<HeightTile>(flat));
    }
    return *Surface::fromTiles(pyramid.layout, tiles);
}

TEST(TileSelectionEdges, H13_ARootBesideSmallerTilesGivesUpItsCoarsestLevel) {
    test::Random random(3);
    for (const std::uint32_t levels : {2u, 3u}) {
        PyramidShape shape;
        shape.levels = levels;
        const RandomPyramid pyramid(shape, random);
        const Surface surface = flatSurface(pyramid);
        const Rect rect = pyramid.layout.groundRect();
        const float level = static_cast<float>(levels - 1);
        TileView view;
        view.eye = {rect.minX, 1e6, rect.minZ};
        TileSelector selector;
        const TileSelection whole = selector.select(surface, view);
        ASSERT_EQ(whole.nodes.size(), 2u);
        EXPECT_EQ(whole.nodes[0].detail, level + 3);
        EXPECT_EQ(whole.nodes[1].detail, level + 3);
        // The disk splits the first root, more and more of it.
        view.focusX = rect.minX;
        view.focusZ = rect.minZ;
        std::set<float> seen;
        for (int i = 0; i < 400; ++i) {
            view.targetRadius = rect.width() * (0.01 + 0.0005 * i);
            const TileSelection split = selector.select(surface, view);
            const TileNode& root = split.nodes.back();
            if (split.nodes.size() < 3 || !pyramid.isRoot(root.key)) continue;
            EXPECT_LE(root.detail, level + 2);
            EXPECT_GE(root.edges[kSideLowX], root.detail);
            EXPECT_LE(root.edges[kSideLowX], level + 2);
            seen.insert(root.detail);
        }
        // No more than that level, unless the neighbours are about to split: then down evenly with them.
        ASSERT_FALSE(seen.empty());
        EXPECT_EQ(*seen.rbegin(), level + 2);
        if (levels == 2) {
            EXPECT_EQ(seen.size(), 1u);  // level 0 does not split
        } else {
            EXPECT_GT(seen.size(), 10u);
        }
    }
}

// The moment that a tree changes, or a detail passes a level, nothing that is drawn jumps; in between it
// moves no faster than its details allow.
class Descent {
  public:
    Descent(const RandomPyramid& pyramid, const TileView& from, const TileView& to, test::Random& random)
        : m_pyramid(pyramid), m_from(from), m_to(to) {
        const TileLayout& layout = pyramid.layout;
        const double cells = layout.tileCells;
        const double width = (layout.samplesX - 1.0) * pyramid.fineScale();  // of the ground
        const double depth = (layout.samplesZ - 1.0) * pyramid.fineScale();
        for (int i = 0; i < 400; ++i) {
            double x = random.unit() * width, z = random.unit() * depth;
            if (i % 4 == 1)
                x = std::floor(x / cells) * cells + random.integer(0, 1) * 0.25;  // on tiles' borders
            if (i % 4 == 2) z = std::floor(z / cells) * cells;
            if (x < width && z < depth) m_points.push_back({x, z});
        }
        m_metres = length(to.eye - from.eye) + std::abs(to.targetRadius - from.targetRadius) +
                   std::hypot(to.focusX - from.focusX, to.focusZ - from.focusZ);
        // Levels a metre: see the even rise of error tables, the fade of the disk and a root's descent.
        const double cell = std::max(layout.spacingX, layout.spacingZ) * std::exp2(pyramid.finestLevel());
        const double coarsest = layout.rootLevel() + pyramid.tileLevels();
        double levels = 32 * kMaxCellPixels / (from.projectionScale * cell);
        if (from.targetRadius > 0) levels += 2 * coarsest / std::min(from.targetRadius, to.targetRadius);
        m_heightsPerLevel = 2 * pyramid.largestError() * std::max(1, pyramid.tileLevels() - 1);
        m_heightPerMetre = m_heightsPerLevel * levels;
    }

    std::size_t events = 0;

    void run(int steps) {
        State before = at(0);
        for (int i = 1; i <= steps; ++i) {
            State after = at(double(i) / steps);
            compareHeights(before, after);
            if (!::testing::Test::HasFatalFailure()) findJumps(before, after);
            if (::testing::Test::HasFatalFailure()) return;
            before = std::move(after);
        }
    }

  private:
    struct State {
        double part = 0;
        std::vector<float> signature;
        std::vector<TileNode> nodes;
        std::vector<double> heights;
    };

    State at(double part) {
        TileView view = m_from;
        const auto mix = [&](double a, double b) { return a + part * (b - a); };
        view.eye = {mix(m_from.eye.x, m_to.eye.x), mix(m_from.eye.y, m_to.eye.y),
                    mix(m_from.eye.z, m_to.eye.z)};
        view.focusX = mix(m_from.focusX, m_to.focusX);
        view.focusZ = mix(m_from.focusZ, m_to.focusZ);
        view.targetRadius = mix(m_from.targetRadius, m_to.targetRadius);
        const TileSelection selection = m_selector.select(m_pyramid.surface, view, detailOf(m_pyramid));
        State state;
        state.part = part;
        for (const TileNode& node : selection.nodes) {
            state.signature.push_back(static_cast<float>(node.key.level));
            for (const float detail :
                 {node.detail, node.edges[0], node.edges[1], node.edges[2], node.edges[3]})
                state.signature.push_back(std::floor(detail * 4));
        }
        state.nodes.assign(selection.nodes.begin(), selection.nodes.end());
        return state;
    }

    void measure(State& state) {
        if (!state.heights.empty()) return;
        const DrawnGround drawn(m_pyramid, state.nodes);
        for (const auto& [x, z] : m_points)
            state.heights.push_back(drawn.height(x, z));
    }

    void compareHeights(State& a, State& b) {
        measure(a);
        measure(b);
        double most = 0;
        std::size_t where = 0;
        for (std::size_t i = 0; i < m_points.size(); ++i) {
            const double moved = std::abs(a.heights[i] - b.heights[i]);
            if (moved > most) where = i;
            most = std::max(most, moved);
        }
        const double metres = (b.part - a.part) * m_metres;
        ASSERT_LE(most, m_heightPerMetre * metres + m_heightsPerLevel * 3 / 65536)
            << "at " << a.part << " over " << metres << " metres, point " << m_points[where].first << ", "
            << m_points[where].second << ", from " << a.heights[where] << " to " << b.heights[where]
            << ", changed " << (a.signature != b.signature);
    }

    // Halves the way down to where something changes; there, nothing drawn may.
    void findJumps(State& a, State& b) {
        if (a.signature == b.signature) return;
        if ((b.part - a.part) * m_metres < 1e-8) {
            ++events;
            compareHeights(a, b);
            return;
        }
        State middle = at((a.part + b.part) / 2);
        findJumps(a, middle);
        if (!::testing::Test::HasFatalFailure()) findJumps(middle, b);
    }

    const RandomPyramid& m_pyramid;
    TileView m_from, m_to;
    std::vector<std::pair<double, double>> m_points;
    double m_metres = 0, m_heightsPerLevel = 0, m_heightPerMetre = 0;
    TileSelector m_selector;
};

TEST(TileSelectionEdges, H13_NothingJumpsWhileTheCameraDescends) {
    test::Random random(4);
    std::size_t events = 0;
    for (int i = 0; i < 25; ++i) {
        const RandomPyramid pyramid(randomShape(random, 4), random);
        TileView from = pyramid.randomView(random);
        from.eye.y += random.range(0, 200);
        TileView to = from;
        const Rect rect = pyramid.layout.groundRect();
        to.eye = {random.range(rect.minX, rect.maxX), random.range(0, 15),
                  random.range(rect.minZ, rect.maxZ)};
        if (from.targetRadius > 0) {
            to.focusX = random.range(rect.minX, rect.maxX);
            to.focusZ = random.range(rect.minZ, rect.maxZ);
            to.targetRadius = from.targetRadius * random.range(0.8, 1.5);
        }
        Descent descent(pyramid, from, to, random);
        descent.run(20);
        events += descent.events;
        ASSERT_FALSE(HasFatalFailure()) << "pyramid " << i << ": cells " << pyramid.layout.tileCells
                                        << ", levels " << pyramid.layout.storedLevels << ", roots "
                                        << pyramid.layout.rootsX << " x " << pyramid.layout.rootsZ;
    }
    EXPECT_GT(events, 1000u);
}

TEST(TileSelectionEdges, H15_CoarsenedTilesKeepEveryRule) {
    Counts counts;
    std::size_t coarser = 0;
    forRandomSelections(
        5, 50, [&](const auto& pyramid, const Kept& kept, TileSelector& selector, auto& random) {
            for (int round = 0; round < 3; ++round) {
                std::vector<float> coarsest;
                for (const TileNode& node : kept.nodes) {
                    const double level = node.key.level;
                    coarsest.push_back(static_cast<float>(
                        random.chance(0.3) ? level - 1
                                           : level + random.range(0, pyramid.tileLevels() + 1.0)));
                }
                const Kept result(selector.coarsen(coarsest));
                ASSERT_EQ(result.nodes.size(), kept.nodes.size());
                for (std::size_t i = 0; i < kept.nodes.size(); ++i) {
                    const TileNode &before = kept.nodes[i], &after = result.nodes[i];
                    ASSERT_EQ(after.key, before.key);
                    ASSERT_GE(after.detail, before.detail);
                    ASSERT_LE(after.detail, std::max(before.detail, coarsest[i]));
                    const float top = static_cast<float>(before.key.level + pyramid.tileLevels());
                    // What was asked for, but for the last level beside smaller tiles.
                    const float asked =
                        std::floor(std::clamp(coarsest[i], before.detail, top) * 65536.0f) / 65536.0f;
                    ASSERT_LE(after.detail, asked);
                    if (after.detail < asked) {
                        ASSERT_GE(after.detail, top - 1);
                    }
                    coarser += after.detail > before.detail;
                }
                checkSelection(pyramid, result.nodes, random, counts);
                checkEdges(pyramid, result.nodes, counts);
                if (::testing::Test::HasFatalFailure()) return;
            }
            // Nothing asked, nothing changed; and the last coarsening leaves nothing behind.
            const std::vector<float> none(kept.nodes.size(), -100.0f);
            ASSERT_EQ(Kept(selector.coarsen(none)).nodes, kept.nodes);
            const Kept again(selector.coarsen(none));
            ASSERT_EQ(again.used, kept.used);
            ASSERT_EQ(again.wanted.size(), kept.wanted.size());
        });
    EXPECT_GT(coarser, 2000u);
    EXPECT_GT(counts.differing, 1000u);
}

// Heights follow what is asked for as evenly as its details.
TEST(TileSelectionEdges, H15_NothingJumpsWhileTilesCoarsen) {
    test::Random random(6);
    TileSelector selector;
    for (int i = 0; i < 20; ++i) {
        const RandomPyramid pyramid(randomShape(random), random);
        const Kept kept(selector.select(pyramid.surface, pyramid.randomView(random), detailOf(pyramid)));
        std::vector<float> coarsest(kept.nodes.size());
        std::vector<double> before;
        const double width = (pyramid.layout.samplesX - 1.0) * pyramid.fineScale();
        const double depth = (pyramid.layout.samplesZ - 1.0) * pyramid.fineScale();
        std::vector<std::pair<double, double>> points;
        for (int k = 0; k < 200; ++k)
            points.push_back({random.unit() * width, random.unit() * depth});
        std::vector<double> speeds;
        for (std::size_t n = 0; n < kept.nodes.size(); ++n)
            speeds.push_back(random.unit());
        const int steps = 100;
        for (int step = 0; step <= steps; ++step) {
            const double up = (pyramid.tileLevels() + 1.0) * step / steps;
            for (std::size_t n = 0; n < kept.nodes.size(); ++n)
                coarsest[n] = static_cast<float>(kept.nodes[n].key.level + up * speeds[n]);
            const Kept result(selector.coarsen(coarsest));
            const DrawnGround drawn(pyramid, result.nodes);
            std::vector<double> heights;
            for (const auto& [x, z] : points)
                heights.push_back(drawn.height(x, z));
            for (std::size_t k = 0; k < before.size(); ++k) {
                ASSERT_LE(std::abs(heights[k] - before[k]),
                          4 * pyramid.largestError() * (pyramid.tileLevels() + 1.0) / steps + 1e-3);
            }
            before = heights;
        }
    }
}

}  // namespace
}  // namespace karst::heightfield
