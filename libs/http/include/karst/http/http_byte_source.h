#pragma once

#include <karst/base/byte_source.h>
#include <karst/base/externals.h>

#include <cstdint>
#include <memory>
#include <string>

namespace karst::http {

struct HttpOptions {
    std::uint32_t maximumParallel = 6;  ///< transfers at once, and connections kept; 1 .. 64
    double connectTimeoutSeconds = 10;
    /// A transfer that brings less than this many bytes in `lowSpeedSeconds` is given up, also one that does
    /// not answer at all.
    std::uint64_t lowSpeedBytes = 1024;
    double lowSpeedSeconds = 15;
    /// Of one request with all its attempts and the waits between them, from its first attempt on.
    double totalTimeoutSeconds = 120;
    /// Attempts in all, at least 1. What is tried again: time-outs, connections that fail or break, bodies
    /// that stop short, and the statuses 408, 429 and 5xx.
    std::uint32_t maximumAttempts = 4;
    /// Wait before the second attempt; doubles for each further one, up to the maximum, less up to half of it
    /// by chance. A server's Retry-After may lengthen it, up to the maximum.
    double backoffSeconds = 0.25;
    double maximumBackoffSeconds = 8;
    std::uint64_t backoffSeed = 0;
    std::uint32_t maximumRedirects = 5;
    /// Of one body, also of a whole file that a server sends where a part was asked for.
    std::uint64_t maximumBodyBytes = std::uint64_t{64} << 20;
    /// Such as "http://proxy:3128"; empty: none, whatever the environment says.
    std::string proxy;
    std::string userAgent = "karst";
};

/// Files of a package from an HTTP server, by libcurl on one thread of its own (spec row H7).
///
/// A request of a part of a file becomes a range request. The answer must be 206 with exactly the part that
/// was asked for in its Content-Range; or 200 with the whole file, out of which the part is taken. A body
/// that is shorter or longer than announced, or not as long as asked for, is an error, never a short vector:
/// CorruptData. 404 and 410 are NotFound; other statuses and what does not arrive are Io; what is larger than
/// the limit is TooLarge. Redirects lead to http:// and https:// only. Certificates are checked against the
/// system's.
///
/// libcurl is initialised for the process when the first source is made, once and in a thread-safe way, and
/// never shut down. This is the only state that sources share.
///
/// Threads: one at a time, any. No call waits for the network; the destructor stops transfers at once.
class HttpByteSource final : public ByteSource {
  public:
    /// `baseUrl` is the package's folder, such as "https://example.org/terrain"; a request's path is joined
    /// to it with '/'. Refuses by name other schemes, a user name or password, a query or fragment, and
    /// options out of range. The externals' clock must follow real time.
    static Result<std::unique_ptr<HttpByteSource>> create(const std::string& baseUrl,
                                                          const HttpOptions& options = {},
                                                          const Externals& externals = {});
    ~HttpByteSource() override;
    HttpByteSource(const HttpByteSource&) = delete;
    HttpByteSource& operator=(const HttpByteSource&) = delete;

    /// A path with an empty, "." or ".." segment, a backslash or a control character finishes with an error,
    /// as does a part larger than the limit. A part of 0 bytes finishes without asking the server.
    std::uint64_t request(const ByteRange& range) override;
    std::optional<Finished> poll() override;
    void cancel(std::uint64_t id) override;

  private:
    class Worker;
    explicit HttpByteSource(std::unique_ptr<Worker> worker);
    std::unique_ptr<Worker> m_worker;
};

}  // namespace karst::http
