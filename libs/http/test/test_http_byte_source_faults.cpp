// H7 over HTTP: servers that fail, are slow, redirect or vanish, and the sources' own life. All servers are
// on 127.0.0.1.
#include "test_server.h"
#include "waiting.h"

#include <karst_test/test_support.h>

#include <cmath>

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

TEST(HttpByteSource, H7_ResetsAreTriedAgain) {
    std::atomic<int> bad{2};
    RawServer server([&](Connection& c) {
        const int left = bad--;
        if (left <= 0) return c.answerFile("fine");
        if (left == 1) c.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nf");
        c.reset();
    });
    auto source = makeSource(server.url());
    EXPECT_EQ(text(get(*source, {"f"})), "fine");
    bad = 1000;
    EXPECT_EQ(get(*source, {"f"}).ok(), false);
}

TEST(HttpByteSource, H7_ServerErrorsAreTriedAgainWithAPause) {
    std::atomic<int> bad{2};
    RawServer server([&](Connection& c) {
        if (bad-- <= 0) return c.answerFile("fine");
        c.answer("503 Later", "come back later", "Retry-After: 1000\r\n");
    });
    auto source = makeSource(server.url());
    EXPECT_EQ(text(get(*source, {"f"})), "fine") << "the server's wish is bounded by maximumBackoffSeconds";
    EXPECT_EQ(server.requests(), 3);
    bad = 1000;
    const auto error = get(*source, {"f"});
    EXPECT_EQ(codeOf(error), "input/output");
    EXPECT_NE(text(error).find("503"), std::string::npos);
    EXPECT_EQ(server.requests(), 6);
}

TEST(HttpByteSource, H7_OtherStatusesAreNotTriedAgain) {
    RawServer server([](Connection& c) { c.answer(c.path.substr(1) + " Status", "page"); });
    auto source = makeSource(server.url());
    int asked = 0;
    for (const char* status : {"400", "401", "403", "418", "204", "201", "304", "300"}) {
        EXPECT_EQ(codeOf(get(*source, {status})), "input/output") << status;
        EXPECT_EQ(server.requests(), ++asked) << status;
    }
    for (const char* status : {"408", "429", "500", "502", "599"}) {
        EXPECT_EQ(codeOf(get(*source, {status})), "input/output") << status;
        EXPECT_EQ(server.requests(), asked += 3) << status;
    }
}

TEST(HttpByteSource, H7_AServerThatNeverAnswersHoldsUpNothingElse) {
    RawServer server([](Connection& c) {
        if (c.path.starts_with("/never")) return c.hold();
        c.answer("200 OK", c.path);
    });
    HttpOptions options = quickOptions();
    options.maximumParallel = 2;
    auto source = makeSource(server.url(), options);
    const std::uint64_t never = source->request({"never/1"});
    for (int i = 0; i < 20; ++i)
        source->request({std::to_string(i)});
    auto answers = take(*source, 21);
    EXPECT_EQ(codeOf(answers.at(never)), "input/output");
    for (const auto& [id, bytes] : answers)
        EXPECT_EQ(bytes.ok(), id != never);
}

TEST(HttpByteSource, H7_ADripIsGivenUp) {
    RawServer server([](Connection& c) {
        c.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while (c.send("x"))
            c.pause(10);
        c.close();
    });
    HttpOptions options = quickOptions();
    options.maximumAttempts = 2;
    auto source = makeSource(server.url(), options);
    const auto slow = get(*source, {"f"});
    EXPECT_EQ(codeOf(slow), "input/output");
    EXPECT_NE(text(slow).find("less than 64 bytes"), std::string::npos) << text(slow);
    EXPECT_EQ(server.requests(), 2);
}

TEST(HttpByteSource, H7_SlowButSteadyIsFine) {
    RawServer server([](Connection& c) {
        c.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        for (int i = 0; i < 10; ++i) {
            c.pause(25);
            c.send(std::string(100, 'x'));
        }
    });
    HttpOptions options = quickOptions();
    // The whole takes longer than this, but no part of it.
    options.lowSpeedBytes = 1;
    options.lowSpeedSeconds = 0.2;
    options.maximumAttempts = 20;
    auto source = makeSource(server.url(), options);
    EXPECT_EQ(text(get(*source, {"f"})), std::string(1000, 'x'));
}

TEST(HttpByteSource, H7_TheTotalTimeEndsARequest) {
    RawServer server([](Connection& c) {
        c.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n");
        while (c.send(std::string(200, 'x')))
            c.pause(5);
        c.close();
    });
    HttpOptions options = quickOptions();
    options.totalTimeoutSeconds = 0.3;
    options.maximumAttempts = 1000;
    auto source = makeSource(server.url(), options);
    EXPECT_EQ(codeOf(get(*source, {"f"})), "input/output");
    EXPECT_LT(server.requests(), 3);
}

