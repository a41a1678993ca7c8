#pragma once

#include <cstddef>
#include <cstdint>

namespace karst {

/// 64-bit hash of bytes, the same on every machine, compiler and run (FNV-1a with a final mix). Not for
/// secrets.
class Hasher {
  public:
    Hasher& bytes(const void* data, std::size_t size);
    /// Little-endian, so that the value does not depend on the machine.
    Hasher& u32(std::uint32_t value);
    Hasher& u64(std::uint64_t value);
    /// The float's bits; -0 and +0 differ.
    Hasher& f32(float value);
    Hasher& f64(double value);
    std::uint64_t value() const;

  private:
    std::uint64_t m_state = 0xcbf29ce484222325u;
};

/// A well-mixed permutation of 64-bit numbers (the finaliser of SplitMix64).
inline std::uint64_t mix64(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

}  // namespace karst
