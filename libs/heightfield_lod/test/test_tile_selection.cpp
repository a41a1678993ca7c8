#include "random_pyramid.h"

#include <gtest/gtest.h>

#include <limits>

namespace karst::heightfield {
namespace {

std::uint32_t detailOf(const RandomPyramid& pyramid) {
    return static_cast<std::uint32_t>(-pyramid.finestLevel());
}

double cellOf(const TileLayout& layout, double level) {
    return std::max(layout.spacingX, layout.spacingZ) * std::exp2(level);
}

// Error at a level with a fraction, in proportion between entries.
double errorAt(const HeightTile& tile, double level) {
    const double below = std::floor(level);
    const double low = tile.errorAt(static_cast<std::int32_t>(below));
    const double high = tile.errorAt(static_cast<std::int32_t>(below) + 1);
    return low + (level - below) * (high - low);
}

// The side of a cell on screen is drawn between two powers of two in proportion, too.
double cellAt(const TileLayout& layout, double level) {
    const double below = std::floor(level);
    return cellOf(layout, below) * (1 + (level - below));
}

double pinAt(const RandomPyramid& pyramid, const TileView& view, const Bounds& box) {
    const double coarsest = pyramid.layout.rootLevel() + pyramid.tileLevels();
    if (view.targetRadius == 0) return coarsest;
    const double away = std::hypot(std::max({box.min.x - view.focusX, 0.0, view.focusX - box.max.x}),
                                   std::max({box.min.z - view.focusZ, 0.0, view.focusZ - box.max.z}));
    return coarsest * std::clamp((away - view.targetRadius) / view.targetRadius, 0.0, 1.0);
}

// Is a tile coarser than its view asks for, even at a detail of `level`?
bool isTooCoarse(const RandomPyramid& pyramid, const TileView& view, const TileKey& key, double level) {
    const TileLayout& layout = pyramid.layout;
    const Bounds box = pyramid.box(key);
    const double away = distance(box, view.eye);
    // All but a 32nd of the tolerance is for the error: the rest keeps level error tables rising.
    const double error = errorAt(*pyramid.tiles.at(key), level) +
                         cellAt(layout, level) * view.tolerance / (32 * kMaxCellPixels);
    return error * view.projectionScale > view.tolerance * away ||
           cellAt(layout, level) * view.projectionScale > kMaxCellPixels * away ||
           pinAt(pyramid, view, box) < level;
}

// The tree of a selection, by its definition: sets of keys, grown until nothing changes.
class Oracle {
  public:
    Oracle(const RandomPyramid& pyramid, const Surface& surface, const TileView& view, std::uint32_t detail)
        : m_layout(pyramid.layout), m_surface(surface), m_finest(-static_cast<std::int32_t>(detail)) {
        for (bool grows = true; grows;) {
            grows = false;
            for (const auto& [key, tile] : pyramid.tiles) {
                if (inner.contains(key) || !exists(key) || !may(key)) continue;
                if (!isTooCoarse(pyramid, view, key, key.level) && !neededBeside(key)) continue;
                inner.insert(key);
                grows = true;
            }
        }
        for (const auto& [key, tile] : pyramid.tiles) {
            if (exists(key) && !inner.contains(key)) leaves.insert(key);
        }
    }

    std::set<TileKey> inner, leaves;

    bool exists(const TileKey& key) const {
        return key.level == m_layout.rootLevel() || inner.contains(key.parent());
    }

    bool childrenResident(const TileKey& key) const {
        for (std::uint32_t i = 0; i < 4; ++i) {
            const TileKey child = key.child(i);
            if (m_layout.contains(child) && m_surface.find(child) == nullptr) return false;
        }
        return true;
    }

    // By what is resident alone.
    bool may(const TileKey& key) const {
        if (key.level <= m_finest || !childrenResident(key)) return false;
        if (key.level == m_layout.rootLevel()) return true;
        if (!may(key.parent())) return false;
        for (const TileKey& beside : neighbours(key)) {
            if (!(beside.parent() == key.parent()) && !may(beside.parent())) return false;
        }
        return true;
    }

