// A streamer fed by an HTTP server that misbehaves (spec rows H7, H8, H9): the stream settles, nothing hangs,
// memory stays inside the limit, and what can load loads.
#include "test_server.h"
#include "waiting.h"

#include <karst/heightfield_stream/streamer.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace karst::http {
namespace {

using heightfield::CollisionInterest;
using heightfield::HeightTile;
using heightfield::StreamingReport;
using heightfield::Surface;
using heightfield::TileKey;
using heightfield::TileLayout;
using heightfield::TilePtr;
using heightfield::TileSource;
using heightfield::TileStreamer;
using heightfield::TileStreamerOptions;
using scripted::Connection;
using scripted::quickOptions;
using scripted::RawServer;

constexpr int kLevels = 4;
constexpr std::size_t kTileBytes = 400;

TileLayout layout() {
    TileLayout made;
    made.tileCells = 4;
    made.storedLevels = kLevels;
    made.samplesX = static_cast<std::uint32_t>(made.cellsX()) + 1;
    made.samplesZ = static_cast<std::uint32_t>(made.cellsZ()) + 1;
    return made;
}

std::string fileOf(const TileKey& key) {
    std::string file =
        std::to_string(key.level) + " " + std::to_string(key.x) + " " + std::to_string(key.z) + "\n";
    file.resize(kTileBytes, '.');
    return file;
}

/// Number of a tile in a file that holds them all, coarsest first.
std::size_t numberOf(const TileKey& key) {
    std::size_t before = 0;
    for (int level = kLevels - 1; level > key.level; --level)
        before += std::size_t{1} << (2 * (kLevels - 1 - level));
    return before + (std::size_t{key.z} << (kLevels - 1 - key.level)) + key.x;
}

constexpr std::size_t kTiles = 1 + 4 + 16 + 64;

std::string wholeFile() {
    std::string file(kTiles * kTileBytes, '?');
    for (int level = kLevels - 1; level >= 0; --level) {
        const std::uint32_t side = 1u << (kLevels - 1 - level);
        for (std::uint32_t z = 0; z < side; ++z) {
            for (std::uint32_t x = 0; x < side; ++x) {
                const TileKey key{level, x, z};
                file.replace(numberOf(key) * kTileBytes, kTileBytes, fileOf(key));
            }
        }
    }
    return file;
}

/// The least there is of a package: a text per tile, in files or in one.
class TextTiles final : public TileSource {
  public:
    TextTiles(std::unique_ptr<ByteSource> bytes, bool oneFile)
        : m_bytes(std::move(bytes)), m_oneFile(oneFile) {}

    void request(const TileKey& key) override {
        if (m_oneFile) {
            m_ids[m_bytes->request({"all.tiles", numberOf(key) * kTileBytes, kTileBytes})] = key;
        } else {
            m_ids[m_bytes->request({"tiles/" + std::to_string(key.level) + "/" + std::to_string(key.x) + "-" +
                                    std::to_string(key.z)})] = key;
        }
    }
    std::optional<Finished> poll() override {
        auto finished = m_bytes->poll();
        if (!finished) return std::nullopt;
        const TileKey key = m_ids.at(finished->id);
        m_ids.erase(finished->id);
        if (!finished->bytes.ok()) return Finished{key, finished->bytes.error()};
        return Finished{key, parse(*finished->bytes)};
    }
    void cancel(const TileKey& key) override {
        for (auto id = m_ids.begin(); id != m_ids.end(); ++id) {
            if (!(id->second == key)) continue;
            m_bytes->cancel(id->first);
            m_ids.erase(id);
            return;
        }
    }

  private:
    static Result<TilePtr> parse(const std::vector<std::byte>& bytes) {
        const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        HeightTile tile;
        if (bytes.size() != kTileBytes ||
            std::sscanf(text.c_str(), "%d %u %u\n", &tile.key.level, &tile.key.x, &tile.key.z) != 3) {
            return makeError(ErrorCode::CorruptData, "tile: not a tile's text");
        }
        tile.side = layout().tileSide();
        tile.samples.assign(std::size_t{tile.side} * tile.side, 0.5f);
        tile.errors.assign(3, 0.0);
        return std::make_shared<const HeightTile>(std::move(tile));
    }

