#include <cpl_conv.h>
#include <karst/base/byte_reader.h>
#include <karst/base/math.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gdal_errors.h"
#include "georeference.h"
#include "message.h"
#include "readers.h"
#include "samples.h"

// Debian's GDAL has no EXR driver, so Karst reads the kind of EXR that terrain tools write: one part, scan
// lines, uncompressed or by RLE or ZIP. Others go to GDAL's driver where there is one.

namespace karst::importer {
namespace {

enum class Packing { None = 0, Rle = 1, ZipLine = 2, ZipBlock = 3 };

struct Channel {
    std::string name;
    SampleType type = SampleType::Float32;
};

struct ExrHeader {
    bool ours = true;  ///< of the kind read here
    Packing packing = Packing::None;
    std::vector<Channel> channels;
    std::int64_t minX = 0, minY = 0, maxX = -1, maxY = -1;
    std::uint64_t tableOffset = 0;
};

std::string takeName(ByteReader& reader) {
    std::string name;
    while (name.size() < 256) {
        const auto c = static_cast<char>(reader.u8());
        if (c == '\0') return name;
        name += c;
    }
    reader.skip(reader.remaining() + 1);  // longer than any name may be: fails the reader
    return name;
}

bool parseChannels(std::span<const std::byte> bytes, ExrHeader& header) {
    ByteReader reader(bytes);
    for (;;) {
        Channel channel;
        channel.name = takeName(reader);
        if (reader.failed()) return false;
        if (channel.name.empty()) return !header.channels.empty();
        const std::uint32_t type = reader.u32();
        reader.skip(4);
        const std::uint32_t xSampling = reader.u32(), ySampling = reader.u32();
        if (reader.failed() || type > 2 || header.channels.size() >= 64) return false;
        channel.type = type == 0 ? SampleType::UInt32 : type == 1 ? SampleType::Float16 : SampleType::Float32;
        if (xSampling != 1 || ySampling != 1) header.ours = false;
        header.channels.push_back(std::move(channel));
    }
}

/// False where the bytes are no header.
bool parseHeader(std::span<const std::byte> bytes, ExrHeader& header) {
    ByteReader reader(bytes);
    reader.skip(4);
    const std::uint32_t version = reader.u32();
    constexpr std::uint32_t kLongNames = 0x400;
    if ((version & 0xff) != 2) return false;
    if ((version & ~(0xffu | kLongNames)) != 0) header.ours = false;  // tiles, deep data, several parts
    bool hasChannels = false, hasWindow = false, hasPacking = false;
    for (;;) {
        const std::string name = takeName(reader);
        if (reader.failed()) return false;
        if (name.empty()) break;
        const std::string type = takeName(reader);
        const std::uint32_t size = reader.u32();
        const auto value = reader.bytes(size);
        if (reader.failed()) return false;
        ByteReader field(value);
        if (name == "channels" && !hasChannels) {
            hasChannels = parseChannels(value, header);
            if (!hasChannels) return false;
        } else if (name == "compression") {
            const int packing = field.u8();
            if (packing > 3) header.ours = false;
            header.packing = static_cast<Packing>(std::min(packing, 3));
            hasPacking = !field.failed();
        } else if (name == "dataWindow") {
            header.minX = field.i32();
            header.minY = field.i32();
            header.maxX = field.i32();
            header.maxY = field.i32();
            hasWindow = !field.failed();
        }
    }
    header.tableOffset = reader.position();
    return hasChannels && hasWindow && hasPacking;
}

class ExrSource final : public RasterSource {
  public:
    ExrSource(std::unique_ptr<ByteFile> bytes, std::string name)
        : m_bytes(std::move(bytes)), m_name(std::move(name)) {}

    Result<void> open(const ExrHeader& header, const OpenRequest& request);
    const RasterInfo& info() const override { return m_info; }
    GridRect preferredWindow() const override {
        GridRect window = rowsWindow(m_info);
        window.maxZ =
            std::min((window.maxZ + m_linesAChunk - 1) / m_linesAChunk * m_linesAChunk, m_info.height);
        return window;
    }
    Result<void> readWindow(const GridRect& texels, std::span<float> heights,
                            std::span<std::uint8_t> voids) override;

  private:
    Result<void> loadChunk(int chunk);
    bool unpack(std::size_t wanted);
    Error damaged(int chunk, const char* how) const {
        return makeError(ErrorCode::CorruptData, "%s: block %d of lines %s; fetch or export it again",
                         m_name.c_str(), chunk, how);
    }

