#pragma once

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/base/log.h>
#include <karst/import/import_raster.h>
#include <karst_test/test_support.h>
#include <ogr_srs_api.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace karst::importer::test {

using ::karst::test::Random;
using ::karst::test::TempFolder;
using ::testing::HasSubstr;

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Keeps what is logged.
class KeptLog final : public Logger {
  public:
    void write(LogLevel level, std::string_view message) override {
        text += level == LogLevel::Warning ? "warning: " : "note: ";
        text += message;
        text += '\n';
    }
    std::string text;
};

/// Counts bytes held.
class CountingAllocator final : public Allocator {
  public:
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        held += bytes;
        peak = held > peak ? held : peak;
        return heapAllocator().allocate(bytes, alignment);
    }
    void deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        held -= bytes;
        heapAllocator().deallocate(memory, bytes, alignment);
    }
    std::size_t held = 0, peak = 0;
};

inline std::string writeFile(const std::string& path, std::string_view bytes) {
    VSILFILE* file = VSIFOpenL(path.c_str(), "wb");
    EXPECT_NE(file, nullptr) << path;
    if (file == nullptr) return path;
    EXPECT_EQ(VSIFWriteL(bytes.data(), 1, bytes.size(), file), bytes.size());
    EXPECT_EQ(VSIFCloseL(file), 0);
    return path;
}

inline std::string inFolder(const TempFolder& folder, const std::string& name) {
    return (folder.path() / name).string();
}

template <class T>
std::string packed(const std::vector<T>& values, ByteOrder order = ByteOrder::Little) {
    std::string out;
    for (const T value : values) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        if (order == ByteOrder::Big) {
            for (std::size_t i = 0; i < sizeof(T) / 2; ++i)
                std::swap(raw[i], raw[sizeof(T) - 1 - i]);
        }
        out.append(raw, sizeof(T));
    }
    return out;
}

inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       bool fortran = false) {
    std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                         ", 'shape': " + shape + ", }";
    while ((header.size() + 11) % 64 != 0)
        header += ' ';
    header += '\n';
    std::string out = "\x93NUMPY";
    out += '\x01';
    out += '\x00';
    out += packed<std::uint16_t>({static_cast<std::uint16_t>(header.size())});
    return out + header + data;
}

struct Tiff {
    int width = 1, height = 1;
    GDALDataType type = GDT_Float32;
    std::vector<double> values;
    std::vector<std::string> creation;
    std::optional<double> nodata;
    std::optional<std::vector<double>> transform;
    int epsg = 0;
    std::string unit;
    double scale = 1, offset = 0;
    bool point = false;
    std::string driver = "GTiff";
    std::vector<std::uint8_t> mask;  ///< empty, or one a sample
};

inline std::string writeTiff(const std::string& path, const Tiff& tiff) {
    GDALAllRegister();
    char** creation = nullptr;
    for (const std::string& option : tiff.creation)
        creation = CSLAddString(creation, option.c_str());
    const bool direct = tiff.driver == "GTiff";
    GDALDriverH driver = GDALGetDriverByName(direct ? "GTiff" : "MEM");
    GDALDatasetH dataset =
        GDALCreate(driver, path.c_str(), tiff.width, tiff.height, 1, tiff.type, direct ? creation : nullptr);
    EXPECT_NE(dataset, nullptr) << path;
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    if (tiff.point) GDALSetMetadataItem(dataset, "AREA_OR_POINT", "Point", nullptr);
    if (tiff.epsg != 0) {
        OGRSpatialReferenceH crs = OSRNewSpatialReference(nullptr);
        EXPECT_EQ(OSRImportFromEPSG(crs, tiff.epsg), OGRERR_NONE);
        GDALSetSpatialRef(dataset, crs);
        OSRRelease(crs);
    }
    if (tiff.transform) {
        std::vector<double> t = *tiff.transform;
        GDALSetGeoTransform(dataset, t.data());
    }
    if (tiff.nodata) GDALSetRasterNoDataValue(band, *tiff.nodata);
    if (!tiff.unit.empty()) GDALSetRasterUnitType(band, tiff.unit.c_str());
    if (tiff.scale != 1 || tiff.offset != 0) {
        GDALSetRasterScale(band, tiff.scale);
        GDALSetRasterOffset(band, tiff.offset);
    }
    std::vector<double> values = tiff.values;
    EXPECT_EQ(GDALRasterIO(band, GF_Write, 0, 0, tiff.width, tiff.height, values.data(), tiff.width,
                           tiff.height, GDT_Float64, 0, 0),
              CE_None);
    if (!tiff.mask.empty()) {
        CPLSetThreadLocalConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES");
        EXPECT_EQ(GDALCreateDatasetMaskBand(dataset, GMF_PER_DATASET), CE_None);
        std::vector<std::uint8_t> mask = tiff.mask;
        EXPECT_EQ(GDALRasterIO(GDALGetMaskBand(band), GF_Write, 0, 0, tiff.width, tiff.height, mask.data(),
                               tiff.width, tiff.height, GDT_Byte, 0, 0),
                  CE_None);
        CPLSetThreadLocalConfigOption("GDAL_TIFF_INTERNAL_MASK", nullptr);
    }
    if (!direct) {
        GDALDatasetH copy = GDALCreateCopy(GDALGetDriverByName(tiff.driver.c_str()), path.c_str(), dataset,
                                           FALSE, creation, nullptr, nullptr);
        EXPECT_NE(copy, nullptr) << path;
        GDALClose(copy);
    }
    GDALClose(dataset);
    CSLDestroy(creation);
    return path;
}

/// Every sample as readWindow gives it: voids are NaN.
inline std::vector<float> samplesOf(RasterSource& source) {
    const RasterInfo& info = source.info();
    std::vector<float> heights(static_cast<std::size_t>(info.width) * static_cast<std::size_t>(info.height));
    const auto read = source.readWindow({0, 0, info.width, info.height}, heights);
    EXPECT_TRUE(read.ok()) << read.error().message;
    return heights;
}

inline std::vector<float> samplesOf(const std::string& path, const ImportOptions& options = {}) {
    auto source = openRaster(path, options);
    EXPECT_TRUE(source.ok()) << source.error().message;
    if (!source) return {};
    return samplesOf(**source);
}

/// The message of a failure; fails the test where there is none.
inline std::string failureOf(const std::string& path, const ImportOptions& options = {}) {
    const auto imported = importRaster(path, options);
    EXPECT_FALSE(imported.ok()) << path << " was read";
    return imported ? std::string() : imported.error().message;
}

inline void expectSame(const std::vector<float>& actual, const std::vector<float>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (std::isnan(expected[i])) {
            EXPECT_TRUE(std::isnan(actual[i])) << "sample " << i << " is " << actual[i] << ", not a void";
        } else {
            EXPECT_EQ(actual[i], expected[i]) << "sample " << i;
        }
    }
}

}  // namespace karst::importer::test
