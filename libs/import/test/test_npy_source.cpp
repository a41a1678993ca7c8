#include "georeference.h"
#include "import_test.h"

namespace karst::importer {
namespace {

using namespace test;

TEST(NpySource, OrdersTypesAndDirections) {
    const TempFolder folder;
    const std::string path = inFolder(folder, "a.npy");
    const std::vector<float> expected{1, 2, 3, 4, 5, 6};
    expectSame(samplesOf(writeFile(path, npy("<i2", "(2, 3)", packed<std::int16_t>({1, 2, 3, 4, 5, 6})))),
               expected);
    expectSame(
        samplesOf(writeFile(path, npy(">f8", "(2, 3)", packed<double>({1, 2, 3, 4, 5, 6}, ByteOrder::Big)))),
        expected);
    expectSame(samplesOf(writeFile(path, npy("|u1", "(2, 3)", packed<std::uint8_t>({1, 2, 3, 4, 5, 6})))),
               expected);
    expectSame(samplesOf(writeFile(path, npy("<f4", "(2, 3)", packed<float>({1, 4, 2, 5, 3, 6}), true))),
               expected);
    ImportOptions options;
    options.southUp = true;
    expectSame(samplesOf(path, options), {4, 5, 6, 1, 2, 3});
    expectSame(samplesOf(writeFile(path, npy("<f4", "(1, 2, 3)", packed<float>({1, 2, 3, NAN, 5, 6})))),
               {1, 2, 3, kNan, 5, 6});
    EXPECT_EQ((*openRaster(path))->info().format, "NPY");
}

TEST(NpySource, BrokenOrForeignArraysAreErrors) {
    const TempFolder folder;
    const auto failure = [&](const std::string& bytes) {
        return failureOf(writeFile(inFolder(folder, "a.npy"), bytes));
    };
    const std::string six = packed<float>({1, 2, 3, 4, 5, 6});
    EXPECT_THAT(failure(npy("<f4", "(2, 4)", six)), HasSubstr("2 x 4"));
    EXPECT_THAT(failure(npy("<f4", "(4294967296, 4294967296)", six)), HasSubstr("needs more"));
    EXPECT_THAT(failure(npy("<f4", "(18446744073709551615, 2)", six)), HasSubstr("numpy"));
    EXPECT_THAT(failure(npy("<f4", "(6,)", six)), HasSubstr("two dimensions"));
    EXPECT_THAT(failure(npy("<f4", "()", six)), HasSubstr("two dimensions"));
    EXPECT_THAT(failure(npy("<f4", "(0, 3)", six)), HasSubstr("3 x 0"));
    EXPECT_THAT(failure(npy("<f4", "(0, 5000000000)", six)), HasSubstr("no raster"));
    EXPECT_THAT(failure(npy("|O", "(2, 3)", six)), HasSubstr("|O"));
    EXPECT_THAT(failure(npy("<c8", "(2, 3)", six)), HasSubstr("<c8"));
    EXPECT_THAT(failure(npy("<f4", "(2, 3", six)), HasSubstr("numpy"));
    EXPECT_FALSE(failure("\x93NUMPY\x01").empty());
    EXPECT_FALSE(failure("\x93NUMPY\x09\x01\x10\x10 garbage").empty());
    EXPECT_THAT(failure("not numpy"), HasSubstr(".npy"));
}

std::string npz(const TempFolder& folder, const std::string& name,
                const std::vector<std::pair<std::string, std::string>>& members) {
    // GDAL writes archives by the name .zip alone, member by member while a handle to the archive stands.
    const std::string path = inFolder(folder, name), zip = path + ".zip";
    VSILFILE* archive = VSIFOpenL(("/vsizip/" + zip).c_str(), "wb");
    EXPECT_NE(archive, nullptr);
    for (const auto& [member, bytes] : members)
        writeFile("/vsizip/" + zip + "/" + member + ".npy", bytes);
    VSIFCloseL(archive);
    EXPECT_EQ(VSIRename(zip.c_str(), path.c_str()), 0);
    return path;
}

std::string number(double value) {
    return npy("<f8", "()", packed<double>({value}));
}

TEST(NpySource, AnNpzGivesItsOnlyGrid) {
    const TempFolder folder;
    const std::string grid = npy("<f4", "(2, 2)", packed<float>({1, 2, 3, 4}));
    const std::string line = npy("<f4", "(3,)", packed<float>({1, 2, 3}));
    const std::string one = npz(folder, "one.npz", {{"axis", line}, {"dem", grid}, {"n", number(3)}});
    expectSame(samplesOf(one), {1, 2, 3, 4});
    EXPECT_EQ((*openRaster(one))->info().format, "NPZ");
    const std::string two = npz(folder, "two.npz", {{"dem", grid}, {"slope", grid}});
    const std::string message = failureOf(two);
    EXPECT_THAT(message, HasSubstr("dem (2 x 2)"));
    EXPECT_THAT(message, HasSubstr("slope (2 x 2)"));
    ImportOptions options;
    options.array = "slope";
    expectSame(samplesOf(two, options), {1, 2, 3, 4});
    options.array = "aspect";
    EXPECT_THAT(failureOf(two, options), HasSubstr("dem, slope"));
    options.array = "axis";
    EXPECT_THAT(failureOf(one, options), HasSubstr("two dimensions"));
    EXPECT_THAT(failureOf(npz(folder, "none.npz", {{"axis", line}})), HasSubstr("axis"));
}

TEST(NpySource, AnNpzsCoordinatesGiveSpacingAndDirection) {
    const TempFolder folder;
    const std::string grid = npy("<f4", "(3, 2)", packed<float>({1, 2, 3, 4, 5, 6}));
    const std::string path = npz(folder, "axes.npz",
                                 {{"dem", grid},
                                  {"latitude", npy("<f8", "(3,)", packed<double>({46, 46.1, 46.2}))},
                                  {"longitude", npy("<f8", "(2,)", packed<double>({7, 7.1}))}});
    expectSame(samplesOf(path), {5, 6, 3, 4, 1, 2});
    const auto source = openRaster(path);
    ASSERT_TRUE(source.ok());
    const RasterInfo& info = (*source)->info();
    EXPECT_NEAR(info.spacingX, 0.1 * metresPerDegree(46.1).longitude, 1e-6);
    ASSERT_TRUE(info.position);
    EXPECT_EQ(info.position->latitude, 46.2);
    ImportOptions options;
    options.southUp = false;
    expectSame(samplesOf(path, options), {1, 2, 3, 4, 5, 6});

    // Numbers whose ymin is the northern edge: spacing as if named rightly, no turn.
    for (const bool swapped : {false, true}) {
        const std::string scalars = npz(folder, "scalars.npz",
                                        {{"dem", grid},
                                         {"dx", number(0.01)},
                                         {"dy", number(0.01)},
                                         {"xmin", number(7)},
                                         {"xmax", number(7.02)},
                                         {"ymin", number(swapped ? 46.03 : 46)},
                                         {"ymax", number(swapped ? 46 : 46.03)}});
        expectSame(samplesOf(scalars), {1, 2, 3, 4, 5, 6});
        const auto opened = openRaster(scalars);
        ASSERT_TRUE(opened.ok());
        EXPECT_NEAR((*opened)->info().spacingX, 0.01 * metresPerDegree(46.015).longitude, 1e-6);
        ASSERT_TRUE((*opened)->info().position);
        EXPECT_NEAR((*opened)->info().position->latitude, 46.025, 1e-12);
    }
}

TEST(NpySource, RealNpzOfThePackageManager) {
    const std::string folder = "/usr/share/matplotlib/mpl-data/sample_data/";
    VSIStatBufL stat;
    if (VSIStatL((folder + "topobathy.npz").c_str(), &stat) != 0) GTEST_SKIP() << "no matplotlib sample data";
    const auto fault = importRaster(folder + "jacksboro_fault_dem.npz");
    ASSERT_TRUE(fault.ok()) << fault.error().message;
    EXPECT_EQ(fault->info.width, 403);
    EXPECT_EQ(fault->info.height, 344);
    EXPECT_EQ(fault->info.min, 236);
    EXPECT_EQ(fault->info.max, 1076);
    EXPECT_EQ(fault->info.voids, 0u);
    EXPECT_EQ(fault->raster.texel(0, 0), 483);
    EXPECT_NEAR(fault->info.spacingZ, 92.5, 0.1);
    EXPECT_NEAR(fault->info.spacingX, 74.6, 0.1);
    const auto topo = importRaster(folder + "topobathy.npz");
    ASSERT_TRUE(topo.ok()) << topo.error().message;
    EXPECT_EQ(topo->info.width, 120);
    EXPECT_EQ(topo->info.height, 91);
    EXPECT_EQ(topo->info.min, -1437);
    EXPECT_EQ(topo->info.max, 2205);
    ImportOptions options;
    options.southUp = false;
    const auto asStored = importRaster(folder + "topobathy.npz", options);
    ASSERT_TRUE(asStored.ok());
    EXPECT_EQ(topo->raster.texel(5, 0), asStored->raster.texel(5, 90));  // stored from the south
}

}  // namespace
}  // namespace karst::importer
