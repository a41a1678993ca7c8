// H7 over HTTP: what is served well, and bodies that are not what was asked for. All servers are on
// 127.0.0.1.
#include "test_server.h"
#include "waiting.h"

#include <httplib.h>
#include <karst_test/test_support.h>

namespace karst::http {
namespace {

using scripted::codeOf;
using scripted::Connection;
using scripted::get;
using scripted::makeSource;
using scripted::quickOptions;
using scripted::RawServer;
using scripted::sampleFile;
using scripted::take;
using scripted::text;
using scripted::waitUntil;

constexpr std::uint64_t kToEnd = ByteRange::kToEnd;

std::string numbered(const char* before, int number) {
    std::string result = before;
    return result += std::to_string(number);
}

/// cpp-httplib with some files.
class GoodServer {
  public:
    explicit GoodServer(std::map<std::string, std::string> files, int port = 0) : m_files(std::move(files)) {
        m_server.Get("/.*", [this](const httplib::Request& request, httplib::Response& response) {
            const auto file = m_files.find(request.path);
            if (file == m_files.end()) {
                response.status = 404;
                return;
            }
            response.set_content(file->second, "application/octet-stream");
        });
        m_server.set_keep_alive_timeout(1);
        if (port == 0) {
            m_port = m_server.bind_to_any_port("127.0.0.1");
        } else if (m_server.bind_to_port("127.0.0.1", port)) {
            m_port = port;
        }
        EXPECT_GT(m_port, 0);
        m_thread = std::thread([this] { m_server.listen_after_bind(); });
        waitUntil([this] { return m_server.is_running(); });
    }
    ~GoodServer() {
        m_server.stop();
        m_thread.join();
    }
    int port() const { return m_port; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(m_port); }

