#pragma once

#include <karst/heightfield_build/build_parts.h>

#include "append_file.h"
#include "build_plan.h"
#include "coarse_share.h"
#include "file_output.h"

namespace karst::heightfield {

enum class PartFile { Survey, Tiles, State, Done, Failed };
std::filesystem::path partPath(const std::filesystem::path& package, const BuildPart& part, PartFile file);

/// The mark of a build in so many parts.
std::uint64_t partsMark(const BuildInput& input, const BuildOptions& options, std::uint32_t count);

/// Rows of tiles of one level, the same number for every part as far as that goes.
TileWindow partWindow(const TileLayout& layout, const BuildPart& part);

Result<void> checkPart(const BuildInput& input, const BuildOptions& options, const BuildPart& part);
void removeFile(const std::filesystem::path& path);
/// "part 2/4, part 3/4"; the first few.
std::string namesOf(const std::vector<BuildPart>& parts);

/// What the first pass finds in a part's own rows. `writer`: the part that is being built.
Result<void> writePartSurvey(const std::filesystem::path& file, const BuildPart& writer, std::uint64_t mark,
                             const RowRange& rows, InputSurvey& survey);
/// Adds it to `survey`. False where there is none of this mark.
bool readPartSurvey(const std::filesystem::path& file, std::uint64_t mark, const RowRange& rows,
                    InputSurvey& survey);

/// What says that a part is there.
struct PartDone {
    HeightRange heights;  ///< of the whole input
    std::uint64_t voids = 0;
    std::uint64_t tiles = 0, bytes = 0;
    std::uint64_t fileBytes = 0;  ///< of the file of tiles
};

Result<void> writePartDone(const std::filesystem::path& file, std::uint64_t mark, const PartDone& done,
                           const CoarseShare& coarse);
/// Nothing where there is no such file; an error where it is damaged or of another mark. `coarse`, where it
/// is not null, is of the part's window.
Result<std::optional<PartDone>> readPartDone(const std::filesystem::path& file, std::uint64_t mark,
                                             CoarseShare* coarse);

/// Of all parts; an error names those that are missing.
Result<std::vector<PartDone>> readAllDone(const BuildInput& input, const std::filesystem::path& package,
                                          std::uint32_t count, const BuildOptions& options);
void removeParts(const std::filesystem::path& package, std::uint32_t count);

/// A part's tiles, one after another as they are made: key, size, checksum, bytes.
class PartSink final : public TileSink {
  public:
    PartSink(std::filesystem::path path, std::uint64_t mark, Durability durability)
        : m_path(std::move(path)), m_mark(mark), m_durability(durability) {}

    Result<void> begin(const PackageManifest& manifest, std::span<const std::byte> state) override;
    Result<void> write(const TileKey& key, std::span<const std::byte> encoded) override;
    Result<void> saveState(std::vector<std::byte>& out) override;
    Result<void> finish() override { return m_file.settle(true); }
    std::uint64_t fileBytes() const { return m_file.end(); }

  private:
    std::filesystem::path m_path;
    std::uint64_t m_mark;
    Durability m_durability;
    AppendFile m_file;
};

/// Reads them back in their order.
class PartTiles {
  public:
    Result<void> open(const std::filesystem::path& path, std::uint64_t mark, std::uint64_t fileBytes);
    /// The next tile, which is `key`'s. The bytes stay until the next call.
    Result<std::span<const std::byte>> next(const TileKey& key);

  private:
    Result<void> fill(std::size_t bytes);

    std::filesystem::path m_path;
    FileOutput m_file;
    std::uint64_t m_offset = 0, m_fileBytes = 0;  // m_offset: of what is read next into m_buffer
    std::vector<std::byte> m_buffer;
    std::size_t m_at = 0;  // in m_buffer
};

}  // namespace karst::heightfield
