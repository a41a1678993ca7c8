#include <cpl_string.h>
#include <gdal.h>
#include <gdal_frmts.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <vector>

#include "gdal_errors.h"
#include "georeference.h"
#include "message.h"
#include "readers.h"
#include "samples.h"

namespace karst::importer {
namespace {

struct DatasetClose {
    void operator()(GDALDatasetH dataset) const {
        const GdalErrors errors;
        GDALClose(dataset);
    }
};
using Dataset = std::unique_ptr<void, DatasetClose>;

/// GDAL's list of drivers is the process's: Karst adds the few it uses and takes nothing away.
void registerDrivers() {
    static std::once_flag once;
    std::call_once(once, [] {
        GDALRegister_GTiff();
        GDALRegister_PNG();
        GDALRegister_USGSDEM();
    });
}

std::optional<SampleType> sampleTypeOf(GDALDataType type) {
    switch (type) {
        case GDT_Byte:
            return SampleType::UInt8;
        case GDT_UInt16:
            return SampleType::UInt16;
        case GDT_Int16:
            return SampleType::Int16;
        case GDT_UInt32:
            return SampleType::UInt32;
        case GDT_Int32:
            return SampleType::Int32;
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 5, 0)
        case GDT_UInt64:
            return SampleType::UInt64;
        case GDT_Int64:
            return SampleType::Int64;
#endif
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 7, 0)
        case GDT_Int8:
            return SampleType::Int8;
#endif
        case GDT_Float32:
            return SampleType::Float32;
        case GDT_Float64:
            return SampleType::Float64;
        default:
            return std::nullopt;
    }
}

std::optional<double> nodataOf(GDALRasterBandH band, GDALDataType type) {
    int has = 0;
    double value = 0;
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 5, 0)
    if (type == GDT_Int64) {
        value = static_cast<double>(GDALGetRasterNoDataValueAsInt64(band, &has));
    } else if (type == GDT_UInt64) {
        value = static_cast<double>(GDALGetRasterNoDataValueAsUInt64(band, &has));
    } else {
        value = GDALGetRasterNoDataValue(band, &has);
    }
#else
    value = GDALGetRasterNoDataValue(band, &has);
#endif
    if (has == 0) return std::nullopt;
    return value;
}

/// Metres in a unit of height by the names that files give them; 0 where the name is unknown.
double metresInUnit(const std::string& unit) {
    struct Unit {
        const char* name;
        double metres;
    };
    constexpr double kFoot = 0.3048, kSurveyFoot = 1200.0 / 3937.0;
    constexpr std::array<Unit, 23> kUnits{{{"m", 1},
                                           {"metre", 1},
                                           {"metres", 1},
                                           {"meter", 1},
                                           {"meters", 1},
                                           {"ft", kFoot},
                                           {"foot", kFoot},
                                           {"feet", kFoot},
                                           {"international foot", kFoot},
                                           {"us survey foot", kSurveyFoot},
                                           {"us survey feet", kSurveyFoot},
                                           {"us-ft", kSurveyFoot},
                                           {"ftus", kSurveyFoot},
                                           {"foot_us", kSurveyFoot},
                                           {"sfoot", kSurveyFoot},
                                           {"dm", 0.1},
                                           {"decimetre", 0.1},
                                           {"decimeter", 0.1},
                                           {"cm", 0.01},
                                           {"centimetre", 0.01},
                                           {"centimeter", 0.01},
                                           {"mm", 0.001},
                                           {"km", 1000}}};
    const std::string lower = lowerCase(unit);
    for (const Unit& known : kUnits) {
        if (lower == known.name) return known.metres;
    }
    return 0;
}

class GdalSource final : public RasterSource {
  public:
    GdalSource(Dataset dataset, GDALRasterBandH band, std::string name)
        : m_dataset(std::move(dataset)), m_band(band), m_name(std::move(name)) {}

    const RasterInfo& info() const override { return m_info; }

