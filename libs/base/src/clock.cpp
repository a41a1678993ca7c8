#include <karst/base/clock.h>

#include <chrono>

namespace karst {
namespace {

class SteadyClock final : public Clock {
  public:
    std::uint64_t nowNanoseconds() const override {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    }
};

}  // namespace

const Clock& steadyClock() {
    static const SteadyClock clock;
    return clock;
}

}  // namespace karst