  private:
    std::map<std::string, std::string> m_files;
    httplib::Server m_server;
    std::thread m_thread;
    int m_port = 0;
};

TEST(HttpByteSource, H7_GetsFilesAndPartsOfFiles) {
    const std::string file = sampleFile(300000);
    GoodServer server({{"/world/terrain.json", "{}"},
                       {"/world/tiles.bin", file},
                       {"/world/a b/1-2.x", "named"},
                       {"/world/none", ""}});
    auto source = makeSource(server.url() + "/world/");
    EXPECT_EQ(text(get(*source, {"terrain.json"})), "{}");
    EXPECT_EQ(text(get(*source, {"tiles.bin"})), file);
    EXPECT_EQ(text(get(*source, {"a b/1-2.x"})), "named");
    EXPECT_EQ(text(get(*source, {"none"})), "");
    EXPECT_EQ(text(get(*source, {"tiles.bin", 299990, kToEnd})), file.substr(299990));
    EXPECT_EQ(text(get(*source, {"tiles.bin", 7, 0})), "");
    test::Random random(17);
    std::map<std::uint64_t, std::string> expected;
    for (int i = 0; i < 100; ++i) {
        const auto offset = std::size_t(random.integer(0, 299000));
        const auto size = std::size_t(random.integer(1, 299999 - int(offset)));
        expected[source->request({"tiles.bin", offset, size})] = file.substr(offset, size);
    }
    for (const auto& [id, bytes] : take(*source, 100))
        EXPECT_EQ(text(bytes), expected[id]);
}

TEST(HttpByteSource, H7_AMissingFileIsNotFound) {
    RawServer server(
        [](Connection& c) { c.answer(c.path == "/gone" ? "410 Gone" : "404 Not Found", "no such file"); });
    auto source = makeSource(server.url());
    const auto missing = get(*source, {"tiles/0/3-4.jtile"});
    EXPECT_EQ(codeOf(missing), "not found");
    EXPECT_NE(text(missing).find("/tiles/0/3-4.jtile"), std::string::npos) << text(missing);
    EXPECT_EQ(codeOf(get(*source, {"gone"})), "not found");
    EXPECT_EQ(server.requests(), 2) << "not asked for again";
}

TEST(HttpByteSource, H7_ConnectionsAreKeptAlive) {
    RawServer server([](Connection& c) { c.answerFile("0123456789"); });
    HttpOptions options = quickOptions();
    options.maximumParallel = 1;
    auto source = makeSource(server.url(), options);
    for (std::uint64_t i = 0; i < 10; ++i)
        EXPECT_EQ(text(get(*source, {"f", i, 1})), std::to_string(i));
    EXPECT_EQ(server.connections(), 1);
    EXPECT_EQ(server.requests(), 10);
}

TEST(HttpByteSource, H7_ParallelRequestsAreBounded) {
    std::atomic<int> now{0}, most{0};
    RawServer server([&](Connection& c) {
        const int here = ++now;
        for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
        }
        // The third waits for nobody: so three at least were there together.
        for (int i = 0; i < 2000 && most < 3; ++i)
            c.pause(1);
        c.pause(2);
        --now;
        c.answer("200 OK", c.path);
    });
    HttpOptions options = quickOptions();
    options.maximumParallel = 3;
    options.lowSpeedSeconds = 5;
    auto source = makeSource(server.url(), options);
    std::map<std::uint64_t, std::string> expected;
    for (int i = 0; i < 40; ++i)
        expected[source->request({std::to_string(i)})] = numbered("/", i);
    for (const auto& [id, bytes] : take(*source, 40))
        EXPECT_EQ(text(bytes), expected[id]);
    EXPECT_EQ(most, 3);
    EXPECT_EQ(server.connections(), 3);
}

TEST(HttpByteSource, H7_AServerThatIgnoresRangesGivesTheWholeFile) {
    const std::string file = sampleFile(5000);
    RawServer server([&](Connection& c) { c.answer("200 OK", file); });
    HttpOptions options = quickOptions();
    options.maximumBodyBytes = 5000;
    auto source = makeSource(server.url(), options);
    EXPECT_EQ(text(get(*source, {"f", 1234, 100})), file.substr(1234, 100));
    EXPECT_EQ(text(get(*source, {"f", 0, 5000})), file);
    EXPECT_EQ(text(get(*source, {"f", 4999, 1})), file.substr(4999));
    EXPECT_EQ(text(get(*source, {"f", 4000, kToEnd})), file.substr(4000));
    EXPECT_EQ(codeOf(get(*source, {"f", 4950, 100})), "corrupt data");
    EXPECT_EQ(codeOf(get(*source, {"f", 6000, kToEnd})), "corrupt data");
    options.maximumBodyBytes = 4999;
    source = makeSource(server.url(), options);
    EXPECT_EQ(codeOf(get(*source, {"f", 1234, 100})), "too large");
}

TEST(HttpByteSource, H7_AnotherPartThanAskedForIsAnError) {
    const auto part = [](const std::string& header, const std::string& body) {
        return [=](Connection& c) { c.answer("206 Partial Content", body, header); };
    };
    const std::string ten = "0123456789";
    struct Case {
        const char* what;
        RawServer::Handler handler;
    };
    const Case cases[] = {
        {"no Content-Range", part("", ten)},
        {"another offset", part("Content-Range: bytes 21-30/100\r\n", ten)},
        {"shorter", part("Content-Range: bytes 20-28/100\r\n", "012345678")},
        {"longer", part("Content-Range: bytes 20-30/100\r\n", "0123456789a")},
        {"nonsense", part("Content-Range: bytes 20-29\r\n", ten)},
        {"the right header, a short body", part("Content-Range: bytes 20-29/100\r\n", "012345678")},
        {"the right header, a long body", part("Content-Range: bytes 20-29/100\r\n", "0123456789a")},
        {"several parts", part("Content-Type: multipart/byteranges; boundary=x\r\n", ten)},
        {"packed", part("Content-Range: bytes 20-29/100\r\nContent-Encoding: gzip\r\n", ten)},
        {"past the end", [](Connection& c) { c.answer("416 Range Not Satisfiable", ""); }},
        {"an empty answer", [](Connection& c) { c.answer("200 OK", ""); }},
        {"packed whole",
         [&](Connection& c) { c.answer("200 OK", sampleFile(50), "Content-Encoding: br\r\n"); }},
    };
    for (const Case& each : cases) {
        RawServer server(each.handler);
        auto source = makeSource(server.url());
        EXPECT_EQ(codeOf(get(*source, {"f", 20, 10})), "corrupt data") << each.what;
        EXPECT_EQ(server.requests(), 1) << each.what;
    }
    // A part that nobody asked for, and an end that is none.
    RawServer whole(part("Content-Range: bytes 0-9/100\r\n", ten));
    auto source = makeSource(whole.url());
    EXPECT_EQ(codeOf(get(*source, {"f"})), "corrupt data");
    RawServer rest(part("Content-Range: bytes 20-29/100\r\n", ten));
    source = makeSource(rest.url());
    EXPECT_EQ(codeOf(get(*source, {"f", 20, kToEnd})), "corrupt data");
    EXPECT_EQ(text(get(*source, {"f", 20, 10})), ten);
}

TEST(HttpByteSource, H7_BodiesThatStopShortAreTriedAgainAndThenAnError) {
    std::atomic<int> bad{2};
    RawServer server([&](Connection& c) {
        if (bad-- <= 0) return c.answerFile(sampleFile(1000));
        c.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + sampleFile(400));
        c.close();
    });
    auto source = makeSource(server.url());
    EXPECT_EQ(text(get(*source, {"f"})), sampleFile(1000));
    EXPECT_EQ(server.requests(), 3);
    bad = 1000;
    const auto broken = get(*source, {"f"});
    EXPECT_EQ(codeOf(broken), "corrupt data");
    EXPECT_NE(text(broken).find("attempt 3"), std::string::npos) << text(broken);
    EXPECT_EQ(server.requests(), 6);
}

