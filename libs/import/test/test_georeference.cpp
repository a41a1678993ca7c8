#include "georeference.h"

#include "import_test.h"

namespace karst::importer {
namespace {

TEST(Georeference, DegreesHaveTheEllipsoidsLengths) {
    // Published lengths of a degree on WGS 84 (latitude, longitude), in metres.
    struct Known {
        double at, latitude, longitude;
    };
    for (const Known& known :
         {Known{0, 110574.3, 111319.5}, Known{15, 110649.4, 107550.5}, Known{45, 111131.7, 78846.8},
          Known{60, 111412.2, 55800.5}, Known{75, 111617.8, 28902.2}}) {
        const MetresPerDegree metres = metresPerDegree(known.at);
        EXPECT_NEAR(metres.latitude, known.latitude, 1) << known.at;
        EXPECT_NEAR(metres.longitude, known.longitude, 1) << known.at;
        EXPECT_EQ(metresPerDegree(-known.at).longitude, metres.longitude);
    }
    EXPECT_GT(metresPerDegree(90).longitude, 0);
    const MetresPerDegree moon = metresPerDegree(0, 1737400, 0);
    EXPECT_NEAR(moon.latitude, 1737400 * 3.14159265358979 / 180, 1e-6);
    EXPECT_NEAR(moon.longitude, moon.latitude, 1e-6);
}

RasterInfo placed(const Georeference& at, const ImportOptions& options = {}, int width = 101,
                  int height = 101) {
    RasterInfo info;
    info.width = width;
    info.height = height;
    const auto done = placeRaster(info, &at, options, {}, "x");
    EXPECT_TRUE(done.ok()) << done.error().message;
    return info;
}

TEST(Georeference, NumbersThatCanOnlyBeDegreesAreDegrees) {
    Georeference at;
    at.stepX = at.stepY = 0.001;
    at.position = {7.0, 46.05};  // centre at 46.0
    RasterInfo info = placed(at);
    EXPECT_EQ(info.spacingFrom, SpacingFrom::Degrees);
    EXPECT_NEAR(info.spacingX, 0.001 * metresPerDegree(46).longitude, 1e-9);
    EXPECT_NEAR(info.spacingZ, 0.001 * metresPerDegree(46).latitude, 1e-9);
    // A small scan in metres that begins at 0, 0 is none.
    at.position = {0.0005, 0.1005};
    info = placed(at);
    EXPECT_EQ(info.spacingFrom, SpacingFrom::File);
    EXPECT_EQ(info.spacingX, 0.001);
    // Nor is a grid in a projected system's numbers.
    at.position = {500000, 4000000};
    EXPECT_EQ(placed(at).spacingFrom, SpacingFrom::File);
}

TEST(Georeference, AnOptionOverrides) {
    Georeference at;
    at.stepX = at.stepY = 30;
    ImportOptions options;
    options.spacing = SampleSpacing{2.5, 4};
    const RasterInfo info = placed(at, options);
    EXPECT_EQ(info.spacingX, 2.5);
    EXPECT_EQ(info.spacingZ, 4);
    EXPECT_EQ(info.spacingFrom, SpacingFrom::Option);
    at.stepX = NAN;
    EXPECT_EQ(placed(at, options).spacingX, 2.5);
}

TEST(Georeference, SpacingThatIsNoneIsRefused) {
    for (const double step : {0.0, -1.0, static_cast<double>(NAN), static_cast<double>(INFINITY), 1e300}) {
        RasterInfo info;
        info.width = info.height = 3;
        Georeference at;
        at.stepX = step;
        EXPECT_FALSE(placeRaster(info, &at, {}, {}, "x").ok()) << step;
        ImportOptions options;
        options.spacing = SampleSpacing{step, 1};
        EXPECT_FALSE(placeRaster(info, nullptr, options, {}, "x").ok()) << step;
    }
}

TEST(Georeference, TextThatIsNoCoordinateSystemGivesNone) {
    EXPECT_EQ(crsFromText(""), nullptr);
    EXPECT_EQ(crsFromText("hello"), nullptr);
    EXPECT_NE(crsFromText("GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",SPHEROID[\"WGS 84\",6378137,298.257223563]],"
                          "PRIMEM[\"Greenwich\",0],UNIT[\"degree\",0.0174532925199433]]"),
              nullptr);
    EXPECT_NE(crsFromText("Projection    UTM\nZone          32\nDatum         WGS84\nSpheroid      WGS84\n"
                          "Units         METERS\nParameters\n"),
              nullptr);
}

}  // namespace
}  // namespace karst::importer
