#pragma once

#include <karst/base/byte_source.h>
#include <karst/heightfield/package_format.h>
#include <karst/heightfield/tile_codec.h>
#include <karst/heightfield/tile_source.h>

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace karst::heightfield {

/// Stored tiles of a package over a byte source: files, HTTP, or a test's script (spec rows H6, H7, HX2).
///
/// The manifest (or a single file's head) is requested at once; tiles may be requested before it came and
/// wait for it. In a single file a tile takes one range request, preceded by one for its page of the index
/// (kPageEntries tiles) where that is not yet known; pages stay: at most 12 bytes a tile of the package, and
/// only for parts that were asked for. Requests in flight are not limited here: that is the streamer's
/// matter. Tiles are decoded inside poll().
///
/// Threads: as TileSource.
class PackageTileSource final : public TileSource {
  public:
    static constexpr std::uint64_t kPageEntries = 1024;

    enum class State { Opening, Ready, Failed };

    /// `file` is a single file's path within the byte source; empty where the byte source is that file. A
    /// package whose codec is not `codec`'s fails.
    PackageTileSource(std::unique_ptr<ByteSource> bytes, PackageForm form,
                      std::unique_ptr<BlockCodec> codec = nullptr, std::string file = {});

    /// Takes in what has come of the manifest; call it until the state is no longer Opening.
    void update();
    State state() const { return m_state; }
    bool ready() const { return m_state == State::Ready; }
    /// Of a source that has Failed: why the package cannot be read.
    const Error& error() const { return *m_error; }
    /// Asks for the manifest again after it Failed, as for a server that was away.
    void reopen();

    /// Of a source that is Ready.
    const PackageManifest& manifest() const { return m_head.manifest; }
    const TileLayout& layout() const { return m_head.manifest.layout; }

    /// Loads of a Failed source finish with its error.
    void request(const TileKey& key) override;
    std::optional<Finished> poll() override;
    void cancel(const TileKey& key) override;

    /// Memory that index pages take.
    std::size_t indexBytes() const;

  private:
    enum class ReadKind { Head, Page, Tile };
    struct Read {
        ReadKind kind;
        std::uint64_t page = 0;
        TileKey key;
    };
    struct Load {
        TileKey key;
        std::uint64_t read = 0;  // 0 while it waits for the manifest or a page
        bool done = false;
    };

    void requestHead();
    void handle(ByteSource::Finished finished);
    void takeHead(const Result<std::vector<std::byte>>& bytes);
    void takePage(std::uint64_t page, Result<std::vector<std::byte>> bytes);
    void fail(const Error& error);
    void advance(const TileKey& key);
    void advanceInFile(Load& load);
    void finish(Load& load, Result<TilePtr> tile);

    std::unique_ptr<ByteSource> m_bytes;
    PackageForm m_form;
    std::unique_ptr<BlockCodec> m_codec;
    std::string m_file;
    State m_state = State::Opening;
    std::optional<Error> m_error;
    PackageHead m_head;
    TileScratch m_scratch;

    std::unordered_map<std::uint64_t, Read> m_reads;                    // by the byte source's numbers
    std::unordered_map<std::uint64_t, Load> m_loads;                    // by TileKey::packed()
    std::vector<TileKey> m_waitingForHead;                              // in the order of the requests
    std::unordered_map<std::uint64_t, std::vector<TileKey>> m_waiting;  // by index page that was requested
    std::unordered_map<std::uint64_t, std::vector<std::byte>> m_pages;  // index bytes as they came
    std::deque<Finished> m_done;
};

/// A source over a package's files, ready: `path` is the folder, its terrain.json, or a single file. Reads
/// the manifest at once, tiles later on a thread of their own.
Result<std::unique_ptr<PackageTileSource>> openPackage(const std::filesystem::path& path,
                                                       std::unique_ptr<BlockCodec> codec = nullptr);

}  // namespace karst::heightfield
