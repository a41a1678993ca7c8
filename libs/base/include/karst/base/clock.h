#pragma once

#include <cstdint>

namespace karst {

/// Time that only moves forward. Thread-safe.
class Clock {
  public:
    virtual ~Clock() = default;

    /// Nanoseconds since an arbitrary start.
    virtual std::uint64_t nowNanoseconds() const = 0;
};

/// The system's monotonic clock. Thread-safe, without state.
const Clock& steadyClock();

}  // namespace karst