    std::unique_ptr<ByteFile> m_bytes;
    std::string m_name;
    RasterInfo m_info;
    SampleRule m_rule;
    Packing m_packing = Packing::None;
    int m_linesAChunk = 1;
    std::int64_t m_minY = 0;
    std::uint64_t m_tableOffset = 0;
    std::uint64_t m_lineBytes = 0;      // all channels of a line
    std::uint64_t m_channelOffset = 0;  // of the heights in a line
    bool m_southUp = false;
    int m_chunk = -1;                // the one in m_lines
    std::vector<std::byte> m_lines;  // unpacked
    std::vector<std::byte> m_packed, m_scratch;
};

/// Undoes EXR's run lengths or deflate, then the difference and the parting of bytes that both come after.
bool ExrSource::unpack(std::size_t wanted) {
    m_scratch.resize(wanted);
    if (m_packing == Packing::Rle) {
        std::size_t in = 0, out = 0;
        while (in < m_packed.size()) {
            const auto code = static_cast<std::int8_t>(m_packed[in++]);
            const std::size_t run = code < 0 ? static_cast<std::size_t>(-int{code}) : std::size_t(code) + 1;
            const std::size_t taken = code < 0 ? run : 1;
            if (run > wanted - out || taken > m_packed.size() - in) return false;
            if (code < 0) {
                std::copy_n(m_packed.data() + in, run, m_scratch.data() + out);
            } else {
                std::fill_n(m_scratch.data() + out, run, m_packed[in]);
            }
            in += taken;
            out += run;
        }
        if (out != wanted) return false;
    } else {
        const GdalErrors errors;
        std::size_t got = 0;
        if (CPLZLibInflate(m_packed.data(), m_packed.size(), m_scratch.data(), wanted, &got) == nullptr ||
            got != wanted) {
            return false;
        }
    }
    for (std::size_t i = 1; i < wanted; ++i) {
        m_scratch[i] =
            static_cast<std::byte>(static_cast<int>(m_scratch[i - 1]) + static_cast<int>(m_scratch[i]) - 128);
    }
    m_lines.resize(wanted);
    const std::size_t half = (wanted + 1) / 2;
    for (std::size_t i = 0; i < wanted; ++i)
        m_lines[i] = m_scratch[i / 2 + (i % 2 == 0 ? 0 : half)];
    return true;
}

Result<void> ExrSource::loadChunk(int chunk) {
    if (chunk == m_chunk) return {};
    m_chunk = -1;
    std::array<std::byte, 8> entry{};
    const auto table = m_bytes->read(m_tableOffset + static_cast<std::uint64_t>(chunk) * 8, entry);
    if (!table) return table;
    const std::uint64_t at = ByteReader(entry).u64();
    if (at > m_bytes->size()) return damaged(chunk, "lies behind the file's end");
    const auto head = m_bytes->read(at, entry);
    if (!head) return head;
    ByteReader reader(entry);
    const std::int64_t line = reader.i32();
    const std::uint64_t size = reader.u32();
    const int firstLine = chunk * m_linesAChunk;
    const int lines = std::min(m_linesAChunk, m_info.height - firstLine);
    const auto wanted = static_cast<std::size_t>(m_lineBytes * static_cast<std::uint64_t>(lines));
    if (line != m_minY + firstLine) return damaged(chunk, "is of other lines than its place says");
    if (size > wanted) return damaged(chunk, "is longer than its lines");
    std::vector<std::byte>& to = size == wanted ? m_lines : m_packed;
    to.resize(static_cast<std::size_t>(size));
    const auto body = m_bytes->read(at + 8, to);
    if (!body) return body;
    if (size != wanted && (m_packing == Packing::None || !unpack(wanted))) {
        return damaged(chunk, "cannot be unpacked");
    }
    m_chunk = chunk;
    return {};
}

Result<void> ExrSource::readWindow(const GridRect& texels, std::span<float> heights,
                                   std::span<std::uint8_t> voids) {
    const auto fits = checkWindow(m_info, texels, heights.size(), voids.size(), m_name);
    if (!fits) return fits;
    const auto width = static_cast<std::size_t>(texels.width());
    const auto size = static_cast<std::size_t>(sampleBytes(m_rule.type));
    for (int row = texels.minZ; row < texels.maxZ; ++row) {
        const int line = m_southUp ? m_info.height - 1 - row : row;
        const auto loaded = loadChunk(line / m_linesAChunk);
        if (!loaded) return loaded;
        const std::size_t from =
            static_cast<std::size_t>(line % m_linesAChunk) * static_cast<std::size_t>(m_lineBytes) +
            static_cast<std::size_t>(m_channelOffset) + static_cast<std::size_t>(texels.minX) * size;
        decodeSamples(m_rule, m_lines.data() + from, size, width,
                      heights.data() + static_cast<std::size_t>(row - texels.minZ) * width);
    }
    markVoids(heights, voids);
    return {};
}

/// The channel of the heights: the one asked for, the only one, or one of the usual names.
const Channel* pickChannel(const std::vector<Channel>& channels, const std::string& wanted) {
    const auto named = [&](std::string_view name) -> const Channel* {
        const auto at =
            std::find_if(channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
        return at == channels.end() ? nullptr : &*at;
    };
    if (!wanted.empty()) return named(wanted);
    if (channels.size() == 1) return &channels[0];
    for (const char* usual : {"Y", "Z", "height", "Height", "R"}) {
        if (const Channel* found = named(usual)) return found;
    }
    return nullptr;
}

Result<void> ExrSource::open(const ExrHeader& header, const OpenRequest& request) {
    const std::int64_t width = header.maxX - header.minX + 1, height = header.maxY - header.minY + 1;
    const auto sides = checkSides(width, height, m_name);
    if (!sides) return sides;
    m_info.width = static_cast<int>(width);
    m_info.height = static_cast<int>(height);
    m_info.format = "EXR";
    const Channel* chosen = pickChannel(header.channels, request.options.array);
    if (chosen == nullptr) {
        std::string names;
        for (const Channel& channel : header.channels)
            names += (names.empty() ? "" : ", ") + shown(channel.name);
        return makeError(ErrorCode::InvalidArgument,
                         "%s: which channel holds the heights? There are: %s; name "
                         "one as the array option",
                         m_name.c_str(), names.c_str());
    }
    for (const Channel& channel : header.channels) {
        if (&channel == chosen) m_channelOffset = m_lineBytes;
        m_lineBytes +=
            static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(sampleBytes(channel.type));
    }
    m_packing = header.packing;
    m_linesAChunk = m_packing == Packing::ZipBlock ? 16 : 1;
    m_minY = header.minY;
    m_tableOffset = header.tableOffset;
    constexpr std::uint64_t kMostChunk = 256 << 20;
    if (m_lineBytes * static_cast<std::uint64_t>(m_linesAChunk) > kMostChunk) {
        return makeError(ErrorCode::TooLarge, "%s: a block of lines takes %llu bytes; export fewer channels",
                         m_name.c_str(),
                         static_cast<unsigned long long>(m_lineBytes * static_cast<unsigned>(m_linesAChunk)));
    }
    const std::uint64_t chunks = static_cast<std::uint64_t>((height + m_linesAChunk - 1) / m_linesAChunk);
    const std::uint64_t content = m_lineBytes * static_cast<std::uint64_t>(height);  // below 2^49
    const std::uint64_t ratio = m_packing == Packing::None ? 1 : 1100;
    const std::uint64_t behind = m_bytes->size() - m_tableOffset;
    if (chunks * 16 > behind || content / ratio > behind) {
        return makeError(
            ErrorCode::CorruptData,
            "%s: the header claims %lld x %lld samples in %zu channels, too many for %llu bytes; "
            "fetch or export it again",
            m_name.c_str(), static_cast<long long>(width), static_cast<long long>(height),
            header.channels.size(), static_cast<unsigned long long>(m_bytes->size()));
    }
    m_info.sampleType = chosen->type;
    m_rule.type = chosen->type;
    m_rule.order = ByteOrder::Little;
    m_rule.nodata = request.options.nodata;
    m_southUp = request.options.southUp.value_or(false);
    const auto ranged = applyValueRange(m_rule, request.options.valueRange, m_name);
    if (!ranged) return ranged;
    m_info.heightStep = heightStepOf(m_rule);
    return placeRaster(m_info, nullptr, request.options, request.externals, m_name);
}

}  // namespace

SourceResult openExr(std::unique_ptr<ByteFile> bytes, const OpenRequest& request) {
    constexpr std::uint64_t kMostHeader = 1 << 20;
    std::vector<std::byte> start(static_cast<std::size_t>(std::min(bytes->size(), kMostHeader)));
    const auto read = bytes->read(0, start);
    if (!read) return read.error();
    ExrHeader header;
    if (!parseHeader(start, header)) {
        return makeError(ErrorCode::CorruptData, "%s: the EXR header is damaged; fetch or export it again",
                         request.path.c_str());
    }
    if (!header.ours) {
        const std::uint64_t size = bytes->size();
        bytes.reset();
        auto opened = openGdal(request, size);
        if (opened) return opened;
        return makeError(ErrorCode::Unsupported,
                         "%s: this kind of EXR needs a GDAL with the EXR driver; export it as scan lines, "
                         "uncompressed or ZIP, one part",
                         request.path.c_str());
    }
    auto source = std::make_unique<ExrSource>(std::move(bytes), request.path);
    const auto opened = source->open(header, request);
    if (!opened) return opened.error();
    return std::unique_ptr<RasterSource>(std::move(source));
}

}  // namespace karst::importer
