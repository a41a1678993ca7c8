#pragma once

#include <karst/base/allocator.h>
#include <karst/base/clock.h>
#include <karst/base/job_system.h>
#include <karst/base/log.h>

namespace karst {

/// All that Karst takes from outside. Each world, importer or pool gets one; nothing is process-global. The
/// pointed-to objects must outlive whatever was given the struct; none may be null.
struct Externals {
    Allocator* allocator = &heapAllocator();
    JobSystem* jobs = &inlineJobSystem();
    Logger* log = &nullLogger();
    const Clock* clock = &steadyClock();
};

}  // namespace karst
