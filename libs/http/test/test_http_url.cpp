#include "http_url.h"

#include <gtest/gtest.h>

namespace karst::http {
namespace {

TEST(HttpUrl, TakesFoldersOfWebServers) {
    EXPECT_EQ(*checkBaseUrl("http://127.0.0.1:80/a/b//"), "http://127.0.0.1:80/a/b");
    EXPECT_EQ(*checkBaseUrl("https://example.org"), "https://example.org");
    EXPECT_EQ(*checkBaseUrl("http://[::1]:8080/x%20y"), "http://[::1]:8080/x%20y");
}

TEST(HttpUrl, RefusesOtherThings) {
    for (const char* url :
         {"", "terrain", "/srv/terrain", "file:///srv/terrain", "ftp://example.org/a", "gopher://a/b",
          "http://", "http://user@example.org/", "http://user:secret@example.org/a",
          "http://example.org/a?x=1", "http://example.org/a#x", "http://example.org/a b",
          "http://example.org/a\r\nHost: b", "http://example.org:99999/"}) {
        const Result<std::string> refused = checkBaseUrl(url);
        ASSERT_FALSE(refused.ok()) << url;
        EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
        EXPECT_EQ(refused.error().message.find("secret"), std::string::npos);
    }
}

TEST(HttpUrl, JoinsAndEncodesPaths) {
    EXPECT_EQ(*joinUrl("http://h/a", "tiles/3/1-2.jtile"), "http://h/a/tiles/3/1-2.jtile");
    EXPECT_EQ(*joinUrl("http://h/a", "x y/%2e?b#c\xc3\xa9+&"), "http://h/a/x%20y/%252e%3Fb%23c%C3%A9%2B%26");
}

TEST(HttpUrl, RefusesPathsThatLeaveTheFolder) {
    for (const char* path :
         {"", "/", "/etc/passwd", "a//b", "a/", "..", "a/../b", "./a", "a/.", "a\\b", "a\nb"}) {
        EXPECT_FALSE(joinUrl("http://h", path).ok()) << path;
    }
}

}  // namespace
}  // namespace karst::http
