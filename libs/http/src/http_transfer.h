#pragma once

#include "content_range.h"

#include <karst/base/byte_source.h>
#include <karst/http/http_byte_source.h>

#include <curl/curl.h>

#include <string>

namespace karst::http {

/// One attempt at a request: sets up a curl handle, takes in headers and body, and judges the end.
///
/// Used by the worker's thread alone. The object must not move while its handle is in use.
class HttpTransfer {
  public:
    /// How an attempt ended.
    struct Outcome {
        Result<std::vector<std::byte>> bytes = std::vector<std::byte>{};
        bool tryAgain = false;
        double retryAfterSeconds = 0;  ///< as the server asked; 0 where it did not
    };

    explicit HttpTransfer(const HttpOptions& options) : m_options(options) {}
    HttpTransfer(const HttpTransfer&) = delete;
    HttpTransfer& operator=(const HttpTransfer&) = delete;

    /// Makes the handle ready for curl_multi. `timeoutSeconds` > 0: for this attempt.
    void prepare(CURL* handle, const std::string& url, const ByteRange& range, double timeoutSeconds,
                 std::uint64_t nowNanoseconds);

    /// Judges a transfer that curl says is done.
    Outcome finish(CURLcode code);

    /// Is it too slow? To be asked now and then.
    bool tooSlow(std::uint64_t nowNanoseconds);
    /// The outcome of giving it up as too slow.
    Outcome slow() const;

  private:
    enum class Refusal { None, TooLarge, WrongRange, Encoded, TooLong, Headers };

    static std::size_t onHeader(char* data, std::size_t size, std::size_t count, void* self);
    static std::size_t onBody(char* data, std::size_t size, std::size_t count, void* self);
    bool takeHeader(std::string_view line);
    bool beginBody();
    bool takeBody(const char* data, std::size_t size);
    bool refuse(Refusal refusal);

    bool wantsRange() const { return m_range.offset > 0 || m_range.size != ByteRange::kToEnd; }
    Outcome failure(ErrorCode code, const std::string& what, bool tryAgain) const;
    Outcome refused() const;
    Outcome statusOutcome() const;
    Outcome bodyOutcome();

    HttpOptions m_options;
    CURL* m_handle = nullptr;
    std::string m_url;
    ByteRange m_range;
    char m_errorText[CURL_ERROR_SIZE] = {};

    // Of the answer; begun anew with each status line, as redirects bring several.
    long m_status = 0;
    std::string m_contentRange, m_contentEncoding;
    bool m_bodyBegun = false;
    std::uint64_t m_skip = 0;  // bytes of the body before the part
    std::uint64_t m_bodyBytes = 0, m_headerBytes = 0;
    std::uint64_t m_expected = ByteRange::kToEnd;  // bytes of the part where known
    std::vector<std::byte> m_part;
    Refusal m_refusal = Refusal::None;

    std::uint64_t m_windowStart = 0;  // nanoseconds
    std::uint64_t m_windowBytes = 0;
};

}  // namespace karst::http
