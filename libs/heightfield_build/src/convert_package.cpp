#include <karst/heightfield_build/convert_package.h>

#include <algorithm>
#include <vector>

#include "tile_rows.h"
#include "worker_pool.h"

namespace karst::heightfield {
namespace {

struct Worker {
    TileScratch scratch;
    std::unique_ptr<BlockCodec> readCodec, writeCodec;
    QuantisedTile tile;
};

struct Converted {
    Result<void> result;
    std::vector<std::byte> bytes;
    bool hasHoles = false, hasMaterials = false;
};

class Conversion {
  public:
    Conversion(const PackageReader& package, const ConvertOptions& options, CodecId codec)
        : m_package(&package),
          m_options(&options),
          m_layout(package.layout()),
          m_copies(package.manifest().version == options.version &&
                   (options.version == 2 || package.manifest().codec == codec)) {}

    /// Tiles of a row, from the given one on.
    void convert(const TileRow& row, std::uint32_t first, std::span<Converted> out, JobSystem& jobs) {
        jobs.parallelFor(out.size(), 4, [&](std::size_t begin, std::size_t end) {
            std::unique_ptr<Worker> worker = m_workers.take();
            if (worker == nullptr) {
                worker = std::make_unique<Worker>();
                if (m_options->makeReadCodec) worker->readCodec = m_options->makeReadCodec();
                if (m_options->makeWriteCodec) worker->writeCodec = m_options->makeWriteCodec();
            }
            for (std::size_t x = begin; x < end; ++x) {
                const TileKey key{row.level, first + static_cast<std::uint32_t>(x), row.z};
                out[x].result = convertTile(key, *worker, out[x]);
            }
            m_workers.give(std::move(worker));
        });
    }

  private:
    Result<void> convertTile(const TileKey& key, Worker& worker, Converted& out) {
        auto bytes = m_package->readTileBytes(key);
        if (!bytes) return bytes.error();
        const std::uint32_t from = m_package->manifest().version;
        QuantisedTile& tile = worker.tile;
        if (Result<void> decoded =
                decodeTile(from, m_layout, key, *bytes, worker.readCodec.get(), worker.scratch, tile);
            !decoded) {
            return decoded;
        }
        out.hasHoles = holesInGround(tile);
        out.hasMaterials = tile.materialLayers > 0;
        if (m_copies) {
            out.bytes = std::move(*bytes);
            return {};
        }
        if (from == 2) addPadding(tile);
        return encodeTile(m_options->version, m_layout, tile.content(), worker.writeCodec.get(),
                          worker.scratch, out.bytes);
    }

    bool holesInGround(const QuantisedTile& tile) const {
        for (std::size_t word = 0; word < tile.holes.size(); ++word) {
            for (std::size_t bit = 0; bit < 64 && tile.holes[word] >> bit != 0; ++bit) {
                if ((tile.holes[word] >> bit & 1) == 0) continue;
                const auto cell = static_cast<std::uint32_t>(word * 64 + bit);
                if (!isPadding(m_layout, tile.key, cell % m_layout.tileCells, cell / m_layout.tileCells))
                    return true;
            }
        }
        return false;
    }

    void addPadding(QuantisedTile& tile) const {
        const std::uint32_t cells = m_layout.tileCells;
        if (!isPadding(m_layout, tile.key, cells - 1, 0) && !isPadding(m_layout, tile.key, 0, cells - 1))
            return;
        tile.holes.assign((std::size_t{cells} * cells + 63) / 64, 0);
        for (std::uint32_t j = 0; j < cells; ++j) {
            for (std::uint32_t i = 0; i < cells; ++i) {
                if (!isPadding(m_layout, tile.key, i, j)) continue;
                const std::size_t bit = std::size_t{j} * cells + i;
                tile.holes[bit >> 6] |= std::uint64_t{1} << (bit & 63);
            }
        }
    }

    const PackageReader* m_package;
    const ConvertOptions* m_options;
    TileLayout m_layout;
    bool m_copies;
    WorkerPool<Worker> m_workers;
};

}  // namespace

Result<ConvertReport> convertPackage(const PackageReader& package, TileSink& sink,
                                     const ConvertOptions& options, const Externals& externals) {
    if (options.version != 2 && options.version != 3) {
        return makeError(ErrorCode::InvalidArgument, "package conversion: version %u; there are 2 and 3",
                         options.version);
    }
    PackageManifest manifest;
    manifest.version = options.version;
    manifest.layout = package.layout();
    if (options.version == 3 && options.makeWriteCodec) {
        const std::unique_ptr<BlockCodec> codec = options.makeWriteCodec();
        if (codec != nullptr) manifest.codec = codec->id();
    }
    if (Result<void> begun = sink.begin(manifest, {}); !begun) return begun.error();

    ConvertReport report;
    Conversion conversion(package, options, manifest.codec);
    // A row of many tiles is taken in turns: memory does not depend on its width.
    constexpr std::uint32_t kAtOnce = 4096;
    std::vector<Converted> turn;
    const auto all = static_cast<double>(storedTileCount(manifest.layout));
    TileRowOrder order(manifest.layout);
    while (const std::optional<TileRow> row = order.next()) {
        const std::uint32_t width = storedTilesX(manifest.layout, row->level);
        for (std::uint32_t first = 0; first < width; first += kAtOnce) {
            if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) return report;
            turn.resize(std::min(kAtOnce, width - first));
            conversion.convert(*row, first, turn, *externals.jobs);
            for (std::uint32_t i = 0; i < turn.size(); ++i) {
                const Converted& tile = turn[i];
                if (!tile.result) return tile.result.error();
                if (Result<void> written = sink.write({row->level, first + i, row->z}, tile.bytes); !written)
                    return written.error();
                ++report.tiles;
                report.bytes += tile.bytes.size();
                if (options.version != 2) continue;
                report.tilesWithHoles += tile.hasHoles ? 1 : 0;
                report.tilesWithMaterials += tile.hasMaterials ? 1 : 0;
            }
            if (options.progress) options.progress(static_cast<double>(report.tiles) / all);
        }
    }
    if (Result<void> finished = sink.finish(); !finished) return finished.error();
    report.finished = true;
    return report;
}

}  // namespace karst::heightfield
