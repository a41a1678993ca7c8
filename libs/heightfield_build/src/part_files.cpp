#include "part_files.h"

#include <karst/base/checksum.h>
#include <karst/base/hash.h>

#include <algorithm>

#include "state_arrays.h"

namespace karst::heightfield {
namespace {

constexpr std::uint32_t kSurveyMagic = 0x5350544b;  // "KTPS"
constexpr std::uint32_t kDoneMagic = 0x4450544b;    // "KTPD"
constexpr std::uint32_t kTilesMagic = 0x5450544b;   // "KTPT"
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kTilesHeadBytes = 16, kRecordHeadBytes = 16;

void writeHead(ByteWriter& out, std::uint32_t magic, std::uint64_t mark) {
    out.u32(magic);
    out.u32(kFormat);
    out.u64(mark);
}

// A whole file: head, body, then a hash of both.
Result<void> writeSealed(const std::filesystem::path& file, const std::string& ending,
                         std::vector<std::byte>& bytes) {
    ByteWriter(bytes).u64(Hasher().bytes(bytes.data(), bytes.size()).value());
    return replaceFile(file, bytes, false, ending);
}

enum class Sealed { Right, Damaged, Other };

Sealed checkSealed(std::span<const std::byte> bytes, std::uint32_t magic, std::uint64_t mark) {
    if (bytes.size() < 24) return Sealed::Damaged;
    const std::span<const std::byte> body = bytes.first(bytes.size() - 8);
    ByteReader tail(bytes.last(8));
    if (Hasher().bytes(body.data(), body.size()).value() != tail.u64()) return Sealed::Damaged;
    ByteReader in(body);
    return in.u32() == magic && in.u32() == kFormat && in.u64() == mark ? Sealed::Right : Sealed::Other;
}

std::uint32_t sumOf(const TileKey& key, std::span<const std::byte> bytes) {
    return static_cast<std::uint32_t>(xxh64(bytes, key.packed()));
}

}  // namespace

Result<void> checkPart(const BuildInput& input, const BuildOptions& options, const BuildPart& part) {
    if (part.count < 1 || part.count > kMostBuildParts || part.index >= part.count) {
        return makeError(ErrorCode::InvalidArgument, "pyramid builder: %s; parts are 1 of 1 to %u of %u",
                         part.name().c_str(), kMostBuildParts, kMostBuildParts);
    }
    return checkOptions(input, options);
}

void removeFile(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

std::string namesOf(const std::vector<BuildPart>& parts) {
    constexpr std::size_t kMost = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(parts.size(), kMost); ++i)
        text += (i == 0 ? "" : ", ") + parts[i].name();
    if (parts.size() > kMost) text += " and " + std::to_string(parts.size() - kMost) + " more";
    return text;
}

std::string BuildPart::name() const {
    return "part " + std::to_string(index + 1) + "/" + std::to_string(count);
}

std::filesystem::path partPath(const std::filesystem::path& package, const BuildPart& part, PartFile file) {
    static constexpr const char* kEndings[] = {".survey", ".tiles", ".state", ".done", ".failed"};
    std::filesystem::path path = package;
    path += ".part-" + std::to_string(part.index + 1) + "-of-" + std::to_string(part.count);
    path += kEndings[static_cast<std::size_t>(file)];
    return path;
}

std::filesystem::path partStatePath(const std::filesystem::path& package, const BuildPart& part) {
    return partPath(package, part, PartFile::State);
}

std::uint64_t partsMark(const BuildInput& input, const BuildOptions& options, std::uint32_t count) {
    return Hasher().u64(buildMark(input, options)).u32(count).value();
}

TileWindow partWindow(const TileLayout& layout, const BuildPart& part) {
    // Eight rows of tiles a part or more: no part has an eighth more to do than another, and the levels above
    // are little work.
    TileWindow window;
    while (window.topLevel < layout.rootLevel() &&
           storedTilesZ(layout, window.topLevel + 1) >= 8 * std::uint64_t{part.count})
        ++window.topLevel;
    const std::uint64_t rows = storedTilesZ(layout, window.topLevel);
    window.firstRow = static_cast<std::uint32_t>(rows * part.index / part.count);
    window.endRow = static_cast<std::uint32_t>(rows * (part.index + 1) / part.count);
    return window;
}

Result<void> writePartSurvey(const std::filesystem::path& file, const BuildPart& writer, std::uint64_t mark,
                             const RowRange& rows, InputSurvey& survey) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    writeHead(out, kSurveyMagic, mark);
    out.f32(survey.heights.min);
    out.f32(survey.heights.max);
    out.u64(survey.voids);
    writeArray(out, std::span<const float>(survey.corners.valuesOf(rows)));
    return writeSealed(file, "." + std::to_string(writer.index + 1), bytes);
}

