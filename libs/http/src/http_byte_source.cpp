#include "curl_global.h"
#include "http_url.h"
#include "http_worker.h"

#include <cmath>

namespace karst::http {
namespace {

Result<void> check(const HttpOptions& options) {
    const auto refuse = [](const char* what, double value) {
        return makeError(ErrorCode::InvalidArgument, "http: %s, not %g", what, value);
    };
    // A day is longer than anybody waits, and still fits libcurl's numbers.
    const auto isTime = [](double seconds) { return seconds > 0 && seconds <= 86400; };
    if (options.maximumParallel < 1 || options.maximumParallel > 64)
        return refuse("maximumParallel must be 1 to 64", options.maximumParallel);
    if (!isTime(options.connectTimeoutSeconds))
        return refuse("connectTimeoutSeconds must be above 0 and at most 86400",
                      options.connectTimeoutSeconds);
    if (!isTime(options.lowSpeedSeconds))
        return refuse("lowSpeedSeconds must be above 0 and at most 86400", options.lowSpeedSeconds);
    if (!isTime(options.totalTimeoutSeconds))
        return refuse("totalTimeoutSeconds must be above 0 and at most 86400", options.totalTimeoutSeconds);
    if (options.maximumAttempts < 1)
        return refuse("maximumAttempts must be at least 1", options.maximumAttempts);
    if (!(options.backoffSeconds >= 0 && options.backoffSeconds <= 86400))
        return refuse("backoffSeconds must be 0 to 86400", options.backoffSeconds);
    if (!(options.maximumBackoffSeconds >= 0 && options.maximumBackoffSeconds <= 86400))
        return refuse("maximumBackoffSeconds must be 0 to 86400", options.maximumBackoffSeconds);
    if (options.maximumRedirects > 50)
        return refuse("maximumRedirects must be 0 to 50", options.maximumRedirects);
    if (options.maximumBodyBytes < 1 || options.maximumBodyBytes > std::uint64_t{1} << 40)
        return refuse("maximumBodyBytes must be 1 to 2^40", static_cast<double>(options.maximumBodyBytes));
    for (const char c : options.userAgent + options.proxy) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return refuse("userAgent and proxy must not hold a control character", c);
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<HttpByteSource>> HttpByteSource::create(const std::string& baseUrl,
                                                               const HttpOptions& options,
                                                               const Externals& externals) {
    if (Result<void> valid = check(options); !valid) return valid.error();
    if (Result<void> started = initialiseCurl(); !started) return started.error();
    Result<std::string> base = checkBaseUrl(baseUrl);
    if (!base) return base.error();
    auto worker = std::make_unique<Worker>(std::move(*base), options, externals);
    if (Result<void> started = worker->start(); !started) return started.error();
    return std::unique_ptr<HttpByteSource>(new HttpByteSource(std::move(worker)));
}

HttpByteSource::HttpByteSource(std::unique_ptr<Worker> worker) : m_worker(std::move(worker)) {}
HttpByteSource::~HttpByteSource() = default;

std::uint64_t HttpByteSource::request(const ByteRange& range) {
    return m_worker->request(range);
}

std::optional<ByteSource::Finished> HttpByteSource::poll() {
    return m_worker->poll();
}

void HttpByteSource::cancel(std::uint64_t id) {
    m_worker->cancel(id);
}

}  // namespace karst::http
