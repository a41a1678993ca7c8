#pragma once

#include <karst/base/result.h>

#include <string>

namespace karst::http {

/// The URL of a package's folder in a form that paths can be joined to: without a slash at its end. Refuses
/// schemes other than http and https, a user name or password, a query and a fragment.
Result<std::string> checkBaseUrl(const std::string& url);

/// The URL of a file: '/' and the path, percent-encoded but for '/'. Refuses paths with an empty, "." or ".."
/// segment, a backslash or a control character.
Result<std::string> joinUrl(const std::string& baseUrl, const std::string& path);

}  // namespace karst::http
