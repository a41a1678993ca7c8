#pragma once

#include <cstdint>

namespace karst::tool {

/// The same numbers on every compiler.
class DropRandom {
  public:
    explicit DropRandom(std::uint64_t seed) : m_state(seed * 0x9e3779b97f4a7c15u + 1) {}
    double range(double low, double high) {
        m_state = m_state * 6364136223846793005u + 1442695040888963407u;
        return low + (high - low) * static_cast<double>(m_state >> 11) * 0x1p-53;
    }

  private:
    std::uint64_t m_state;
};

}  // namespace karst::tool