    GridRect preferredWindow() const override {
        // Whole blocks, about 4 MB of them, first along the row.
        constexpr std::int64_t kSamples = 1 << 20;
        const std::int64_t blockX = std::min(m_blockX, m_info.width);
        const std::int64_t blockZ = std::min(m_blockZ, m_info.height);
        std::int64_t columns = m_info.width;
        if (columns * blockZ > kSamples)
            columns = std::max<std::int64_t>(kSamples / (blockX * blockZ), 1) * blockX;
        columns = std::min<std::int64_t>(columns, m_info.width);
        std::int64_t rows = std::max<std::int64_t>(kSamples / (columns * blockZ), 1) * blockZ;
        rows = std::min<std::int64_t>(rows, m_info.height);
        return {0, 0, static_cast<int>(columns), static_cast<int>(rows)};
    }

    Result<void> readWindow(const GridRect& texels, std::span<float> heights,
                            std::span<std::uint8_t> voids) override;

    Result<void> describe(const OpenRequest& request, std::uint64_t fileBytes);

  private:
    Result<void> readRows(const GridRect& file, int rowsAtOnce, const GridRect& texels,
                          std::span<float> heights);
    void keepCacheSmall(std::uint64_t bytes);
    std::uint64_t mostSamples(std::uint64_t fileBytes) const;
    void applyUnit(const ImportOptions& options, const Externals& externals);
    Result<void> place(const ImportOptions& options, const Externals& externals);

    Dataset m_dataset;
    GDALRasterBandH m_band;
    GDALRasterBandH m_mask = nullptr;  ///< a mask or alpha band, 0 where there is no data
    std::string m_name;
    RasterInfo m_info;
    SampleRule m_rule;
    GDALDataType m_type = GDT_Unknown;
    int m_blockX = 1, m_blockZ = 1;
    bool m_southUp = false, m_eastLeft = false;
    std::uint64_t m_blockBytes = 0;
    std::uint64_t m_cached = 0;
    std::vector<std::byte> m_buffer;
    std::vector<std::byte> m_maskBuffer;
};

Result<void> GdalSource::readWindow(const GridRect& texels, std::span<float> heights,
                                    std::span<std::uint8_t> voids) {
    const auto fits = checkWindow(m_info, texels, heights.size(), voids.size(), m_name);
    if (!fits) return fits;
    GridRect file = texels;
    if (m_southUp) {
        file.minZ = m_info.height - texels.maxZ;
        file.maxZ = m_info.height - texels.minZ;
    }
    if (m_eastLeft) {
        file.minX = m_info.width - texels.maxX;
        file.maxX = m_info.width - texels.minX;
    }
    constexpr int kBufferBytes = 1 << 20;
    const std::int64_t rowBytes = std::int64_t{file.width()} * sampleBytes(m_rule.type);
    const int rowsAtOnce =
        static_cast<int>(std::clamp<std::int64_t>(kBufferBytes / rowBytes, 1, file.depth()));
    const auto done = readRows(file, rowsAtOnce, texels, heights);
    if (!done) return done;
    markVoids(heights, voids);
    return {};
}

