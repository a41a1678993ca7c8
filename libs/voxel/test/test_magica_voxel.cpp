#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/voxel/magica_voxel.h>
#include <karst_test/test_support.h>

#include <fstream>
#include <set>
#include <tuple>

#include "vox_file.h"

namespace karst::voxel {
namespace {

using karst::test::Random;
using test::VoxFile;
using ::testing::HasSubstr;

const std::vector<MagicaVoxelCell> kCells{{0, 0, 0, 1}, {1, 2, 3, 7}, {2, 1, 0, 255}};

std::vector<CellCoord> cellsOf(const MagicaVoxelScene& scene) {
    std::vector<CellCoord> out;
    for (const MagicaVoxelInstance& instance : scene.instances)
        for (const MagicaVoxelCell& cell : scene.models[instance.model].cells)
            out.push_back(scene.cellOf(instance, cell));
    return out;
}

std::string errorOf(const std::vector<std::byte>& bytes, const MagicaVoxelLimits& limits = {}) {
    const auto scene = readMagicaVoxel(bytes, limits);
    return scene ? "no error" : scene.error().message;
}

// A scene of every kind of chunk: the fuzzer's corpus is made of these.
VoxFile fullScene() {
    VoxFile file;
    std::array<std::array<std::uint8_t, 4>, 256> palette{};
    for (std::size_t i = 1; i < 256; ++i)
        palette[i] = {static_cast<std::uint8_t>(i), 0, static_cast<std::uint8_t>(255 - i), 255};
    file.model({3, 3, 4}, kCells).model({1, 1, 1}, {{0, 0, 0, 9}});
    file.transform(0, 1, {}).group(1, {2, 4, 6});
    file.transform(2, 3, {{"_r", "40"}, {"_t", "5 -6 7"}}, {{"_name", "turned"}}, 0).shape(3, 0);
    file.transform(4, 5, {{"_t", "-40 0 0"}}).shape(5, 1);
    file.transform(6, 5, {{"_t", "9 9 9"}}, {{"_hidden", "1"}}, 1);
    file.layer(0, {{"_name", "a"}}).layer(1, {{"_hidden", "1"}}).palette(palette);
    return file;
}

TEST(MagicaVoxel, ReadsOneModelWithoutAGraph) {
    const auto scene = readMagicaVoxel(VoxFile().model({3, 3, 4}, kCells).bytes(150));
    ASSERT_TRUE(scene) << scene.error().message;
    ASSERT_EQ(scene->models.size(), 1u);
    EXPECT_EQ(scene->models[0].cells, kCells);
    // x stays, up becomes y, and north is -z.
    EXPECT_EQ(cellsOf(*scene), (std::vector<CellCoord>{{0, 0, -1}, {1, 3, -3}, {2, 0, -2}}));
    EXPECT_EQ(scene->bounds(), (CellBox{{0, 0, -3}, {3, 4, 0}}));
}

TEST(MagicaVoxel, HasTheDefaultPaletteWhereTheFileHasNone) {
    const auto scene = readMagicaVoxel(VoxFile().model({3, 3, 4}, kCells).bytes());
    ASSERT_TRUE(scene);
    using Color = std::array<std::uint8_t, 4>;
    EXPECT_EQ(scene->palette[1], (Color{255, 255, 255, 255}));
    EXPECT_EQ(scene->palette[2], (Color{255, 255, 0xcc, 255}));
    EXPECT_EQ(scene->palette[7], (Color{255, 0xcc, 255, 255}));
    EXPECT_EQ(scene->palette[37], (Color{0xcc, 255, 255, 255}));
    EXPECT_EQ(scene->palette[215], (Color{0, 0, 0x33, 255}));
    EXPECT_EQ(scene->palette[216], (Color{0xee, 0, 0, 255}));
    EXPECT_EQ(scene->palette[245], (Color{0, 0, 0x11, 255}));
    EXPECT_EQ(scene->palette[255], (Color{0x11, 0x11, 0x11, 255}));
}

TEST(MagicaVoxel, ReadsTheFilesPalette) {
    const auto scene = readMagicaVoxel(fullScene().bytes());
    ASSERT_TRUE(scene) << scene.error().message;
    EXPECT_EQ(scene->palette[1], (std::array<std::uint8_t, 4>{1, 0, 254, 255}));
    EXPECT_EQ(scene->palette[255], (std::array<std::uint8_t, 4>{255, 0, 0, 255}));
}

TEST(MagicaVoxel, WalksTheGraphAndLeavesHiddenNodesOut) {
    const auto scene = readMagicaVoxel(fullScene().bytes());
    ASSERT_TRUE(scene) << scene.error().message;
    ASSERT_EQ(scene->instances.size(), 2u);
    EXPECT_EQ(scene->instances[1].model, 1u);
    EXPECT_EQ(cellsOf(*scene).back(), (CellCoord{-40, 0, -1}));
    MagicaVoxelLimits all;
    all.includeHidden = true;
    const auto whole = readMagicaVoxel(fullScene().bytes(), all);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->instances.size(), 3u);
}

TEST(MagicaVoxel, APlacedModelHasItsMiddleAtTheTranslation) {
    VoxFile file;
    file.model({5, 4, 3}, {{0, 0, 0, 1}, {4, 3, 2, 1}}).transform(0, 1, {{"_t", "10 20 30"}}).shape(1, 0);
    const auto scene = readMagicaVoxel(file.bytes());
    ASSERT_TRUE(scene) << scene.error().message;
    // 5 / 2 = 2, 4 / 2 = 2, 3 / 2 = 1 below the translation.
    EXPECT_EQ(cellsOf(*scene), (std::vector<CellCoord>{{8, 29, -19}, {12, 31, -22}}));
}

// A turn about the vertical by a quarter, in the file's terms: row 0 takes -y, row 1 takes x.
TEST(MagicaVoxel, TurnsCellsAboutTheMiddle) {
    const int bits = 1 | 0 << 2 | 1 << 4;
    VoxFile file;
    file.model({4, 2, 1}, {{0, 0, 0, 1}, {3, 0, 0, 2}, {0, 1, 0, 3}});
    file.transform(0, 1, {{"_r", std::to_string(bits)}}).shape(1, 0);
    const auto scene = readMagicaVoxel(file.bytes());
    ASSERT_TRUE(scene) << scene.error().message;
    // (x, y) relative to the middle (2, 1): (-2, -1) -> (0, -2), (1, -1) -> (0, 1), (-2, 0) -> (-1, -2).
    EXPECT_EQ(cellsOf(*scene), (std::vector<CellCoord>{{0, 0, 1}, {0, 0, -2}, {-1, 0, 1}}));
}

// Every turn maps the model's cells one to one into the box that bounds() tells, and nested turns are the
// product.
TEST(MagicaVoxel, EveryRotationIsOneToOne) {
    Random random(7);
    int turns = 0;
    for (int bits = 0; bits < 128; ++bits) {
        const bool rotation = (bits & 3) < 3 && (bits >> 2 & 3) < 3 && (bits & 3) != (bits >> 2 & 3);
        VoxFile file;
        std::vector<MagicaVoxelCell> cells;
        for (int i = 0; i < 5 * 3 * 2; ++i)
            cells.push_back({static_cast<std::uint8_t>(i % 5), static_cast<std::uint8_t>(i / 5 % 3),
                             static_cast<std::uint8_t>(i / 15), 1});
        file.model({5, 3, 2}, cells).shape(3, 0);
        const std::string shift = std::to_string(random.integer(-50, 50)) + " 3 -9";
        file.transform(0, 3, {{"_r", std::to_string(bits)}, {"_t", shift}});
        const auto scene = readMagicaVoxel(file.bytes());
        ASSERT_EQ(scene.ok(), rotation) << bits;
        if (!scene) {
            EXPECT_THAT(scene.error().message, HasSubstr("is no rotation"));
            continue;
        }
        ++turns;
        std::set<std::tuple<int, int, int>> places;
        for (const CellCoord c : cellsOf(*scene)) {
            EXPECT_TRUE(scene->bounds().contains(c));
            places.insert({c.x, c.y, c.z});
        }
        EXPECT_EQ(places.size(), cells.size()) << bits;
        EXPECT_EQ(scene->bounds().cellCount(), static_cast<std::int64_t>(cells.size())) << bits;
    }
    EXPECT_EQ(turns, 48);
}

TEST(MagicaVoxel, NestedTransformsMultiply) {
    // A quarter turn, four times about a middle that does not move: 1 x 1 x 1 models keep their middle's
    // corner.
    const std::string quarter = std::to_string(1 | 0 << 2 | 1 << 4);
    VoxFile file;
    file.model({2, 2, 2}, {{0, 0, 0, 1}, {1, 0, 1, 2}});
    file.transform(0, 1, {{"_r", quarter}, {"_t", "1 2 3"}});
    file.transform(1, 2, {{"_r", quarter}, {"_t", "4 0 0"}});
    file.transform(2, 3, {{"_r", quarter}}).transform(3, 4, {{"_r", quarter}}).shape(4, 0);
    const auto scene = readMagicaVoxel(file.bytes());
    ASSERT_TRUE(scene) << scene.error().message;
    ASSERT_EQ(scene->instances.size(), 1u);
    EXPECT_EQ(scene->instances[0].axis, (std::array<std::uint8_t, 3>{0, 1, 2}));
    EXPECT_EQ(scene->instances[0].sign, (std::array<std::int8_t, 3>{1, 1, 1}));
    // (4, 0) turned by a quarter is (0, 4).
    EXPECT_EQ(scene->instances[0].translation, (std::array<std::int32_t, 3>{1, 6, 3}));
}

TEST(MagicaVoxel, ErrorsNameTheChunkAndItsOffset) {
    const auto with = [](auto change) {
        VoxFile file;
        change(file);
        return errorOf(file.bytes());
    };
    EXPECT_THAT(errorOf({}), HasSubstr("does not begin with"));
    EXPECT_THAT(errorOf(VoxFile().bytes(151)), HasSubstr("version 151"));
    EXPECT_THAT(with([](VoxFile& f) {
                    f.model({0, 1, 1}, {});
                }),
                HasSubstr("SIZE at byte 20: a size of 0 x 1 x 1"));
    EXPECT_THAT(with([](VoxFile& f) { f.model({257, 1, 1}, {}); }), HasSubstr("257"));
    EXPECT_THAT(with([](VoxFile& f) {
                    f.model({1, 1, 1}, {{0, 1, 0, 1}});
                }),
                HasSubstr("XYZI at byte 44: cell 0 at 0, 1, 0 is outside of 1 x 1 x 1"));
    EXPECT_THAT(with([](VoxFile& f) { f.chunk("XYZI", {}); }), HasSubstr("without a SIZE"));
    EXPECT_THAT(with([](VoxFile& f) { f.chunk("SIZE", std::vector<std::byte>(12, std::byte{1})); }),
                HasSubstr("SIZE at byte 20"));
    EXPECT_THAT(with([](VoxFile& f) { f.chunk("RGBA", std::vector<std::byte>(1023)); }),
                HasSubstr("RGBA at byte 20: 1023 bytes, expected 1024"));
    EXPECT_THAT(with([](VoxFile& f) { f.transform(0, 1, {{"_t", "1 2"}}); }), HasSubstr("_t \"1 2\""));
    EXPECT_THAT(with([](VoxFile& f) { f.transform(0, 1, {{"_t", "1 2 99999999"}}); }), HasSubstr("_t"));
    EXPECT_THAT(with([](VoxFile& f) { f.transform(0, 1, {}); }), HasSubstr("node 1, which is not there"));
    EXPECT_THAT(with([](VoxFile& f) { f.transform(0, 1, {}).shape(1, 0); }), HasSubstr("no model 0"));
    EXPECT_THAT(with([](VoxFile& f) { f.shape(4, 0).shape(4, 0); }), HasSubstr("node 4 is there twice"));
}

TEST(MagicaVoxel, GraphsThatNeverEndAreRefused) {
    VoxFile circle;
    circle.model({1, 1, 1}, {{0, 0, 0, 1}}).transform(0, 1, {}).group(1, {0});
    EXPECT_THAT(errorOf(circle.bytes()), HasSubstr("deeper than the limit of 64"));
    VoxFile doubling;
    for (int i = 0; i < 60; ++i)
        doubling.group(i, {i + 1, i + 1});
    doubling.group(60, {});
    EXPECT_THAT(errorOf(doubling.bytes()), HasSubstr("branches"));
    VoxFile many;
    many.model({2, 1, 1}, {{0, 0, 0, 1}, {1, 0, 0, 1}}).group(0, std::vector<std::int32_t>(5, 1)).shape(1, 0);
    MagicaVoxelLimits limits;
    limits.maxCells = 9;
    EXPECT_THAT(errorOf(many.bytes(), limits), HasSubstr("limit of 9"));
    limits = {};
    limits.maxInstances = 4;
    EXPECT_THAT(errorOf(many.bytes(), limits), HasSubstr("limit of 4"));
    EXPECT_EQ(errorOf(many.bytes()), "no error");
}

TEST(MagicaVoxel, EveryCutIsAnError) {
    const std::vector<std::byte> whole = fullScene().bytes();
    for (std::size_t size = 0; size < whole.size(); ++size)
        ASSERT_FALSE(readMagicaVoxel(std::span(whole).first(size))) << size;
    ASSERT_TRUE(readMagicaVoxel(whole));
}

TEST(MagicaVoxel, RandomDamageIsReadOrRefused) {
    const std::vector<std::byte> whole = fullScene().bytes();
    Random random(3);
    int read = 0;
    for (int i = 0; i < 20000; ++i) {
        std::vector<std::byte> bytes = whole;
        for (int n = random.integer(1, 4); n > 0; --n)
            bytes[random.next() % bytes.size()] = static_cast<std::byte>(random.next());
        const auto scene = readMagicaVoxel(bytes);
        if (!scene) {
            ASSERT_FALSE(scene.error().message.empty());
            continue;
        }
        ++read;
        for (const CellCoord c : cellsOf(*scene))
            ASSERT_TRUE(scene->bounds().contains(c));
    }
    EXPECT_GT(read, 0);
}

// The fuzzer starts from these files; with KARST_UPDATE_CORPUS=1 they are written anew.
TEST(MagicaVoxel, TheFuzzersCorpusIsOfThisFormat) {
    VoxFile small, nested;
    small.model({3, 3, 4}, kCells);
    nested.model({1, 1, 1}, {{0, 0, 0, 1}}).transform(0, 1, {}).group(1, {2, 2}).group(2, {3, 3}).shape(3, 0);
    const std::pair<const char*, std::vector<std::byte>> files[] = {
        {"small", small.bytes(150)}, {"nested", nested.bytes()}, {"full", fullScene().bytes()}};
    for (const auto& [name, bytes] : files) {
        const std::string path = std::string(KARST_FUZZ_CORPUS) + "/" + name;
        if (std::getenv("KARST_UPDATE_CORPUS")) {
            std::ofstream out(path, std::ios::binary);
            out.write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
        }
        std::ifstream in(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        ASSERT_EQ(text, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())) << path;
        EXPECT_TRUE(readMagicaVoxel(bytes));
    }
}

}  // namespace
}  // namespace karst::voxel
