#pragma once

#include <karst/base/function_ref.h>

#include <cstddef>
#include <cstdint>

namespace karst {

/// Where parallel work runs. A host wraps its own scheduler; base ships an inline one and a thread pool.
/// Results never depend on the number of workers or on how a range is split.
class JobSystem {
  public:
    virtual ~JobSystem() = default;

    /// How many threads may work at once, the caller's included; at least 1.
    virtual std::uint32_t workerCount() const = 0;

    /// Calls `body(begin, end)` on disjoint ranges that cover 0..count exactly once, each at most `grain`
    /// long (grain >= 1), on any threads, and returns when all are done. May be called from inside a body and
    /// from several threads at once. Allocates nothing.
    virtual void parallelFor(std::size_t count, std::size_t grain,
                             FunctionRef<void(std::size_t begin, std::size_t end)> body) = 0;
};

/// Runs everything on the calling thread, in order. Thread-safe, without state.
JobSystem& inlineJobSystem();

}  // namespace karst