bool readPartSurvey(const std::filesystem::path& file, std::uint64_t mark, const RowRange& rows,
                    InputSurvey& survey) {
    const Result<std::vector<std::byte>> bytes = readWholeFile(file);
    if (!bytes || checkSealed(*bytes, kSurveyMagic, mark) != Sealed::Right) return false;
    ByteReader in(std::span<const std::byte>(*bytes).subspan(16));
    const float low = in.f32(), high = in.f32();
    const std::uint64_t voids = in.u64();
    if (!readArray(in, survey.corners.valuesOf(rows))) return false;
    survey.heights = {std::min(survey.heights.min, low), std::max(survey.heights.max, high)};
    survey.voids += voids;
    return true;
}

Result<void> writePartDone(const std::filesystem::path& file, std::uint64_t mark, const PartDone& done,
                           const CoarseShare& coarse) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    writeHead(out, kDoneMagic, mark);
    out.f32(done.heights.min);
    out.f32(done.heights.max);
    for (const std::uint64_t number : {done.voids, done.tiles, done.bytes, done.fileBytes})
        out.u64(number);
    coarse.save(out);
    return writeSealed(file, ".new", bytes);
}

Result<std::optional<PartDone>> readPartDone(const std::filesystem::path& file, std::uint64_t mark,
                                             CoarseShare* coarse) {
    const Result<std::vector<std::byte>> bytes = readWholeFile(file);
    if (!bytes) {
        if (bytes.error().code == ErrorCode::NotFound) return std::optional<PartDone>();
        return bytes.error();
    }
    const Sealed seal = checkSealed(*bytes, kDoneMagic, mark);
    if (seal == Sealed::Other) {
        return makeError(ErrorCode::InvalidArgument, "%s: is of another input or of other options",
                         file.c_str());
    }
    ByteReader in{std::span<const std::byte>(*bytes)};
    in.skip(16);
    PartDone done;
    done.heights.min = in.f32();
    done.heights.max = in.f32();
    for (std::uint64_t* number : {&done.voids, &done.tiles, &done.bytes, &done.fileBytes})
        *number = in.u64();
    if (seal != Sealed::Right || in.failed() || (coarse != nullptr && !coarse->load(in)))
        return makeError(ErrorCode::CorruptData, "%s: is damaged", file.c_str());
    return std::optional<PartDone>(done);
}

Result<void> PartSink::begin(const PackageManifest&, std::span<const std::byte> state) {
    const bool keep = !state.empty();
    const std::uint64_t end = keep ? ByteReader(state).u64() : 0;
    if (Result<void> begun = m_file.begin(m_path, end, keep, m_durability); !begun || keep) return begun;
    std::vector<std::byte> head;
    ByteWriter out(head);
    writeHead(out, kTilesMagic, m_mark);
    return m_file.append(head);
}

Result<void> PartSink::write(const TileKey& key, std::span<const std::byte> encoded) {
    std::vector<std::byte> head;
    head.reserve(kRecordHeadBytes);
    ByteWriter out(head);
    out.u64(key.packed());
    out.u32(static_cast<std::uint32_t>(encoded.size()));
    out.u32(sumOf(key, encoded));
    if (Result<void> put = m_file.append(head); !put) return put;
    return m_file.append(encoded);
}

Result<void> PartSink::saveState(std::vector<std::byte>& out) {
    if (Result<void> settled = m_file.settle(true); !settled) return settled;
    ByteWriter(out).u64(m_file.end());
    return {};
}

