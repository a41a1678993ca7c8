#pragma once

#include <atomic>

namespace karst::tool {

/// While one lives, SIGINT and SIGTERM set wanted() instead of ending the process; a second one ends it. One
/// at a time in a process.
class Interruption {
  public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    static const std::atomic<bool>& wanted();
};

}  // namespace karst::tool
