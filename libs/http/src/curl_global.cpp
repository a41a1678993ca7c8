#include "curl_global.h"

#include <curl/curl.h>

namespace karst::http {

Result<void> initialiseCurl() {
    static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code == CURLE_OK) return {};
    return makeError(ErrorCode::Unsupported, "http: libcurl cannot start: %s", curl_easy_strerror(code));
}

}  // namespace karst::http