Result<void> GdalSource::readRows(const GridRect& file, int rowsAtOnce, const GridRect& texels,
                                  std::span<float> heights) {
    const GdalErrors errors;
    const auto width = static_cast<std::size_t>(file.width());
    const auto bytes = static_cast<std::size_t>(sampleBytes(m_rule.type));
    for (int row = file.minZ; row < file.maxZ; row += rowsAtOnce) {
        const int rows = std::min(rowsAtOnce, file.maxZ - row);
        const std::size_t count = width * static_cast<std::size_t>(rows);
        m_buffer.resize(count * bytes);
        CPLErr wrong = GDALRasterIO(m_band, GF_Read, file.minX, row, file.width(), rows, m_buffer.data(),
                                    file.width(), rows, m_type, 0, 0);
        if (wrong == CE_None && m_mask != nullptr) {
            m_maskBuffer.resize(count);
            wrong = GDALRasterIO(m_mask, GF_Read, file.minX, row, file.width(), rows, m_maskBuffer.data(),
                                 file.width(), rows, GDT_Byte, 0, 0);
        }
        if (wrong != CE_None) {
            return makeError(ErrorCode::CorruptData,
                             "%s: cannot read rows %d to %d of %d%s; the file is damaged or cut short, fetch "
                             "it again",
                             m_name.c_str(), row, row + rows - 1, m_info.height, errors.because().c_str());
        }
        for (int i = 0; i < rows; ++i) {
            const int outRow = m_southUp ? texels.depth() - 1 - (row + i - file.minZ) : row + i - file.minZ;
            float* out = heights.data() + static_cast<std::size_t>(outRow) * width;
            const std::size_t from = static_cast<std::size_t>(i) * width;
            decodeSamples(m_rule, m_buffer.data() + from * bytes, bytes, width, out);
            if (m_mask != nullptr) {
                for (std::size_t x = 0; x < width; ++x) {
                    if (m_maskBuffer[from + x] == std::byte{0}) out[x] = std::nanf("");
                }
            }
            if (m_eastLeft) std::reverse(out, out + width);
        }
    }
    keepCacheSmall(static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(file.depth()) * bytes);
    return {};
}

/// What a file of that length can hold by the best ratio of its compression; a header that claims more is
/// wrong.
std::uint64_t GdalSource::mostSamples(std::uint64_t fileBytes) const {
    const auto sampleSize = static_cast<std::uint64_t>(sampleBytes(m_info.sampleType));
    const std::uint64_t most = std::min(fileBytes, std::uint64_t{1} << 46);
    if (m_info.format == "PNG") return most * 1100 * 8;  // deflate's best is 1032 to 1; samples of one bit
    if (m_info.format == "USGSDEM") return most * 16;  // 6 characters a sample, in a box that is hardly empty
    if (m_info.format != "GTiff") return most * 65536;
    const char* compression = GDALGetMetadataItem(m_dataset.get(), "COMPRESSION", "IMAGE_STRUCTURE");
    const char* bits = GDALGetMetadataItem(m_band, "NBITS", "IMAGE_STRUCTURE");
    const std::string kind = compression == nullptr ? "" : compression;
    const bool simple = kind == "DEFLATE" || kind == "LZW" || kind == "PACKBITS";
    const std::uint64_t ratio = kind.empty() ? 1 : simple ? 2048 : 65536;
    return most * ratio * (bits == nullptr ? 1 : 8) / sampleSize;
}

/// GDAL keeps decoded blocks up to a share of the machine's memory; a reader of windows needs the last few.
void GdalSource::keepCacheSmall(std::uint64_t bytes) {
    constexpr std::uint64_t kMost = 16 << 20;
    m_cached += bytes;
    if (m_cached < std::max(kMost, 2 * m_blockBytes)) return;
    GDALFlushCache(m_dataset.get());
    m_cached = 0;
}

void GdalSource::applyUnit(const ImportOptions& options, const Externals& externals) {
    // The unit is that of the heights after scale and offset, as GDAL's data model has it.
    if (const char* unit = GDALGetRasterUnitType(m_band)) m_info.heightUnit = unit;
    if (!m_info.heightUnit.empty()) {
        const double metres = metresInUnit(m_info.heightUnit);
        if (metres == 0) {
            logMessage(externals, LogLevel::Warning, "%s: unknown unit of height '%s', taken for metres",
                       m_name.c_str(), shown(m_info.heightUnit).c_str());
        } else if (!options.keepHeightUnit) {
            m_info.metresPerHeightUnit = metres;
            m_rule.scale *= metres;
            m_rule.offset *= metres;
        }
    }
}

