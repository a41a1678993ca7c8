#include "http_transfer.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace karst::http {
namespace {

// Of an answer that is an error's page and is thrown away; longer ones cost the connection.
constexpr std::uint64_t kMaximumErrorBytes = 64 << 10;
// Of all headers of one attempt, redirects included.
constexpr std::uint64_t kMaximumHeaderBytes = 256 << 10;
// More grows as it comes, so that a server cannot claim memory by announcing much.
constexpr std::uint64_t kMaximumReserve = 1 << 20;

// The value of a header line where it has this name (in lower case).
bool headerValue(std::string_view line, std::string_view name, std::string& value) {
    if (line.size() <= name.size() || line[name.size()] != ':') return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = line[i] >= 'A' && line[i] <= 'Z' ? static_cast<char>(line[i] | 0x20) : line[i];
        if (c != name[i]) return false;
    }
    line.remove_prefix(name.size() + 1);
    const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!line.empty() && isBlank(line.front()))
        line.remove_prefix(1);
    while (!line.empty() && isBlank(line.back()))
        line.remove_suffix(1);
    value = line;
    return true;
}

bool isTransient(CURLcode code) {
    switch (code) {
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_CONNECT:
        case CURLE_PARTIAL_FILE:
        case CURLE_OPERATION_TIMEDOUT:
        case CURLE_GOT_NOTHING:
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
        case CURLE_SSL_CONNECT_ERROR:
        case CURLE_HTTP2:
        case CURLE_HTTP2_STREAM:
            return true;
        default:
            return false;
    }
}

}  // namespace

void HttpTransfer::prepare(CURL* handle, const std::string& url, const ByteRange& range,
                           double timeoutSeconds, std::uint64_t nowNanoseconds) {
    m_handle = handle;
    m_url = url;
    m_range = range;
    m_status = 0;
    m_contentRange.clear();
    m_contentEncoding.clear();
    m_bodyBegun = false;
    m_skip = m_bodyBytes = m_headerBytes = 0;
    m_expected = range.size;
    m_part.clear();
    m_refusal = Refusal::None;
    m_errorText[0] = '\0';
    m_windowStart = nowNanoseconds;
    m_windowBytes = 0;

    curl_easy_reset(handle);
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, m_errorText);
    curl_easy_setopt(handle, CURLOPT_USERAGENT, m_options.userAgent.c_str());
    curl_easy_setopt(handle, CURLOPT_PROXY, m_options.proxy.c_str());
    curl_easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(handle, CURLOPT_MAXREDIRS, static_cast<long>(m_options.maximumRedirects));
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    // A name that is being looked up must not hold up the end of the source.
    curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#endif
    const auto milliseconds = [](double seconds) { return std::max(1L, static_cast<long>(seconds * 1000)); };
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(m_options.connectTimeoutSeconds));
    curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, milliseconds(timeoutSeconds));
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &HttpTransfer::onHeader);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &HttpTransfer::onBody);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
    if (wantsRange()) {
        char text[48];
        if (range.size == ByteRange::kToEnd) {
            std::snprintf(text, sizeof text, "%llu-", static_cast<unsigned long long>(range.offset));
        } else {
            std::snprintf(text, sizeof text, "%llu-%llu", static_cast<unsigned long long>(range.offset),
                          static_cast<unsigned long long>(range.offset + range.size - 1));
        }
        curl_easy_setopt(handle, CURLOPT_RANGE, text);
    }
}

std::size_t HttpTransfer::onHeader(char* data, std::size_t size, std::size_t count, void* self) {
    const std::size_t bytes = size * count;
    return static_cast<HttpTransfer*>(self)->takeHeader({data, bytes}) ? bytes : 0;
}

std::size_t HttpTransfer::onBody(char* data, std::size_t size, std::size_t count, void* self) {
    const std::size_t bytes = size * count;
    return static_cast<HttpTransfer*>(self)->takeBody(data, bytes) ? bytes : 0;
}

bool HttpTransfer::refuse(Refusal refusal) {
    m_refusal = refusal;
    return false;
}

bool HttpTransfer::takeHeader(std::string_view line) {
    m_windowBytes += line.size();
    m_headerBytes += line.size();
    if (m_headerBytes > kMaximumHeaderBytes) return refuse(Refusal::Headers);
    if (line.starts_with("HTTP/")) {
        m_contentRange.clear();
        m_contentEncoding.clear();
        return true;
    }
    if (!headerValue(line, "content-range", m_contentRange))
        headerValue(line, "content-encoding", m_contentEncoding);
    return true;
}

