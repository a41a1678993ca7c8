#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "asc_header.h"
#include "georeference.h"
#include "message.h"
#include "readers.h"
#include "samples.h"

// Karst reads Arc ASCII grids itself: GDAL 3.6's AAIGrid refuses a header whose keys stand in an odd order,
// and takes a grid whose first value is "nan" for integers, of which it then reads nothing.

namespace karst::importer {
namespace {

class AscSource final : public RasterSource {
  public:
    AscSource(std::unique_ptr<ByteFile> bytes, const OpenRequest& request)
        : m_bytes(std::move(bytes)),
          m_words(*m_bytes),
          m_name(request.path),
          m_externals(request.externals) {}

    Result<void> open(const OpenRequest& request);
    const RasterInfo& info() const override { return m_info; }
    GridRect preferredWindow() const override { return rowsWindow(m_info); }
    Result<void> readWindow(const GridRect& texels, std::span<float> heights,
                            std::span<std::uint8_t> voids) override;

  private:
    /// Passes words without a look at them; stops with an error where the file does.
    Result<void> skip(int row, int fromColumn, int count);
    Result<void> seekRow(int row);
    Error stopped(Words::Status status, int row, int column) const;

    std::unique_ptr<ByteFile> m_bytes;
    Words m_words;
    std::string m_name;
    Externals m_externals;
    RasterInfo m_info;
    SampleRule m_rule;
    std::vector<std::uint64_t> m_rowStarts;  // of the rows met so far: 8 bytes a row
};

Error AscSource::stopped(Words::Status status, int row, int column) const {
    if (status == Words::Status::Failed) {
        return makeError(m_words.error().code, "%s: %s", m_name.c_str(), m_words.error().message.c_str());
    }
    const long long have = static_cast<long long>(row) * m_info.width + column;
    return makeError(
        ErrorCode::CorruptData,
        "%s: ends after %lld of %lld values (%d x %d); fetch the file again or correct the header",
        m_name.c_str(), have, static_cast<long long>(m_info.width) * m_info.height, m_info.width,
        m_info.height);
}

Result<void> AscSource::skip(int row, int fromColumn, int count) {
    std::string_view word;
    for (int i = 0; i < count; ++i) {
        const Words::Status status = m_words.next(word);
        if (status != Words::Status::Word) return stopped(status, row, fromColumn + i);
    }
    return {};
}

Result<void> AscSource::seekRow(int row) {
    const auto known = static_cast<int>(m_rowStarts.size()) - 1;
    m_words.seek(m_rowStarts[static_cast<std::size_t>(std::min(row, known))]);
    for (int at = known; at < row; ++at) {
        const auto done = skip(at, 0, m_info.width);
        if (!done) return done;
        m_rowStarts.push_back(m_words.position());
    }
    return {};
}

Result<void> AscSource::readWindow(const GridRect& texels, std::span<float> heights,
                                   std::span<std::uint8_t> voids) {
    const auto fits = checkWindow(m_info, texels, heights.size(), voids.size(), m_name);
    if (!fits) return fits;
    float* out = heights.data();
    for (int row = texels.minZ; row < texels.maxZ; ++row) {
        const auto there = seekRow(row);
        if (!there) return there;
        const auto before = skip(row, 0, texels.minX);
        if (!before) return before;
        std::string_view word;
        for (int column = texels.minX; column < texels.maxX; ++column) {
            const Words::Status status = m_words.next(word);
            if (status != Words::Status::Word) return stopped(status, row, column);
            const auto value = ascNumber(word);
            if (!value) {
                return makeError(ErrorCode::CorruptData, "%s: row %d column %d is '%s', no number",
                                 m_name.c_str(), row, column, shown(word).c_str());
            }
            *out++ = heightOfNumber(m_rule, *value);
        }
        if (row + 1 == static_cast<int>(m_rowStarts.size()) && row + 1 < m_info.height) {
            const auto after = skip(row, texels.maxX, m_info.width - texels.maxX);
            if (!after) return after;
            m_rowStarts.push_back(m_words.position());
        }
    }
    std::string_view word;
    if (texels.maxZ == m_info.height && texels.maxX == m_info.width &&
        m_words.next(word) == Words::Status::Word) {
        logMessage(m_externals, LogLevel::Warning,
                   "%s: goes on after the %d x %d values that the header tells of, with '%s'", m_name.c_str(),
                   m_info.width, m_info.height, shown(word).c_str());
    }
    markVoids(heights, voids);
    return {};
}

Crs prjBeside(const OpenRequest& request) {
    const std::size_t nameAt = request.path.size() - fileName(request.path).size();
    std::string stem = request.path;
    const std::size_t dot = stem.rfind('.');
    if (dot != std::string::npos && dot > nameAt) stem.resize(dot);
    for (const char* extension : {".prj", ".PRJ"}) {
        const std::string path = stem + extension;
        if (!fileExists(path)) continue;
        const auto text = readText(path, 64 * 1024);
        Crs crs = text ? crsFromText(*text) : Crs();
        if (crs == nullptr) {
            logMessage(request.externals, LogLevel::Warning, "%s: no coordinate system can be read from it",
                       path.c_str());
        }
        return crs;
    }
    return {};
}

Result<void> AscSource::open(const OpenRequest& request) {
    const auto read = readAscHeader(m_words, m_name);
    if (!read) return read.error();
    const AscHeader& header = *read;
    const auto sides = checkSides(header.columns, header.rows, m_name);
    if (!sides) return sides;
    const std::uint64_t values =
        static_cast<std::uint64_t>(header.columns) * static_cast<std::uint64_t>(header.rows);
    const std::uint64_t room = (m_bytes->size() - header.dataOffset + 1) / 2;  // a digit and a blank each
    if (values > room) {
        return makeError(ErrorCode::CorruptData,
                         "%s: the header claims %lld x %lld values, but the file has room for %llu at most; "
                         "fetch it again or correct the header",
                         m_name.c_str(), static_cast<long long>(header.columns),
                         static_cast<long long>(header.rows), static_cast<unsigned long long>(room));
    }
    m_info.width = static_cast<int>(header.columns);
    m_info.height = static_cast<int>(header.rows);
    m_info.format = "AAIGrid";
    m_info.sampleType = SampleType::Float32;
    m_rule.type = SampleType::Float32;
    m_rule.nodata = request.options.nodata ? request.options.nodata : header.nodata;
    const auto ranged = applyValueRange(m_rule, request.options.valueRange, m_name);
    if (!ranged) return ranged;
    m_rowStarts.push_back(header.dataOffset);

    if (header.cellX.has_value() != header.cellY.has_value()) {
        return makeError(ErrorCode::CorruptData,
                         "%s: the header has no %s; add the line, or cellsize for both", m_name.c_str(),
                         header.cellX ? "dy" : "dx");
    }
    if (!header.cellX) {
        return placeRaster(m_info, nullptr, request.options, request.externals, m_name);
    }
    Georeference at;
    at.stepX = *header.cellX;
    at.stepY = *header.cellY;
    if (header.x && header.y) {
        at.position = {*header.x + (header.xIsCentre ? 0 : at.stepX * 0.5),
                       *header.y + (header.yIsCentre ? 0 : at.stepY * 0.5) + at.stepY * (m_info.height - 1)};
    }
    at.crs = prjBeside(request);
    return placeRaster(m_info, &at, request.options, request.externals, m_name);
}

}  // namespace

SourceResult openAsc(std::unique_ptr<ByteFile> bytes, const OpenRequest& request) {
    auto source = std::make_unique<AscSource>(std::move(bytes), request);
    const auto opened = source->open(request);
    if (!opened) return opened.error();
    return std::unique_ptr<RasterSource>(std::move(source));
}

}  // namespace karst::importer