Result<void> GdalSource::describe(const OpenRequest& request, std::uint64_t fileBytes) {
    const GdalErrors errors;
    const ImportOptions& options = request.options;
    const Externals& externals = request.externals;
    GDALDatasetH dataset = m_dataset.get();
    m_info.width = GDALGetRasterXSize(dataset);
    m_info.height = GDALGetRasterYSize(dataset);
    m_info.format = GDALGetDriverShortName(GDALGetDatasetDriver(dataset));
    const auto sides = checkSides(m_info.width, m_info.height, m_name);
    if (!sides) return sides;
    m_type = GDALGetRasterDataType(m_band);
    const auto type = sampleTypeOf(m_type);
    if (!type) {
        return makeError(ErrorCode::Unsupported,
                         "%s: samples of type %s are no heights; convert the file with gdal_translate -ot "
                         "Float32",
                         m_name.c_str(), GDALGetDataTypeName(m_type));
    }
    if (GDALGetRasterColorTable(m_band) != nullptr) {
        return makeError(
            ErrorCode::Unsupported,
            "%s: the samples are indices of a colour table, not heights; export the heightmap as "
            "16-bit grey",
            m_name.c_str());
    }
    m_info.sampleType = *type;
    GDALGetBlockSize(m_band, &m_blockX, &m_blockZ);
    m_blockX = std::max(m_blockX, 1);
    m_blockZ = std::max(m_blockZ, 1);
    m_blockBytes = static_cast<std::uint64_t>(m_blockX) * static_cast<std::uint64_t>(m_blockZ) *
                   static_cast<std::uint64_t>(sampleBytes(*type));
    if (m_blockBytes > importMemoryLimit(options)) {
        return makeError(ErrorCode::TooLarge,
                         "%s: one block of %d x %d samples takes %llu bytes, the limit is %llu; rewrite the "
                         "file in tiles with gdal_translate -co TILED=YES",
                         m_name.c_str(), m_blockX, m_blockZ, static_cast<unsigned long long>(m_blockBytes),
                         static_cast<unsigned long long>(importMemoryLimit(options)));
    }
    // A tile far larger than the raster in it would take memory for nothing.
    constexpr std::uint64_t kMostSpareBlock = 64 << 20;
    const std::uint64_t rasterBytes = static_cast<std::uint64_t>(m_info.width) *
                                      static_cast<std::uint64_t>(m_info.height) *
                                      static_cast<std::uint64_t>(sampleBytes(*type));
    if (m_blockBytes > kMostSpareBlock && m_blockBytes / 4 > rasterBytes) {
        return makeError(
            ErrorCode::CorruptData,
            "%s: one block of %d x %d samples takes %llu bytes, for a raster of %d x %d; rewrite the "
            "file with gdal_translate -co TILED=YES",
            m_name.c_str(), m_blockX, m_blockZ, static_cast<unsigned long long>(m_blockBytes), m_info.width,
            m_info.height);
    }
    const std::uint64_t possible = mostSamples(fileBytes);
    if (static_cast<std::uint64_t>(m_info.width) * static_cast<std::uint64_t>(m_info.height) > possible) {
        return makeError(ErrorCode::CorruptData,
                         "%s: the header claims %d x %d samples, but %llu bytes hold at most %llu; fetch the "
                         "file again (a sparse GeoTIFF can be read once gdal_translate has filled it)",
                         m_name.c_str(), m_info.width, m_info.height,
                         static_cast<unsigned long long>(fileBytes),
                         static_cast<unsigned long long>(possible));
    }

    m_rule.type = *type;
    m_rule.order = hostByteOrder();
    m_rule.nodata = options.nodata ? options.nodata : nodataOf(m_band, m_type);
    const int maskFlags = GDALGetMaskFlags(m_band);
    if ((maskFlags & (GMF_PER_DATASET | GMF_ALPHA)) != 0) m_mask = GDALGetMaskBand(m_band);
    int has = 0;
    const double scale = GDALGetRasterScale(m_band, &has);
    if (has != 0) m_rule.scale = scale;
    const double offset = GDALGetRasterOffset(m_band, &has);
    if (has != 0) m_rule.offset = offset;
    if (!std::isfinite(m_rule.scale) || !std::isfinite(m_rule.offset) || m_rule.scale == 0) {
        return makeError(ErrorCode::CorruptData,
                         "%s: band scale %g and offset %g turn samples into no heights", m_name.c_str(),
                         m_rule.scale, m_rule.offset);
    }
    applyUnit(options, externals);
    const auto ranged = applyValueRange(m_rule, options.valueRange, m_name);
    if (!ranged) return ranged;
    m_info.heightStep = heightStepOf(m_rule);
    if (const int bands = GDALGetRasterCount(dataset); bands > 1 && m_mask == nullptr) {
        logMessage(externals, LogLevel::Warning, "%s: %d bands, heights are taken from band %d",
                   m_name.c_str(), bands, options.band);
    }
    if (m_info.format == "PNG" && *type == SampleType::UInt8) {
        logMessage(externals, LogLevel::Warning,
                   "%s: 8-bit samples give at most 256 heights; export 16-bit grey", m_name.c_str());
    }
    return place(options, externals);
}

