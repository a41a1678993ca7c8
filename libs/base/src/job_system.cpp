#include <karst/base/assert.h>
#include <karst/base/job_system.h>

#include <algorithm>

namespace karst {
namespace {

class InlineJobSystem final : public JobSystem {
  public:
    std::uint32_t workerCount() const override { return 1; }
    void parallelFor(std::size_t count, std::size_t grain,
                     FunctionRef<void(std::size_t, std::size_t)> body) override {
        KARST_ASSERT(grain >= 1);
        for (std::size_t begin = 0; begin < count;) {
            const std::size_t end = begin + std::min(grain, count - begin);
            body(begin, end);
            begin = end;
        }
    }
};

}  // namespace

JobSystem& inlineJobSystem() {
    static InlineJobSystem jobs;
    return jobs;
}

}  // namespace karst