TEST(HttpByteSource, H7_ChunkedBodiesThatBreakOffAreAnError) {
    RawServer server([&](Connection& c) {
        c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nwo");
        c.close();
    });
    auto source = makeSource(server.url());
    EXPECT_FALSE(get(*source, {"f"}).ok());
    EXPECT_EQ(server.requests(), 3);
}

TEST(HttpByteSource, H7_ALengthThatIsALieIsAnError) {
    // Announced longer than it is, with the connection left open.
    RawServer longer([&](Connection& c) {
        c.send(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/10\r\nContent-Length: "
            "10\r\n\r\n012345");
        c.hold();
    });
    HttpOptions options = quickOptions();
    options.maximumAttempts = 1;
    auto source = makeSource(longer.url(), options);
    EXPECT_EQ(codeOf(get(*source, {"f", 0, 10})), "input/output");
    // Announced shorter.
    RawServer shorter([&](Connection& c) {
        c.send(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/10\r\nContent-Length: "
            "6\r\n\r\n0123456789");
        c.close();
    });
    source = makeSource(shorter.url(), options);
    EXPECT_EQ(codeOf(get(*source, {"f", 0, 10})), "corrupt data");
    // Announced huge: refused before it comes.
    RawServer huge([&](Connection& c) {
        c.send("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n0123456789");
        c.hold();
    });
    options = quickOptions();
    options.lowSpeedSeconds = 60;
    source = makeSource(huge.url(), options);
    EXPECT_EQ(codeOf(get(*source, {"f"})), "too large");
}

TEST(HttpByteSource, H7_BodiesAndHeadersWithoutEndAreCutOff) {
    RawServer server([&](Connection& c) {
        c.close();
        if (c.path == "/headers") {
            c.send("HTTP/1.1 200 OK\r\n");
            const std::string header = "X-More: " + std::string(4000, 'x') + "\r\n";
            while (c.send(header)) {
            }
        } else {
            c.send(c.path == "/error" ? "HTTP/1.1 403 No\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\n");
            const std::string block(4096, 'b');
            while (c.send(block)) {
            }
        }
    });
    HttpOptions options = quickOptions();
    options.maximumBodyBytes = 1 << 20;
    auto source = makeSource(server.url(), options);
    EXPECT_EQ(codeOf(get(*source, {"body"})), "too large");
    EXPECT_EQ(codeOf(get(*source, {"headers"})), "too large");
    EXPECT_EQ(codeOf(get(*source, {"error"})), "input/output");
    EXPECT_EQ(server.requests(), 3);
}

}  // namespace
}  // namespace karst::http
