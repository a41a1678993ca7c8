#include <karst/base/byte_reader.h>
#include <karst/base/file_byte_source.h>
#include <karst/heightfield/package_reader.h>
#include <karst/heightfield_build/package_files.h>
#include <karst/heightfield_build/verify_package.h>

#include <algorithm>

#include "tile_rows.h"
#include "verify_tile.h"
#include "worker_pool.h"

namespace karst::heightfield {
namespace {

struct Worker {
    TileScratch scratch;
    std::unique_ptr<BlockCodec> codec;
};

struct Level {
    std::vector<SeenTile> rows[2];  // of tiles: the last even and the last odd one
    // By row of tiles: its cells, row by row over the whole width. The finest rows of tiles may be one row of
    // cells ahead of the coarse row under way.
    std::vector<ExpectedCell> cells[2];
};

class Verification {
  public:
    Verification(const PackageReader& package, const VerifyOptions& options, VerifyReport& report)
        : m_package(&package), m_options(&options), m_layout(package.layout()), m_report(&report) {
        const std::size_t tileCells = m_layout.tileCells;
        for (std::int32_t level = 0; level <= m_layout.rootLevel(); ++level) {
            const std::size_t tiles = storedTilesX(m_layout, level);
            Level& state = m_levels.emplace_back();
            for (auto& row : state.rows)
                row.resize(tiles);
            if (!keepsHoles()) continue;
            for (auto& cells : state.cells)  // past the ground unless something else is seen
                cells.assign(tiles * tileCells * tileCells, ExpectedCell::Hole);
        }
    }

    void addFinding(std::string words) {
        ++m_report->findings;
        if (m_report->messages.size() < m_options->mostFindings)
            m_report->messages.push_back(std::move(words));
    }

    void look(const TileRow& row, JobSystem& jobs) {
        Level& level = m_levels[static_cast<std::size_t>(row.level)];
        std::vector<SeenTile>& tiles = level.rows[row.z & 1];
        jobs.parallelFor(tiles.size(), 4, [&](std::size_t begin, std::size_t end) {
            std::unique_ptr<Worker> worker = m_workers.take();
            if (worker == nullptr) {
                worker = std::make_unique<Worker>();
                if (m_options->makeCodec) worker->codec = m_options->makeCodec();
            }
            for (std::size_t x = begin; x < end; ++x)
                read({row.level, static_cast<std::uint32_t>(x), row.z}, *worker, tiles[x]);
            m_workers.give(std::move(worker));
        });
        if (row.level == 0 && keepsHoles()) expectFinest(row.z, level);
        jobs.parallelFor(tiles.size(), 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t x = begin; x < end; ++x)
                check(row, x);
        });
        for (SeenTile& tile : tiles) {
            if (tile.there) {
                ++m_report->tiles;
                m_report->bytes += tile.bytes;
            }
            for (std::string& words : tile.findings)
                addFinding(std::move(words));
        }
        if (!keepsHoles()) return;
        if (row.level == 0) expectCoarser(row.z, tiles);
        std::fill(level.cells[row.z & 1].begin(), level.cells[row.z & 1].end(), ExpectedCell::Hole);
    }

  private:
    bool keepsHoles() const { return m_package->manifest().version >= 3; }

    void read(const TileKey& key, Worker& worker, SeenTile& out) {
        out.findings.clear();
        out.there = false;
        const auto bytes = m_package->readTileBytes(key);
        Result<void> result = bytes ? decodeTile(m_package->manifest().version, m_layout, key, *bytes,
                                                 worker.codec.get(), worker.scratch, out.tile)
                                    : Result<void>(bytes.error());
        if (!result) {
            out.findings.push_back(result.error().message);
            return;
        }
        out.bytes = bytes->size();
        out.there = true;
    }

    void check(const TileRow& row, std::size_t x) {
        Level& level = m_levels[static_cast<std::size_t>(row.level)];
        std::vector<SeenTile>& tiles = level.rows[row.z & 1];
        SeenTile& tile = tiles[x];
        if (!tile.there) return;
        checkMeasures(m_layout, tile);
        checkApron(m_layout, tile, x + 1 < tiles.size() ? &tiles[x + 1] : nullptr,
                   row.z > 0 ? &level.rows[(row.z - 1) & 1][x] : nullptr);
        if (row.level > 0) {
            const SeenTile* children[4] = {};
            for (std::uint32_t c = 0; c < 4; ++c) {
                const TileKey child = tile.tile.key.child(c);
                if (!m_layout.contains(child)) continue;
                children[c] = &m_levels[static_cast<std::size_t>(row.level) - 1].rows[child.z & 1][child.x];
            }
            checkChildren(m_layout, tile, children);
        }
        if (keepsHoles()) {
            const std::size_t cells = m_layout.tileCells;
            checkHoles(m_layout, tile, level.cells[row.z & 1].data() + x * cells, tiles.size() * cells);
        }
    }