    std::unique_ptr<ByteSource> m_bytes;
    bool m_oneFile;
    std::map<std::uint64_t, TileKey> m_ids;
};

TileStreamer stream(const std::string& url, bool oneFile, const HttpOptions& http,
                    std::uint32_t maximumResident = 200) {
    TileStreamerOptions options;
    options.maximumResidentTiles = maximumResident;
    options.maximumPendingLoads = 16;
    options.retryAfterUpdates = 20;
    auto made = TileStreamer::create(
        layout(), std::make_unique<TextTiles>(scripted::makeSource(url, http), oneFile), std::move(options));
    EXPECT_TRUE(made.ok());
    return std::move(*made);
}

/// All of the ground, at the finest level.
const std::vector<heightfield::Interest> kEverything{CollisionInterest{16, 16, 100}};

/// Updates, a millisecond apart, until `done`; the limits hold all the time.
bool updateUntil(TileStreamer& streamer, const std::function<bool(const StreamingReport&)>& done,
                 std::uint32_t maximumResident = 200) {
    return scripted::waitUntil([&] {
        const auto report = streamer.update(kEverything);
        EXPECT_TRUE(report.ok());
        EXPECT_LE(report->resident + report->pending, maximumResident);
        EXPECT_LE(report->pending, 16u);
        return done(*report);
    });
}

bool hasAll(const StreamingReport& report) {
    return report.resident == kTiles && report.settled();
}

TEST(StreamOverHttp, H7_FilesAndPartsOfOneFileStream) {
    const std::string whole = wholeFile();
    std::map<std::string, std::string> files;
    for (std::size_t i = 0; i < kTiles; ++i) {
        TileKey key;
        std::sscanf(whole.c_str() + i * kTileBytes, "%d %u %u", &key.level, &key.x, &key.z);
        files["/tiles/" + std::to_string(key.level) + "/" + std::to_string(key.x) + "-" +
              std::to_string(key.z)] = fileOf(key);
    }
    files["/all.tiles"] = whole;
    RawServer server([&](Connection& c) {
        const auto file = files.find(c.path);
        if (file == files.end()) return c.answer("404 No", "");
        c.answerFile(file->second);
    });
    for (const bool oneFile : {false, true}) {
        TileStreamer streamer = stream(server.url(), oneFile, quickOptions());
        EXPECT_TRUE(updateUntil(streamer, hasAll));
        EXPECT_EQ(streamer.surface().tiles().size(), kTiles);
    }
    // Missing tiles are missing; all others come.
    files.erase("/tiles/2/1-0");
    files.erase("/tiles/0/0-7");
    TileStreamer streamer = stream(server.url(), false, quickOptions());
    EXPECT_TRUE(updateUntil(streamer, [](const StreamingReport& report) {
        return report.resident == kTiles - 1 - 4 - 16 - 1 && report.settled() && report.onHold == 2;
    }));
}

TEST(StreamOverHttp, H9_AServerThatAnswers500ForAWhile) {
    const std::string whole = wholeFile();
    std::atomic<int> bad{60};
    RawServer server([&](Connection& c) {
        if (bad-- > 0) return c.answer("500 Oh", "no");
        c.answerFile(whole);
    });
    TileStreamer streamer = stream(server.url(), true, quickOptions());
    EXPECT_TRUE(updateUntil(streamer, hasAll));
    EXPECT_EQ(streamer.surface().tiles().size(), kTiles);
}

TEST(StreamOverHttp, H9_AServerKilledAndRestartedInTheMiddle) {
    const std::string whole = wholeFile();
    const auto handler = [&](Connection& c) {
        c.pause(1);
        c.answerFile(whole);
    };
    auto server = std::make_unique<RawServer>(handler);
    const std::uint16_t port = server->port();
    HttpOptions http = quickOptions();
    http.maximumAttempts = 2;
    TileStreamer streamer = stream(server->url(), true, http);
    EXPECT_TRUE(updateUntil(streamer, [](const StreamingReport& report) { return report.resident >= 20; }));
    const Surface before = streamer.surface();
    server->kill();
    // Loads fail and are put on hold; what is there stays drawn.
    EXPECT_TRUE(updateUntil(streamer, [](const StreamingReport& report) { return report.onHold >= 8; }));
    EXPECT_GE(streamer.surface().tiles().size(), before.tiles().size());
    server = std::make_unique<RawServer>(handler, port);
    EXPECT_TRUE(updateUntil(streamer, hasAll));
}

TEST(StreamOverHttp, H9_AServerThatDoesEverythingWrongAtTimes) {
    const std::string whole = wholeFile();
    std::atomic<std::uint64_t> turn{0};
    RawServer server([&](Connection& c) {
        test::Random random(++turn * 31);
        switch (random.integer(0, 15)) {
            case 0:
                return c.reset();
            case 1:
                return c.answer("503 Later", "");
            case 2:
                return c.hold();
            case 3:
                return c.answer("404 No", "");
            case 4:
                return c.answer("302 Found", "", "Location: /all.tiles\r\n");
            case 5:
                c.send("HTTP/1.1 206 Partial Content\r\nContent-Range: " + c.range +
                       "/*\r\nContent-Length: 400\r\n\r\nabc");
                return c.close();
            case 6:
                return c.answer("200 OK", whole);
            case 7:
                return c.answer("200 OK", std::string(kTileBytes * kTiles, 'x'));
            case 8:
                return c.answer("206 Partial Content", fileOf({0, 0, 0}),
                                "Content-Range: bytes 0-399/400\r\n");
            default:
                return c.answerFile(whole);
        }
    });
    HttpOptions http = quickOptions();
    http.lowSpeedSeconds = 0.05;
    TileStreamer streamer = stream(server.url(), true, http);
    // Also what failed for good this time comes after its hold.
    EXPECT_TRUE(updateUntil(streamer, hasAll));
}

TEST(StreamOverHttp, H9_TilesThatAreAlwaysWrongAreLeftAloneAndTheRestComes) {
    const std::string whole = wholeFile();
    // By the tile's number: each of these fails in its own way, for ever.
    RawServer server([&](Connection& c) {
        unsigned long long first = 0;
        std::sscanf(c.range.c_str(), "bytes=%llu-", &first);
        switch (first / kTileBytes) {
            case 4 * 5 + 3:
                return c.hold();
            case 4 * 5 + 9:
                return c.answer("302 Found", "", "Location: /all.tiles\r\n");
            case 4 * 5 + 17:
                return c.answer("200 OK", "short");
            case 4 * 5 + 30:
                return c.answer("206 Partial Content", fileOf({0, 1, 1}),
                                "Content-Range: bytes " + c.range.substr(6) + "/*\r\n");
            default:
                return c.answerFile(whole);
        }
    });
    HttpOptions http = quickOptions();
    http.lowSpeedSeconds = 0.05;
    http.maximumAttempts = 2;
    TileStreamer streamer = stream(server.url(), true, http);
    EXPECT_TRUE(updateUntil(streamer, [](const StreamingReport& report) {
        return report.resident == kTiles - 4 && report.onHold == 4 && report.settled();
    }));
}

TEST(StreamOverHttp, H9_MemoryStaysInsideTheLimit) {
    const std::string whole = wholeFile();
    RawServer server([&](Connection& c) { c.answerFile(whole); });
    TileStreamer streamer = stream(server.url(), true, quickOptions(), 30);
    EXPECT_TRUE(updateUntil(
        streamer, [](const StreamingReport& report) { return report.resident == 30 && report.settled(); },
        30));
    const int asked = server.requests();
    for (int i = 0; i < 100; ++i)
        EXPECT_TRUE(streamer.update(kEverything)->settled());
    EXPECT_EQ(server.requests(), asked);
}

TEST(StreamOverHttp, ItsEndInTheMiddleDoesNotHang) {
    RawServer server([&](Connection& c) { c.hold(); });
    HttpOptions http = quickOptions();
    http.lowSpeedSeconds = http.totalTimeoutSeconds = 3600;
    TileStreamer streamer = stream(server.url(), true, http);
    scripted::waitUntil([&] { return server.requests() > 0; });
    EXPECT_TRUE(streamer.update(kEverything).ok());
}

}  // namespace
}  // namespace karst::http
