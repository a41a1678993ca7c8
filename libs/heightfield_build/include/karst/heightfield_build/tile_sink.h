#pragma once

#include <karst/base/externals.h>
#include <karst/base/result.h>
#include <karst/heightfield/height_tile.h>
#include <karst/heightfield/package_format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace karst::heightfield {

/// Where a builder's tiles go. Called from one thread at a time, tiles in an order that depends on the layout
/// alone.
class TileSink {
  public:
    virtual ~TileSink() = default;

    /// Before the first tile. With `state`, what saveState() gave when the build was interrupted: tiles
    /// written after that come again.
    virtual Result<void> begin(const PackageManifest& manifest, std::span<const std::byte> state) = 0;
    virtual Result<void> write(const TileKey& key, std::span<const std::byte> encoded) = 0;
    virtual Result<void> saveState(std::vector<std::byte>& out) = 0;
    /// After the last tile: from here on the package is there.
    virtual Result<void> finish() = 0;
};

/// What a finished package, and a state that was kept, outlive: the end of the process, or a power cut too
/// (the sink then waits for the medium).
enum class Durability { Process, PowerCut };

/// A package of version 3 in one file. Written beside `path`; takes its place at the end, and that of a
/// package that is there. One process at a time: begin() is an error where another is at it. A sink that is
/// destroyed before finish() leaves nothing, unless saveState() was called.
std::unique_ptr<TileSink> makeFileSink(const std::filesystem::path& path,
                                       Durability durability = Durability::PowerCut);

/// The same for a package of version 2 or 3 in a folder.
std::unique_ptr<TileSink> makeFolderSink(const std::filesystem::path& path,
                                         Durability durability = Durability::PowerCut);

/// Where the unfinished package lies.
std::filesystem::path partialPath(const std::filesystem::path& path);

/// Tiles in memory, decoded.
class MemorySink final : public TileSink {
  public:
    Result<void> begin(const PackageManifest& manifest, std::span<const std::byte> state) override;
    Result<void> write(const TileKey& key, std::span<const std::byte> encoded) override;
    Result<void> saveState(std::vector<std::byte>& out) override;
    Result<void> finish() override { return {}; }

    const TileLayout& layout() const { return m_manifest.layout; }
    std::vector<TilePtr>& tiles() { return m_tiles; }

  private:
    PackageManifest m_manifest;
    std::vector<TilePtr> m_tiles;
};

}  // namespace karst::heightfield
