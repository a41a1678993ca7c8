#pragma once

#include <gtest/gtest.h>
#include <karst/http/http_byte_source.h>

#include <chrono>
#include <functional>
#include <map>
#include <thread>

namespace karst::http::scripted {

/// Small times, so that failures are quick.
inline HttpOptions quickOptions() {
    HttpOptions options;
    options.connectTimeoutSeconds = 2;
    options.lowSpeedBytes = 64;
    options.lowSpeedSeconds = 0.15;
    options.totalTimeoutSeconds = 20;
    options.maximumAttempts = 3;
    options.backoffSeconds = 0.01;
    options.maximumBackoffSeconds = 0.05;
    return options;
}

inline std::unique_ptr<HttpByteSource> makeSource(const std::string& url,
                                                  const HttpOptions& options = quickOptions()) {
    auto made = HttpByteSource::create(url, options);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return made.ok() ? std::move(*made) : nullptr;
}

/// Until a condition holds; fails after half a minute.
inline bool waitUntil(const std::function<bool()>& holds) {
    for (int i = 0; i < 30000; ++i) {
        if (holds()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << "it did not happen";
    return false;
}

using Answers = std::map<std::uint64_t, Result<std::vector<std::byte>>>;

/// The next `count` answers. Each number comes once.
inline Answers take(ByteSource& source, std::size_t count) {
    Answers answers;
    waitUntil([&] {
        while (auto finished = source.poll()) {
            EXPECT_TRUE(answers.emplace(finished->id, std::move(finished->bytes)).second);
        }
        return answers.size() >= count;
    });
    EXPECT_EQ(answers.size(), count);
    return answers;
}

inline Result<std::vector<std::byte>> get(ByteSource& source, const ByteRange& range) {
    const std::uint64_t id = source.request(range);
    Answers answers = take(source, 1);
    if (answers.count(id) == 0) return makeError(ErrorCode::Io, "no answer");
    return answers.at(id);
}

inline std::string text(const Result<std::vector<std::byte>>& bytes) {
    if (!bytes.ok()) return "error: " + bytes.error().message;
    return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

inline std::string codeOf(const Result<std::vector<std::byte>>& bytes) {
    return bytes.ok() ? "ok" : std::string(toString(bytes.error().code));
}

/// Bytes that differ everywhere.
inline std::string sampleFile(std::size_t size) {
    std::string file(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        file[i] = static_cast<char>((i * 2654435761u) >> 13);
    return file;
}

}  // namespace karst::http::scripted
