#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace karst::test {

/// Small deterministic random numbers (the same on every compiler, unlike the standard's distributions).
class Random {
  public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next();
    /// In [0, 1).
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    double range(double low, double high) { return low + (high - low) * unit(); }
    /// In [low, high], both included.
    int integer(int low, int high) {
        return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(double probability) { return unit() < probability; }

  private:
    std::uint64_t m_state;
};

/// A file of the real DEMs: in $KARST_TEST_DATA, else in ../shared/data beside the checkout; nothing where
/// absent.
std::optional<std::filesystem::path> realData(const std::string& name);

/// A fresh folder for one test, removed with the object.
class TempFolder {
  public:
    TempFolder();
    ~TempFolder();
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

}  // namespace karst::test

/// Skips the test with a message where a real DEM is absent; else defines `variable` as its path.
#define KARST_REAL_DATA_OR_SKIP(variable, name)                                                              \
    const auto variable##Found = ::karst::test::realData(name);                                              \
    if (!variable##Found) GTEST_SKIP() << "no real DEM " << (name) << "; set KARST_TEST_DATA to its folder"; \
    const std::filesystem::path variable = *variable##Found
