find_package(CURL 7.68 REQUIRED)
set(http_test_libraries CURL::libcurl)
if(KARST_BUILD_TESTS)
    # cpp-httplib: the well-behaved server of the tests.
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
    list(APPEND http_test_libraries karst_heightfield_stream PkgConfig::httplib)
endif()
karst_library(http
    SOURCES src/package_url.cpp src/content_range.cpp src/curl_global.cpp src/http_byte_source.cpp src/http_transfer.cpp
            src/http_url.cpp src/http_worker.cpp
    DEPENDS heightfield
    THIRD_PARTY CURL::libcurl
    TEST_DEPENDS ${http_test_libraries})