Result<void> PartTiles::open(const std::filesystem::path& path, std::uint64_t mark, std::uint64_t fileBytes) {
    m_path = path;
    m_fileBytes = fileBytes;
    m_offset = m_at = 0;
    m_buffer.clear();
    Result<FileOutput> file = FileOutput::openToRead(path);
    if (!file) return file.error();
    m_file = std::move(*file);
    const Result<std::uint64_t> size = m_file.size();
    if (!size) return size.error();
    if (*size != fileBytes) {
        return makeError(ErrorCode::CorruptData, "%s: has %llu bytes instead of %llu", path.c_str(),
                         static_cast<unsigned long long>(*size), static_cast<unsigned long long>(fileBytes));
    }
    if (Result<void> filled = fill(kTilesHeadBytes); !filled) return filled;
    ByteReader in(std::span<const std::byte>(m_buffer).first(kTilesHeadBytes));
    if (in.u32() != kTilesMagic || in.u32() != kFormat || in.u64() != mark)
        return makeError(ErrorCode::CorruptData, "%s: is not the tiles of this build", path.c_str());
    m_at = kTilesHeadBytes;
    return {};
}

Result<void> PartTiles::fill(std::size_t bytes) {
    if (m_buffer.size() - m_at >= bytes) return {};
    constexpr std::size_t kAtOnce = std::size_t{1} << 20;
    m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(m_at));
    m_at = 0;
    const std::size_t have = m_buffer.size();
    const std::uint64_t left = m_fileBytes - m_offset;
    if (bytes - have > left) {
        return makeError(ErrorCode::CorruptData, "%s: ends within a tile", m_path.c_str());
    }
    const auto more =
        static_cast<std::size_t>(std::min<std::uint64_t>(left, std::max(bytes - have, kAtOnce)));
    m_buffer.resize(have + more);
    if (Result<void> read = m_file.readAt(m_offset, std::span(m_buffer).subspan(have)); !read) return read;
    m_offset += more;
    return {};
}

Result<std::span<const std::byte>> PartTiles::next(const TileKey& key) {
    if (Result<void> filled = fill(kRecordHeadBytes); !filled) return filled.error();
    ByteReader in(std::span<const std::byte>(m_buffer).subspan(m_at, kRecordHeadBytes));
    const std::uint64_t packed = in.u64();
    const std::size_t size = in.u32();
    const std::uint32_t sum = in.u32();
    const auto damaged = [&] {
        return makeError(ErrorCode::CorruptData, "%s: tile %d/%u-%u is damaged", m_path.c_str(), key.level,
                         key.x, key.z);
    };
    if (packed != key.packed()) return damaged();
    m_at += kRecordHeadBytes;
    if (Result<void> filled = fill(size); !filled) return filled.error();
    const std::span<const std::byte> bytes = std::span<const std::byte>(m_buffer).subspan(m_at, size);
    if (sumOf(key, bytes) != sum) return damaged();
    m_at += size;
    return bytes;
}

void removeParts(const std::filesystem::path& package, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) {
        for (const PartFile kind :
             {PartFile::Done, PartFile::Tiles, PartFile::Survey, PartFile::State, PartFile::Failed})
            removeFile(partPath(package, {k, count}, kind));
    }
}

Result<std::vector<PartDone>> readAllDone(const BuildInput& input, const std::filesystem::path& package,
                                          std::uint32_t count, const BuildOptions& options) {
    std::vector<PartDone> all;
    std::vector<BuildPart> missing;
    for (std::uint32_t k = 0; k < count; ++k) {
        const BuildPart part{k, count};
        const auto done =
            readPartDone(partPath(package, part, PartFile::Done), partsMark(input, options, count), nullptr);
        if (!done) return done.error();
        if (!*done) {
            missing.push_back(part);
            continue;
        }
        all.push_back(**done);
    }
    if (missing.empty()) return all;
    return makeError(ErrorCode::NotFound, "%s: missing: %s", package.c_str(), namesOf(missing).c_str());
}

}  // namespace karst::heightfield
