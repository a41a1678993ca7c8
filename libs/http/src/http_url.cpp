#include "http_url.h"

#include <curl/curl.h>

#include <memory>
#include <string_view>

namespace karst::http {
namespace {

struct UrlDeleter {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

// Empty where the URL has no such part.
std::string partOf(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, 0) != CURLUE_OK || text == nullptr) return {};
    std::string result = text;
    curl_free(text);
    return result;
}

// What may stand in a path as it is (RFC 3986, unreserved and some that no server reads otherwise).
bool isPlain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

Result<std::string> checkBaseUrl(const std::string& url) {
    const auto refuse = [&](const char* why) {
        return makeError(ErrorCode::InvalidArgument, "http: base URL \"%.200s\": %s", url.c_str(), why);
    };
    for (const char c : url) {
        if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f)
            return refuse("holds a space or control character");
    }
    const std::unique_ptr<CURLU, UrlDeleter> parsed(curl_url());
    if (parsed == nullptr) return makeError(ErrorCode::TooLarge, "http: out of memory");
    if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
        return refuse("is not a URL");
    const std::string scheme = partOf(parsed.get(), CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https") return refuse("the scheme must be http or https");
    // Names and passwords would stand in every error message.
    if (!partOf(parsed.get(), CURLUPART_USER).empty() || !partOf(parsed.get(), CURLUPART_PASSWORD).empty())
        return makeError(ErrorCode::InvalidArgument,
                         "http: the base URL must not hold a user name or password");
    if (url.find('?') != std::string::npos) return refuse("must not have a query");
    if (url.find('#') != std::string::npos) return refuse("must not have a fragment");
    std::string base = partOf(parsed.get(), CURLUPART_URL);
    while (!base.empty() && base.back() == '/')
        base.pop_back();
    return base;
}

Result<std::string> joinUrl(const std::string& baseUrl, const std::string& path) {
    const auto refuse = [&](const char* why) {
        return makeError(ErrorCode::InvalidArgument, "http: path \"%.200s\": %s", path.c_str(), why);
    };
    std::string url = baseUrl + '/';
    std::string_view rest = path;
    for (bool last = false; !last;) {
        const std::size_t slash = rest.find('/');
        last = slash == std::string_view::npos;
        const std::string_view segment = rest.substr(0, slash);
        if (segment.empty() || segment == "." || segment == "..")
            return refuse("a segment is empty, \".\" or \"..\"");
        if (!last) rest.remove_prefix(slash + 1);
    }
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f || c == '\\') return refuse("holds a backslash or control character");
        if (isPlain(c)) {
            url += c;
        } else {
            constexpr char kDigits[] = "0123456789ABCDEF";
            url += '%';
            url += kDigits[byte >> 4];
            url += kDigits[byte & 15];
        }
    }
    return url;
}

}  // namespace karst::http