    std::vector<TileKey> neighbours(const TileKey& key) const {
        std::vector<TileKey> out;
        for (const auto& [dx, dz] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
            const TileKey beside{key.level, key.x + static_cast<std::uint32_t>(dx),
                                 key.z + static_cast<std::uint32_t>(dz)};
            if (m_layout.contains(beside)) out.push_back(beside);
        }
        return out;
    }

  private:
    // Has it an inner neighbour one level finer, whose children would be two levels finer than this?
    bool neededBeside(const TileKey& key) const {
        for (const TileKey& tile : inner) {
            if (tile.level != key.level - 1) continue;
            for (const TileKey& beside : neighbours(tile)) {
                if (beside.parent() == key) return true;
            }
        }
        return false;
    }

    const TileLayout& m_layout;
    const Surface& m_surface;
    std::int32_t m_finest;
};

struct Case {
    RandomPyramid pyramid;
    Surface surface;
    TileView view;
    std::uint32_t detail;
};

// `run` is called with random pyramids, each with random subsets of its tiles and random views.
template <class Run>
void forRandomCases(std::uint64_t seed, int pyramids, const Run& run) {
    test::Random random(seed);
    for (int i = 0; i < pyramids; ++i) {
        Case one{RandomPyramid(randomShape(random), random), {}, {}, 0};
        for (int k = 0; k < 8; ++k) {
            one.surface = k < 3 ? one.pyramid.surface : one.pyramid.some(random, random.range(0.3, 1.0));
            one.view = one.pyramid.randomView(random);
            one.detail = random.chance(0.8) ? detailOf(one.pyramid) : 0;
            run(one);
            if (::testing::Test::HasFatalFailure()) return;
        }
    }
}

TEST(TileView, H11_RefusesByName) {
    EXPECT_TRUE(validate(TileView{}).ok());
    const auto refused = [](auto change, const char* name) {
        TileView view;
        change(view);
        const Result<void> result = validate(view);
        ASSERT_FALSE(result.ok()) << name;
        EXPECT_NE(result.error().message.find(name), std::string::npos) << result.error().message;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    for (const double bad : {0.0, -1.0, nan, inf}) {
        refused([&](TileView& v) { v.tolerance = bad; }, "tolerance");
        refused([&](TileView& v) { v.projectionScale = bad; }, "projection scale");
    }
    for (const double bad : {-1.0, nan, inf})
        refused([&](TileView& v) { v.targetRadius = bad; }, "target radius");
    for (const double bad : {nan, inf, -inf}) {
        refused([&](TileView& v) { v.eye.x = bad; }, "eye");
        refused([&](TileView& v) { v.eye.y = bad; }, "eye");
        refused([&](TileView& v) { v.eye.z = bad; }, "eye");
        refused([&](TileView& v) { v.focusX = bad; }, "focus X");
        refused([&](TileView& v) { v.focusZ = bad; }, "focus Z");
    }
}

TEST(TileSelection, H11_WithoutAllRootsSelectsNothingAndWantsThem) {
    TileSelector selector;
    EXPECT_TRUE(selector.select(Surface(), TileView{}).nodes.empty());
    EXPECT_TRUE(selector.select(Surface(), TileView{}).wanted.empty());
    test::Random random(1);
    PyramidShape shape;
    shape.rootsX = 3;
    shape.rootsZ = 2;
    const RandomPyramid pyramid(shape, random);
    std::vector<TilePtr> tiles;
    for (const auto& [key, tile] : pyramid.tiles) {
        if (!(key == TileKey{2, 1, 0}) && !(key == TileKey{2, 0, 1})) tiles.push_back(tile);
    }
    (void)selector.select(pyramid.surface, TileView{});  // nothing is left over from it
    const TileSelection selection = selector.select(*Surface::fromTiles(pyramid.layout, tiles), TileView{});
    EXPECT_TRUE(selection.nodes.empty());
    EXPECT_TRUE(selection.used.empty());
    EXPECT_TRUE(selector.coarsen({}).nodes.empty());
    ASSERT_EQ(selection.wanted.size(), 2u);
    EXPECT_EQ(selection.wanted[0].key, (TileKey{2, 1, 0}));
    EXPECT_EQ(selection.wanted[1].key, (TileKey{2, 0, 1}));
    EXPECT_FALSE(selection.wanted[0].prefetch);
}

// The detail of a tile that nothing else holds down is the coarsest that the view allows.
TEST(TileSelection, H11_DetailIsTheCoarsestWithinToleranceCellAndPin) {
    test::Random random(2);
    TileSelector selector;
    int between = 0, byCell = 0, byPin = 0, byError = 0;
    for (int i = 0; i < 60; ++i) {
        PyramidShape shape = randomShape(random);
        shape.levels = 1;  // one level: no neighbour or parent holds a detail down
        shape.detailLevels = 0;
        const RandomPyramid pyramid(shape, random);
        for (int k = 0; k < 20; ++k) {
            const TileView view = pyramid.randomView(random);
            for (const TileNode& node : selector.select(pyramid.surface, view).nodes) {
                const double detail = double{node.detail}, top = pyramid.tileLevels();
                if (detail == 0) {
                    EXPECT_TRUE(isTooCoarse(pyramid, view, node.key, 1e-4));
                    continue;
                }
                EXPECT_FALSE(isTooCoarse(pyramid, view, node.key, detail - 1e-9));
                if (detail == top) continue;
                ++between;
                const double over = detail + 2.0 / 65536;
                ASSERT_TRUE(isTooCoarse(pyramid, view, node.key, over));
                const Bounds box = pyramid.box(node.key);
                const double away = distance(box, view.eye);
                if (pinAt(pyramid, view, box) < over)
                    ++byPin;
                else if (cellAt(pyramid.layout, over) * view.projectionScale > kMaxCellPixels * away)
                    ++byCell;
                else
                    ++byError;
            }
        }
    }
    EXPECT_GT(between, 500);
    EXPECT_GT(byPin, 30);
    EXPECT_GT(byCell, 50);
    EXPECT_GT(byError, 50);
}

// With everything resident, errors and cells on screen are within the limits wherever finer tiles exist, and
// so is the drawn error itself. Only in the cells along a border may it be larger: there the ground bends
// from its own lattice to the edge that a coarser neighbour shares, which is within the neighbour's limit.
TEST(TileSelection, H11_ErrorAndCellsOnScreenAreWithinTheirLimits) {
    std::size_t measured = 0, strips = 0;
    TileSelector selector;
    test::Random random(33);
    forRandomCases(3, 40, [&](const Case& one) {
        const RandomPyramid& pyramid = one.pyramid;
        const TileLayout& layout = pyramid.layout;
        const TileSelection selection = selector.select(pyramid.surface, one.view, one.detail);
        const DrawnGround drawn(pyramid, selection.nodes);
        const auto away = [&](const TileNode& node) { return distance(pyramid.box(node.key), one.view.eye); };
        const auto isFinest = [&](const TileNode& node) {
            return node.key.level == -static_cast<std::int32_t>(one.detail) &&
                   node.detail == static_cast<float>(node.key.level);
        };
        for (const TileNode& node : selection.nodes) {
            if (isFinest(node)) continue;
            const HeightTile& tile = *pyramid.tiles.at(node.key);
            const double allowed = one.view.tolerance / one.view.projectionScale;
            ASSERT_LE(errorAt(tile, double{node.detail}), allowed * away(node));
            ASSERT_LE(cellAt(layout, double{node.detail}) * one.view.projectionScale,
                      kMaxCellPixels * away(node) * 1.0000001);
            // Around the node: how far away, and as fine as asked for?
            const std::int64_t span = std::int64_t{1} << (node.key.level - pyramid.finestLevel());
            const std::int64_t tileX = node.key.x * span, tileZ = node.key.z * span;
            double farthest = away(node);
            bool fineAround = true;
            for (std::int64_t k = 0; k < span; ++k) {
                for (const int n :
                     {drawn.owner(tileX - 1, tileZ + k), drawn.owner(tileX + span, tileZ + k),
                      drawn.owner(tileX + k, tileZ - 1), drawn.owner(tileX + k, tileZ + span)}) {
                    if (n < 0) continue;
                    const TileNode& beside = selection.nodes[static_cast<std::size_t>(n)];
                    farthest = std::max(farthest, away(beside));
                    fineAround = fineAround && !isFinest(beside);
                }
            }
            const int cells = static_cast<int>(layout.tileCells), scale = static_cast<int>(span);
            for (int k = 0; k < 20; ++k) {
                const int x = random.integer(0, cells * scale), z = random.integer(0, cells * scale);
                const int fineX = static_cast<int>(tileX) * cells + x;
                const int fineZ = static_cast<int>(tileZ) * cells + z;
                // Samples beyond the ground are nobody's business.
                if (fineX > (layout.samplesX - 1.0) * pyramid.fineScale() ||
                    fineZ > (layout.samplesZ - 1.0) * pyramid.fineScale()) {
                    continue;
                }
                const double u = double(x) / scale, v = double(z) / scale;
                const double error =
                    std::abs(sampleNodeHeight(tile, layout, node, u, v) - pyramid.fine(fineX, fineZ));
                const double strip = std::exp2(std::floor(double{node.detail}) + 1 - node.key.level);
                const bool inStrip = u < strip || v < strip || u > cells - strip || v > cells - strip;
                if (!inStrip) {
                    ++measured;
                    ASSERT_LE(error, allowed * away(node) + 1e-6);
                } else if (fineAround) {
                    ++strips;
                    ASSERT_LE(error, allowed * (2 * away(node) + farthest) + 1e-6);
                }
            }
        }
    });
    EXPECT_GT(measured, 5000u);
    EXPECT_GT(strips, 5000u);
}

// The disk is drawn with level 0 at its finest; synthesised levels come by screen error only.
TEST(TileSelection, H11_TargetDiskPinsTheFinestStoredLevel) {
    test::Random random(4);
    TileSelector selector;
    std::size_t pinned = 0, free = 0;
    for (int i = 0; i < 30; ++i) {
        PyramidShape shape = randomShape(random, 4);
        shape.detailLevels = 1;
        shape.levels = std::max(shape.levels, 2u);
        const RandomPyramid pyramid(shape, random);
        const Rect rect = pyramid.layout.groundRect();
        TileView view;
        view.eye = {rect.minX, 1e6, rect.minZ};  // so far that nothing but the disk asks for detail
        view.focusX = random.range(rect.minX, rect.maxX);
        view.focusZ = random.range(rect.minZ, rect.maxZ);
        view.targetRadius = random.range(0.1, rect.width() / 3);
        const double coarsest = pyramid.layout.rootLevel() + pyramid.tileLevels();
        for (const TileNode& node : selector.select(pyramid.surface, view, 1).nodes) {
            const double fade = pinAt(pyramid, view, pyramid.box(node.key)) / coarsest;
            EXPECT_GE(node.key.level, 0);
            EXPECT_LE(double{node.detail}, std::max(coarsest * fade, double(node.key.level)));
            if (fade == 0) {
                ++pinned;
                EXPECT_EQ(node.key.level, 0);
                EXPECT_EQ(node.detail, 0);
            } else if (fade == 1) {
                ++free;
            }
        }
        // Near, the same disk does not keep the synthesised level away.
        view.eye = {view.focusX, 0, view.focusZ};
        bool synthesised = false;
        for (const TileNode& node : selector.select(pyramid.surface, view, 1).nodes)
            synthesised = synthesised || node.key.level == -1;
        EXPECT_TRUE(synthesised);
        for (const TileNode& node : selector.select(pyramid.surface, view, 0).nodes)
            EXPECT_GE(node.key.level, 0);
    }
    EXPECT_GT(pinned, 30u);
    EXPECT_GT(free, 10u);
}

TEST(TileSelection, H12_TreeIsWhatTheViewAndTheResidentTilesDefine) {
    std::size_t forced = 0, blocked = 0, deep = 0;
    TileSelector selector;
    forRandomCases(5, 200, [&](const Case& one) {
        const Oracle oracle(one.pyramid, one.surface, one.view, one.detail);
        const Kept selection(selector.select(one.surface, one.view, one.detail));
        std::set<TileKey> leaves;
        for (const TileNode& node : selection.nodes)
            leaves.insert(node.key);
        ASSERT_EQ(leaves.size(), selection.nodes.size());
        ASSERT_EQ(leaves, oracle.leaves);
        // `used`: all of the tree.
        const std::set<TileKey> used(selection.used.begin(), selection.used.end());
        std::set<TileKey> tree = oracle.leaves;
        tree.insert(oracle.inner.begin(), oracle.inner.end());
        ASSERT_EQ(used.size(), selection.used.size());
        ASSERT_EQ(used, tree);
        for (const TileKey& key : oracle.inner)
            forced += isTooCoarse(one.pyramid, one.view, key, key.level) ? 0 : 1;
        for (const TileKey& key : oracle.leaves) {
            blocked += isTooCoarse(one.pyramid, one.view, key, key.level) && oracle.childrenResident(key) &&
                       key.level > -static_cast<std::int32_t>(one.detail);
            deep += key.level < 0;
        }
    });
    EXPECT_GT(forced, 100u);
    EXPECT_GT(blocked, 100u);
    EXPECT_GT(deep, 100u);
}

TEST(TileSelection, H12_ChildrenAreCappedAtTheirParentsLevelAndRootsKeepTheirRange) {
    std::size_t capped = 0;
    std::set<float> rootDetails;
    TileSelector selector;
    forRandomCases(6, 40, [&](const Case& one) {
        for (const TileNode& node : selector.select(one.surface, one.view, one.detail).nodes) {
            const float level = static_cast<float>(node.key.level);
            ASSERT_GE(node.detail, level);
            if (one.pyramid.isRoot(node.key)) {
                ASSERT_LE(node.detail, level + static_cast<float>(one.pyramid.tileLevels()));
                rootDetails.insert(std::floor(node.detail - level));
            } else {
                ASSERT_LE(node.detail, level + 1);
                capped += node.detail == level + 1;
            }
            // A level less is exact in f32: the drawing subtracts the tile's level.
            EXPECT_EQ(double{node.detail - level}, double{node.detail} - double{level});
        }
    });
    EXPECT_GT(capped, 100u);
    EXPECT_EQ(rootDetails.size(), 5u);  // 0 .. 4: tiles of up to 16 cells
    // Alone and far away, a root of any size is two triangles.
    test::Random random(7);
    PyramidShape shape;
    shape.rootsX = 1;
    const RandomPyramid pyramid(shape, random);
    TileView view;
    view.eye = {0, 1e7, 0};
    const TileSelection far = selector.select(pyramid.surface, view);
    ASSERT_EQ(far.nodes.size(), 1u);
    EXPECT_EQ(far.nodes[0].detail, 2 + 3);
}

// Both draw the parent's lattice at the moment of a switch.
TEST(TileSelection, H12_AtASwitchParentAndChildrenDrawTheParentsLattice) {
    test::Random random(8);
    TileSelector selector;
    int switches = 0;
    for (int i = 0; i < 40; ++i) {
        PyramidShape shape = randomShape(random, 4);
        shape.levels = std::max(shape.levels, 2u);
        const RandomPyramid pyramid(shape, random);
        const std::uint32_t detail = detailOf(pyramid);
        TileView near = pyramid.randomView(random), far = near;
        near.targetRadius = far.targetRadius = 0;
        far.eye.y += 1000 * random.range(1, 20);
        const auto at = [&](double part) {
            TileView view = near;
            view.eye.y += part * (far.eye.y - near.eye.y);
            return Kept(selector.select(pyramid.surface, view, detail));
        };
        // Halve the way between a finer and a coarser tree until they are one step of rounding apart.
        double fineAt = 0, coarseAt = 1;
        for (int k = 0; k < 60; ++k) {
            const double middle = (fineAt + coarseAt) / 2;
            (at(middle).used.size() == at(0).used.size() ? fineAt : coarseAt) = middle;
        }
        const Kept fine = at(fineAt), coarse = at(coarseAt);
        const std::set<TileKey> inCoarse(coarse.used.begin(), coarse.used.end());
        for (const TileNode& node : fine.nodes) {
            if (inCoarse.contains(node.key)) continue;
            ++switches;
            EXPECT_NEAR(node.detail, node.key.level + 1, 1e-3);
            for (const TileNode& parent : coarse.nodes) {
                if (parent.key == node.key.parent()) {
                    EXPECT_NEAR(parent.detail, parent.key.level, 1e-3);
                }
            }
        }
    }
    EXPECT_GT(switches, 60);
}

TEST(TileSelection, H12_MissingChildrenAreWantedAndNothingElse) {
    std::size_t needed = 0, prefetched = 0;
    TileSelector selector;
    forRandomCases(9, 150, [&](const Case& one) {
        const Kept full(selector.select(one.pyramid.surface, one.view, one.detail));
        const std::set<TileKey> fullTree(full.used.begin(), full.used.end());
        const Kept part(selector.select(one.surface, one.view, one.detail));
        std::map<TileKey, TileNode> leaves;
        for (const TileNode& node : part.nodes)
            leaves[node.key] = node;
        std::set<TileKey> needs, prefetches;
        for (std::size_t i = 0; i < part.wanted.size(); ++i) {
            const WantedTile& tile = part.wanted[i];
            ASSERT_TRUE((tile.prefetch ? prefetches : needs).insert(tile.key).second);
            if (i > 0) {
                ASSERT_LE(tile.key.level, part.wanted[i - 1].key.level);  // coarsest first
            }
            ASSERT_TRUE(one.pyramid.layout.contains(tile.key));
            ASSERT_EQ(one.surface.find(tile.key), nullptr);
            ASSERT_TRUE(leaves.contains(tile.key.parent()));
            ASSERT_GE(tile.key.level, -static_cast<std::int32_t>(one.detail));
            if (tile.prefetch) {
                const TileNode& parent = leaves.at(tile.key.parent());
                ASSERT_LT(parent.detail, static_cast<float>(parent.key.level) + 0.5f);
            } else {
                // Never a tile that the view does not want: all of them belong to the full selection.
                ASSERT_TRUE(fullTree.contains(tile.key));
            }
        }
        for (const auto& [key, node] : leaves) {
            if (key.level == -static_cast<std::int32_t>(one.detail)) continue;
            const bool splits = isTooCoarse(one.pyramid, one.view, key, key.level);
            for (std::uint32_t c = 0; c < 4; ++c) {
                const TileKey child = key.child(c);
                if (!one.pyramid.layout.contains(child) || one.surface.find(child) != nullptr) continue;
                if (splits) {
                    ++needed;
                    ASSERT_TRUE(needs.contains(child));
                } else if (node.detail < static_cast<float>(key.level) + 0.5f) {
                    ++prefetched;
                    ASSERT_TRUE(needs.contains(child) || prefetches.contains(child));
                }
            }
        }
    });
    EXPECT_GT(needed, 500u);
    EXPECT_GT(prefetched, 100u);
}

// Loading what is wanted leads from the roots to the selection of a fully resident pyramid.
TEST(TileSelection, H12_LoadingWhatIsWantedLeadsToTheFullSelection) {
    std::size_t loads = 0;
    TileSelector selector;
    forRandomCases(10, 30, [&](const Case& one) {
        std::map<TileKey, TilePtr> resident;
        for (const TilePtr& tile : one.surface.tiles())
            resident[tile->key] = tile;
        Kept selection;
        for (int round = 0; round < 20; ++round) {
            std::vector<TilePtr> tiles;
            for (const auto& [key, tile] : resident)
                tiles.push_back(tile);
            selection =
                Kept(selector.select(*Surface::fromTiles(one.pyramid.layout, tiles), one.view, one.detail));
            bool more = false;
            for (const WantedTile& tile : selection.wanted) {
                if (tile.prefetch) continue;
                resident[tile.key] = one.pyramid.tiles.at(tile.key);
                more = true;
                ++loads;
            }
            if (!more) break;
        }
        ASSERT_EQ(selection.nodes, Kept(selector.select(one.pyramid.surface, one.view, one.detail)).nodes);
    });
    EXPECT_GT(loads, 1000u);
}

TEST(TileSelection, H11_SameSelectionFromAnySelectorAndMovedOnes) {
    TileSelector selector;
    forRandomCases(11, 10, [&](const Case& one) {
        const Kept first(selector.select(one.surface, one.view, one.detail));
        TileSelector fresh;
        TileSelector moved(std::move(fresh));
        const Kept second(moved.select(one.surface, one.view, one.detail));
        ASSERT_EQ(first.nodes, second.nodes);
        ASSERT_EQ(first.used, second.used);
    });
}

}  // namespace
}  // namespace karst::heightfield