TEST(HttpByteSource, H7_RedirectsAreFollowedWithinALimit) {
    RawServer server([](Connection& c) {
        const int hops = std::atoi(c.path.c_str() + 1);
        if (hops == 0) return c.answerFile("end");
        c.answer("302 Found", "elsewhere", numbered("Location: /", hops - 1) + "\r\n");
    });
    HttpOptions options = quickOptions();
    options.maximumRedirects = 5;
    auto source = makeSource(server.url(), options);
    EXPECT_EQ(text(get(*source, {"5"})), "end");
    EXPECT_EQ(text(get(*source, {"3", 1, 2})), "nd");
    EXPECT_EQ(codeOf(get(*source, {"6"})), "input/output");
}

TEST(HttpByteSource, H7_RedirectsInALoopOrToOtherSchemesAreErrors) {
    const std::vector<std::string> locations{"/0", "file:///etc/hostname", "ftp://127.0.0.1/f",
                                             "gopher://127.0.0.1/f", "dict://127.0.0.1/"};
    RawServer server([&](Connection& c) {
        c.answer("301 Moved", "", "Location: " + locations[std::stoul(c.path.substr(1))] + "\r\n");
    });
    auto source = makeSource(server.url());
    EXPECT_EQ(codeOf(get(*source, {"0"})), "input/output");
    EXPECT_EQ(server.requests(), 6) << "the first and five redirects, once";
    for (std::size_t i = 1; i < locations.size(); ++i)
        EXPECT_EQ(codeOf(get(*source, {std::to_string(i)})), "input/output") << locations[i];
    EXPECT_EQ(server.requests(), 10);
}

TEST(HttpByteSource, H7_NobodyThereIsAnError) {
    std::uint16_t port = 0;
    {
        RawServer server([](Connection& c) { c.answerFile("x"); });
        port = server.port();
    }
    auto source = makeSource("http://127.0.0.1:" + std::to_string(port));
    const auto refused = get(*source, {"f"});
    EXPECT_EQ(codeOf(refused), "input/output");
    EXPECT_NE(text(refused).find("attempt 3"), std::string::npos) << text(refused);
}

TEST(HttpByteSource, H7_AnswersThatAreNotHttpAreErrors) {
    RawServer server([](Connection& c) {
        const int seed = std::atoi(c.path.c_str() + 1);
        test::Random random(static_cast<std::uint64_t>(seed));
        std::string noise = seed % 2 == 0 ? "" : "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n";
        for (int j = random.integer(0, 300); j > 0; --j)
            noise += static_cast<char>(random.integer(0, 255));
        c.send(noise);
        c.close();
    });
    HttpOptions options = quickOptions();
    options.maximumAttempts = 1;
    auto source = makeSource(server.url(), options);
    for (int i = 0; i < 60; ++i)
        EXPECT_FALSE(get(*source, {std::to_string(i), 3, 5000}).ok());
}

TEST(HttpByteSource, H7_AServerKilledInTheMiddleAndRestartedServesTheRest) {
    const std::string file = sampleFile(50000);
    std::atomic<int> served{0};
    const auto handler = [&](Connection& c) {
        if (++served == 10) {
            // Half of an answer.
            c.send("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n" + file.substr(0, 20000));
            return c.hold();
        }
        c.answerFile(file);
    };
    auto server = std::make_unique<RawServer>(handler);
    const std::uint16_t port = server->port();
    HttpOptions options = quickOptions();
    options.maximumAttempts = 50;
    options.maximumParallel = 2;
    options.lowSpeedSeconds = 10;
    auto source = makeSource(server->url(), options);
    for (int i = 0; i < 40; ++i)
        source->request({numbered("f", i)});
    waitUntil([&] { return served >= 10; });
    server->kill();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    server = std::make_unique<RawServer>(handler, port);
    for (const auto& [id, bytes] : take(*source, 40))
        EXPECT_EQ(text(bytes), file) << id;
}

TEST(HttpByteSource, H7_CancelledRequestsDoNotComeOut) {
    std::atomic<bool> open{false};
    RawServer server([&](Connection& c) {
        if (c.path == "/hold") return c.hold();
        while (!open && !c.stopping())
            c.pause(1);
        c.answer("200 OK", c.path);
    });
    HttpOptions options = quickOptions();
    options.maximumParallel = 2;
    options.lowSpeedSeconds = 20;
    auto source = makeSource(server.url(), options);
    // One under way that would never end, some that wait, and one that is done.
    const std::uint64_t hold = source->request({"hold"});
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 10; ++i)
        ids.push_back(source->request({std::to_string(i)}));
    waitUntil([&] { return server.requests() >= 2; });
    source->cancel(hold);
    for (int i = 3; i < 9; ++i)
        source->cancel(ids[std::size_t(i)]);
    source->cancel(hold);
    source->cancel(123456);
    source->cancel(0);
    open = true;
    std::set<std::uint64_t> expected{ids[0], ids[1], ids[2], ids[9]};
    std::set<std::uint64_t> came;
    for (const auto& [id, bytes] : take(*source, 4))
        came.insert(id);
    EXPECT_EQ(came, expected);
    const std::uint64_t refused = source->request({"../x"});
    source->cancel(refused);
    EXPECT_EQ(text(get(*source, {"last"})), "/last");
    EXPECT_FALSE(source->poll().has_value());
}

