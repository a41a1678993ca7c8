#include <karst_test/test_support.h>

#include <unistd.h>

#include <cstdlib>

namespace karst::test {

std::uint64_t Random::next() {
    m_state += 0x9e3779b97f4a7c15u;
    std::uint64_t x = m_state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::optional<std::filesystem::path> realData(const std::string& name) {
    std::filesystem::path folder = std::filesystem::path(KARST_SOURCE_DIR) / ".." / "shared" / "data";
    if (const char* set = std::getenv("KARST_TEST_DATA")) folder = set;
    std::error_code error;
    const std::filesystem::path file = folder / name;
    if (!std::filesystem::exists(file, error)) return std::nullopt;
    return file;
}

TempFolder::TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "karst-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    m_path = pattern;
}

TempFolder::~TempFolder() {
    std::error_code error;
    std::filesystem::remove_all(m_path, error);
}

}  // namespace karst::test