    // A finest cell may be a hole anywhere in the ground, and must be one past it.
    void expectFinest(std::uint32_t z, Level& level) {
        const std::size_t cells = m_layout.tileCells, width = level.rows[0].size() * cells;
        std::vector<ExpectedCell>& expected = level.cells[z & 1];
        for (std::size_t j = 0; j < cells && z * cells + j < m_layout.samplesZ - 1; ++j) {
            const std::size_t ground = std::min<std::size_t>(width, m_layout.samplesX - 1);
            std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(j * width), ground,
                        ExpectedCell::Unknown);
        }
    }

    // What a row of finest tiles says of coarser cells.
    void expectCoarser(std::uint32_t z, const std::vector<SeenTile>& finest) {
        const std::uint32_t cells = m_layout.tileCells;
        for (std::int32_t level = 1; level <= m_layout.rootLevel(); ++level) {
            Level& state = m_levels[static_cast<std::size_t>(level)];
            const std::uint64_t stride = std::uint64_t{1} << level, centre = stride / 2;
            const std::size_t width = state.rows[0].size() * cells;
            for (std::uint32_t j = 0; j < cells; ++j) {
                const std::uint64_t row = std::uint64_t{z} * cells + j;
                if (row % stride != centre) continue;
                const std::uint64_t coarse = row >> level, tileRow = coarse / cells;
                if (tileRow >= storedTilesZ(m_layout, level)) continue;
                ExpectedCell* out = state.cells[tileRow & 1].data() + coarse % cells * width;
                for (std::size_t i = 0; i < width; ++i) {
                    const std::uint64_t column = i * stride + centre;
                    if (column / cells >= finest.size()) break;
                    const SeenTile& tile = finest[static_cast<std::size_t>(column / cells)];
                    out[i] = !tile.there ? ExpectedCell::Unknown
                             : tile.isHole(m_layout, static_cast<std::uint32_t>(column % cells), j)
                                 ? ExpectedCell::Hole
                                 : ExpectedCell::Solid;
                }
            }
        }
    }

    const PackageReader* m_package;
    const VerifyOptions* m_options;
    TileLayout m_layout;
    VerifyReport* m_report;
    std::vector<Level> m_levels;
    WorkerPool<Worker> m_workers;
};

// Entries of a single file's index whose blocks overlap; those that point elsewhere are found when read.
Result<void> checkIndex(const std::filesystem::path& file, const TileLayout& layout,
                        Verification& verification) {
    struct Block {
        std::uint64_t offset, index;
        std::uint32_t size;
    };
    constexpr std::uint64_t kAtOnce = 1 << 16;
    const std::uint64_t count = storedTileCount(layout);
    std::vector<Block> blocks;
    for (std::uint64_t first = 0; first < count; first += kAtOnce) {
        const std::uint64_t entries = std::min(kAtOnce, count - first);
        const auto bytes = readFileRange(
            file, {{}, kPackageHeadBytes + first * kIndexEntryBytes, entries * kIndexEntryBytes});
        if (!bytes) return bytes.error();
        ByteReader reader(*bytes);
        for (std::uint64_t i = 0; i < entries; ++i) {
            Block block{reader.u64(), first + i, 0};
            block.size = reader.u32();
            if (block.size > 0) blocks.push_back(block);
        }
    }
    std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) {
        return a.offset != b.offset ? a.offset < b.offset : a.index < b.index;
    });
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        const Block& before = blocks[i - 1];
        if (blocks[i].offset - before.offset >= before.size) continue;
        const TileKey key = storedTileAt(layout, blocks[i].index), other = storedTileAt(layout, before.index);
        verification.addFinding("tile " + std::to_string(key.level) + "/" + std::to_string(key.x) + "-" +
                                std::to_string(key.z) + ": index entry: shares bytes with tile " +
                                std::to_string(other.level) + "/" + std::to_string(other.x) + "-" +
                                std::to_string(other.z));
    }
    return {};
}

}  // namespace

Result<VerifyReport> verifyPackage(const std::filesystem::path& path, const VerifyOptions& options,
                                   const Externals& externals) {
    const Result<PackageReader> package = PackageReader::open(path);
    if (!package) return package.error();
    VerifyReport report;
    if (package->form() == PackageForm::Folder) {
        // Neither time nor memory for tiles that a manifest only speaks of.
        constexpr std::uint64_t kManyMissing = std::uint64_t{1} << 20;
        const std::uint64_t stored = storedTileCount(package->layout());
        const std::uint64_t there = countPackageFiles(path, package->manifest()).tiles;
        if (stored - there > there + kManyMissing) {
            report.findings = 1;
            if (options.mostFindings > 0) {
                report.messages.push_back("tiles: " + std::to_string(stored - there) + " of " +
                                          std::to_string(stored) + " are missing; none was looked at");
            }
            report.finished = true;
            return report;
        }
    }
    Verification verification(*package, options, report);
    if (package->form() == PackageForm::File) {
        if (Result<void> read = checkIndex(path, package->layout(), verification); !read) return read.error();
    }
    const auto all = static_cast<double>(storedTileCount(package->layout()));
    std::uint64_t looked = 0;
    TileRowOrder order(package->layout());
    while (const std::optional<TileRow> row = order.next()) {
        if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed)) return report;
        verification.look(*row, *externals.jobs);
        looked += storedTilesX(package->layout(), row->level);
        if (options.progress) options.progress(static_cast<double>(looked) / all);
    }
    report.finished = true;
    return report;
}

}  // namespace karst::heightfield