TEST(HttpByteSource, H7_ItsEndDoesNotWaitForTransfers) {
    RawServer server([](Connection& c) { c.hold(); });
    HttpOptions options = quickOptions();
    options.lowSpeedSeconds = options.totalTimeoutSeconds = 3600;
    for (int i = 0; i < 5; ++i) {
        auto source = makeSource(server.url(), options);
        for (int j = 0; j < 20; ++j)
            source->request({"f"});
        if (i > 0) waitUntil([&] { return server.requests() >= i; });
        // Time-outs of an hour would fail the test by its own limit.
    }
}

TEST(HttpByteSource, H7_WhatCannotBeAskedForFinishesWithAnError) {
    RawServer server([](Connection& c) { c.answerFile("x"); });
    auto source = makeSource(server.url());
    EXPECT_EQ(codeOf(get(*source, {"../secret"})), "invalid argument");
    EXPECT_EQ(codeOf(get(*source, {""})), "invalid argument");
    EXPECT_EQ(codeOf(get(*source, {"f", 0, kToEnd - 1})), "too large");
    EXPECT_EQ(codeOf(get(*source, {"f", kToEnd - 5, 10})), "invalid argument");
    EXPECT_EQ(server.requests(), 0);
}

TEST(HttpByteSource, RefusesOptionsByName) {
    const auto expect = [](const char* name, auto change) {
        HttpOptions options;
        change(options);
        const auto made = HttpByteSource::create("http://127.0.0.1:1", options);
        ASSERT_FALSE(made.ok()) << name;
        EXPECT_NE(made.error().message.find(name), std::string::npos) << made.error().message;
    };
    expect("maximumParallel", [](auto& o) { o.maximumParallel = 0; });
    expect("maximumParallel", [](auto& o) { o.maximumParallel = 65; });
    expect("connectTimeoutSeconds", [](auto& o) { o.connectTimeoutSeconds = 0; });
    expect("lowSpeedSeconds", [](auto& o) { o.lowSpeedSeconds = std::nan(""); });
    expect("totalTimeoutSeconds", [](auto& o) { o.totalTimeoutSeconds = 1e12; });
    expect("maximumAttempts", [](auto& o) { o.maximumAttempts = 0; });
    expect("backoffSeconds", [](auto& o) { o.backoffSeconds = -1; });
    expect("maximumBackoffSeconds", [](auto& o) { o.maximumBackoffSeconds = -1; });
    expect("maximumRedirects", [](auto& o) { o.maximumRedirects = 51; });
    expect("maximumBodyBytes", [](auto& o) { o.maximumBodyBytes = 0; });
    expect("userAgent", [](auto& o) { o.userAgent = "a\r\nHost: b"; });
    EXPECT_FALSE(HttpByteSource::create("file:///etc").ok());
}

TEST(HttpThreads, ManySourcesStartAtOnce) {
    RawServer server([](Connection& c) { c.answerFile("x"); });
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            auto made = HttpByteSource::create(server.url(), quickOptions());
            if (made.ok() && text(get(**made, {"f"})) == "x") ++good;
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(good, 4);
}

// Random orders and cancels against a server that does everything wrong at times: each request that was not
// cancelled finishes once, and those the server served well are right.
TEST(HttpThreads, H7_RandomRequestsAgainstARandomServerAllEnd) {
    const std::string file = sampleFile(3000);
    std::atomic<std::uint64_t> turn{0};
    RawServer server([&](Connection& c) {
        test::Random random(++turn * 77);
        switch (random.integer(0, 11)) {
            case 0:
                return c.reset();
            case 1:
                return c.answer("500 Oh", "no");
            case 2:
                return c.hold();
            case 3:
                return c.answer("404 No", "");
            case 4:
                return c.answer("302 Found", "", "Location: /f\r\n");
            case 5: {
                c.send("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\nabc");
                return c.close();
            }
            case 6:
                return c.answer("200 OK", file);
            default:
                return c.answerFile(file);
        }
    });
    HttpOptions options = quickOptions();
    options.lowSpeedSeconds = 0.05;
    auto source = makeSource(server.url(), options);
    test::Random random(1);
    std::map<std::uint64_t, ByteRange> open;
    std::size_t good = 0;
    const auto drain = [&] {
        while (auto finished = source->poll()) {
            ASSERT_EQ(open.count(finished->id), 1u);
            const ByteRange range = open[finished->id];
            open.erase(finished->id);
            if (!finished->bytes.ok()) continue;
            ++good;
            EXPECT_EQ(text(finished->bytes), file.substr(range.offset, range.size));
        }
    };
    for (int i = 0; i < 300; ++i) {
        const auto offset = std::uint64_t(random.integer(0, 2000));
        const ByteRange range{"f", offset, std::uint64_t(random.integer(1, 1000))};
        open[source->request(range)] = range;
        if (random.chance(0.2)) {
            const std::uint64_t id = open.begin()->first;
            source->cancel(id);
            open.erase(id);
        }
        if (random.chance(0.3)) drain();
    }
    waitUntil([&] {
        drain();
        return open.empty();
    });
    EXPECT_GT(good, 50u);
}

}  // namespace
}  // namespace karst::http