// With the first bytes of the last answer's body.
bool HttpTransfer::beginBody() {
    m_bodyBegun = true;
    curl_easy_getinfo(m_handle, CURLINFO_RESPONSE_CODE, &m_status);
    if (m_status != 200 && m_status != 206) return true;
    // Parts of encoded bodies are not parts of the file, and nothing else was asked for.
    if (!m_contentEncoding.empty() && m_contentEncoding != "identity") return refuse(Refusal::Encoded);
    if (m_status == 206) {
        const std::optional<ContentRange> range = parseContentRange(m_contentRange);
        if (!range || !wantsRange() || range->first != m_range.offset) return refuse(Refusal::WrongRange);
        const std::uint64_t size = range->last - range->first + 1;
        const bool wrong = m_range.size == ByteRange::kToEnd
                               ? range->total != ContentRange::kUnknown && range->last + 1 != range->total
                               : size != m_range.size;
        if (wrong) return refuse(Refusal::WrongRange);
        m_expected = size;
    } else {
        m_skip = m_range.offset;
    }
    curl_off_t announced = -1;
    curl_easy_getinfo(m_handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    const std::uint64_t coming = announced > 0 ? static_cast<std::uint64_t>(announced) : 0;
    const std::uint64_t part = m_expected == ByteRange::kToEnd ? coming : m_expected;
    if (std::max(coming, part) > m_options.maximumBodyBytes) return refuse(Refusal::TooLarge);
    m_part.reserve(static_cast<std::size_t>(std::min(part, kMaximumReserve)));
    return true;
}

bool HttpTransfer::takeBody(const char* data, std::size_t size) {
    m_windowBytes += size;
    if (!m_bodyBegun && !beginBody()) return false;
    const std::uint64_t before = m_bodyBytes;
    m_bodyBytes += size;
    if (m_status != 200 && m_status != 206) return m_bodyBytes <= kMaximumErrorBytes;
    if (m_bodyBytes > m_options.maximumBodyBytes) return refuse(Refusal::TooLarge);
    if (m_status == 206 && m_bodyBytes > m_expected) return refuse(Refusal::TooLong);
    // The part [m_skip, m_skip + m_expected) of the body.
    std::uint64_t from = std::max(m_skip, before);
    std::uint64_t to = m_bodyBytes;
    if (m_expected != ByteRange::kToEnd) to = std::min(to, m_skip + m_expected);
    if (from < to) {
        const auto* bytes = reinterpret_cast<const std::byte*>(data);
        m_part.insert(m_part.end(), bytes + (from - before), bytes + (to - before));
    }
    return true;
}

bool HttpTransfer::tooSlow(std::uint64_t nowNanoseconds) {
    if (nowNanoseconds - m_windowStart < static_cast<std::uint64_t>(m_options.lowSpeedSeconds * 1e9))
        return false;
    if (m_windowBytes < m_options.lowSpeedBytes) return true;
    m_windowStart = nowNanoseconds;
    m_windowBytes = 0;
    return false;
}

HttpTransfer::Outcome HttpTransfer::failure(ErrorCode code, const std::string& what, bool tryAgain) const {
    return {makeError(code, "http: %s: %s", m_url.c_str(), what.c_str()), tryAgain, 0};
}

HttpTransfer::Outcome HttpTransfer::slow() const {
    char text[96];
    std::snprintf(text, sizeof text, "less than %llu bytes in %g s",
                  static_cast<unsigned long long>(m_options.lowSpeedBytes), m_options.lowSpeedSeconds);
    return failure(ErrorCode::Io, text, true);
}

HttpTransfer::Outcome HttpTransfer::refused() const {
    switch (m_refusal) {
        case Refusal::TooLarge:
            return failure(ErrorCode::TooLarge,
                           "the body is larger than " + std::to_string(m_options.maximumBodyBytes) + " bytes",
                           false);
        case Refusal::WrongRange:
            return failure(
                ErrorCode::CorruptData,
                "Content-Range \"" + m_contentRange.substr(0, 100) + "\" is not what was asked for", false);
        case Refusal::Encoded:
            return failure(ErrorCode::CorruptData,
                           "Content-Encoding \"" + m_contentEncoding.substr(0, 100) + "\" was not asked for",
                           false);
        case Refusal::Headers:
            return failure(ErrorCode::TooLarge, "the headers are longer than 256 KiB", false);
        default:
            return failure(ErrorCode::CorruptData, "the body is longer than its Content-Range", false);
    }
}

HttpTransfer::Outcome HttpTransfer::statusOutcome() const {
    const std::string text = "status " + std::to_string(m_status);
    if (m_status == 404 || m_status == 410) return failure(ErrorCode::NotFound, text, false);
    // The file has not that many bytes.
    if (m_status == 416) return failure(ErrorCode::CorruptData, text + ": no such part", false);
    Outcome outcome = failure(ErrorCode::Io, text, m_status >= 500 || m_status == 429 || m_status == 408);
    curl_off_t seconds = 0;
    if (curl_easy_getinfo(m_handle, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK)
        outcome.retryAfterSeconds = static_cast<double>(seconds);
    return outcome;
}

HttpTransfer::Outcome HttpTransfer::bodyOutcome() {
    if (m_expected != ByteRange::kToEnd && m_part.size() != m_expected) {
        return failure(ErrorCode::CorruptData,
                       std::to_string(m_part.size()) + " bytes of " + std::to_string(m_expected), false);
    }
    if (m_status == 200 && m_bodyBytes < m_range.offset) {
        return failure(ErrorCode::CorruptData,
                       "the file ends at " + std::to_string(m_bodyBytes) + " before the part at " +
                           std::to_string(m_range.offset),
                       false);
    }
    return {std::move(m_part), false, 0};
}

HttpTransfer::Outcome HttpTransfer::finish(CURLcode code) {
    if (m_refusal != Refusal::None) return refused();
    if (m_handle != nullptr) curl_easy_getinfo(m_handle, CURLINFO_RESPONSE_CODE, &m_status);
    // An answer without a body never came to beginBody().
    if (code == CURLE_OK && !m_bodyBegun && !beginBody()) return refused();
    // What the server said counts, also if its error page broke off.
    if (m_status >= 400 || (code == CURLE_OK && m_status != 200 && m_status != 206)) return statusOutcome();
    if (code != CURLE_OK) {
        const ErrorCode kind = code == CURLE_PARTIAL_FILE ? ErrorCode::CorruptData : ErrorCode::Io;
        const char* text = m_errorText[0] != '\0' ? m_errorText : curl_easy_strerror(code);
        return failure(kind, text, isTransient(code));
    }
    return bodyOutcome();
}

}  // namespace karst::http