Result<void> GdalSource::place(const ImportOptions& options, const Externals& externals) {
    GDALDatasetH dataset = m_dataset.get();
    std::array<double, 6> t{};
    if (GDALGetGeoTransform(dataset, t.data()) != CE_None) {
        m_southUp = options.southUp.value_or(false);
        return placeRaster(m_info, nullptr, options, externals, m_name);
    }
    const bool rotated = std::abs(t[2]) > 1e-6 * std::abs(t[1]) || std::abs(t[4]) > 1e-6 * std::abs(t[5]);
    if (rotated && !options.spacing) {
        return makeError(ErrorCode::Unsupported,
                         "%s: rows do not run from west to east (geotransform %g %g %g %g); make it north-up "
                         "with gdalwarp, or give the spacing as an option to read the grid as it is",
                         m_name.c_str(), t[1], t[2], t[4], t[5]);
    }
    m_southUp = !rotated && t[5] > 0;
    m_eastLeft = !rotated && t[1] < 0;
    Georeference at;
    at.stepX = std::abs(t[1]);
    at.stepY = std::abs(t[5]);
    if (!rotated) {
        // GDAL's geotransform is of sample corners for pixel-is-area and pixel-is-point alike.
        at.position = {t[0] + t[1] * (m_eastLeft ? m_info.width - 0.5 : 0.5),
                       t[3] + t[5] * (m_southUp ? m_info.height - 0.5 : 0.5)};
    }
    if (OGRSpatialReferenceH crs = GDALGetSpatialRef(dataset)) at.crs.reset(OSRClone(crs));
    return placeRaster(m_info, &at, options, externals, m_name);
}

}  // namespace

SourceResult openGdal(const OpenRequest& request, std::uint64_t fileBytes) {
    registerDrivers();
    const GdalErrors errors;
    const char* const drivers[] = {"GTiff", "PNG", "USGSDEM", "EXR", nullptr};
    Dataset dataset(
        GDALOpenEx(request.path.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY, drivers, nullptr, nullptr));
    if (dataset == nullptr) {
        return makeError(
            ErrorCode::Unsupported,
            "%s: neither GeoTIFF, USGS DEM, PNG, EXR, Arc ASCII, .hgt, .npy, .npz, .raw nor .r16%s; "
            "convert it with gdal_translate -of GTiff",
            request.path.c_str(), errors.because().c_str());
    }
    const int bands = GDALGetRasterCount(dataset.get());
    if (request.options.band < 1 || request.options.band > bands) {
        return makeError(ErrorCode::InvalidArgument, "%s: band %d of %d; name one from 1",
                         request.path.c_str(), request.options.band, bands);
    }
    GDALRasterBandH band = GDALGetRasterBand(dataset.get(), request.options.band);
    auto source = std::make_unique<GdalSource>(std::move(dataset), band, request.path);
    const auto described = source->describe(request, fileBytes);
    if (!described) return described.error();
    return std::unique_ptr<RasterSource>(std::move(source));
}

}  // namespace karst::importer
