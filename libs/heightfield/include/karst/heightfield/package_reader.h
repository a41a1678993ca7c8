#pragma once

#include <karst/heightfield/package_format.h>
#include <karst/heightfield/tile_codec.h>

#include <filesystem>
#include <memory>
#include <vector>

namespace karst::heightfield {

/// Reads a package's files at once, for tools: `karst info`, `verify`, `convert`. A game streams through
/// PackageTileSource instead. Keeps parts of a single file's index that it read (at most 1 MiB), so a package
/// must not be written to meanwhile.
///
/// Threads: const members from any number at once (each with a codec and a scratch of its own).
class PackageReader {
  public:
    /// `path` is the folder, its terrain.json, or a single file. Refuses a single file whose length is not
    /// what its head says.
    static Result<PackageReader> open(const std::filesystem::path& path);

    const PackageManifest& manifest() const { return m_head.manifest; }
    const TileLayout& layout() const { return m_head.manifest.layout; }
    PackageForm form() const { return m_form; }

    /// A stored tile's bytes as they lie in the package. NotFound where it is missing, InvalidArgument where
    /// the layout has no such tile.
    Result<std::vector<std::byte>> readTileBytes(const TileKey& key) const;

    Result<TilePtr> readTile(const TileKey& key, BlockCodec* codec, TileScratch& scratch) const;
    Result<void> readTile(const TileKey& key, BlockCodec* codec, TileScratch& scratch,
                          QuantisedTile& out) const;

  private:
    class IndexPages;
    Result<IndexEntry> indexEntry(const TileKey& key) const;

    std::filesystem::path m_root;
    PackageForm m_form = PackageForm::Folder;
    PackageHead m_head;
    std::shared_ptr<IndexPages> m_pages;  // of a single file; copies of the reader share them
};

}  // namespace karst::heightfield
