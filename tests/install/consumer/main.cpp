// Uses Karst as a host would: with exceptions and RTTI, and with its own logger, allocator and job system.
#include <karst/base/externals.h>
#include <karst/base/thread_pool.h>
#include <karst/heightfield/height_raster.h>
#include <karst/heightfield/height_ray.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <typeinfo>

namespace {

struct HostLogger : karst::Logger {
    void write(karst::LogLevel, std::string_view message) override { last = message; }
    std::string last;
};

struct HostAllocator : karst::Allocator {
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        ++calls;
        return karst::heapAllocator().allocate(bytes, alignment);
    }
    void deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
        karst::heapAllocator().deallocate(memory, bytes, alignment);
    }
    int calls = 0;
};

struct HostJobs : karst::JobSystem {
    std::uint32_t workerCount() const override { return 1; }
    void parallelFor(std::size_t count, std::size_t grain,
                     karst::FunctionRef<void(std::size_t, std::size_t)> body) override {
        karst::inlineJobSystem().parallelFor(count, grain, body);
    }
};

void demand(bool condition, const char* what) {
    if (!condition) throw std::runtime_error(what);
}

void run() {
    HostLogger logger;
    HostAllocator allocator;
    HostJobs jobs;
    karst::Externals externals;
    externals.log = &logger;
    externals.allocator = &allocator;
    externals.jobs = &jobs;
    karst::Logger& base = logger;
    demand(dynamic_cast<HostLogger*>(&base) == &logger && typeid(base) == typeid(HostLogger), "RTTI");

    karst::heightfield::HeightRasterDesc desc;
    desc.columns = 3;
    desc.rows = 3;
    desc.rect = karst::heightfield::rectOfSamples(0, 0, 3, 3, 10, 10);
    karst::Vector<float> heights({0, 1, 2, 3, 4, 5, 6, 7, 8}, allocator);
    auto raster = karst::heightfield::HeightRaster::create(desc, std::move(heights), {}, externals);
    demand(raster.ok(), "create");
    demand(raster->heightAt(10, 10) == 4.0, "heightAt");
    demand(allocator.calls > 0, "allocator");
    const karst::heightfield::HeightPyramid pyramid(*raster, externals);
    const auto hit = castRay(*raster, pyramid, {{10, 100, 10}, {0, -2, 0}});
    demand(hit.hit() && hit.t == 48 && hit.position.y == 4, "castRay");

    desc.columns = 0;
    const auto refused = karst::heightfield::HeightRaster::create(desc, {});
    demand(!refused.ok() && !refused.error().message.empty(), "refusal");

    karst::ThreadPool pool(2);
    std::atomic<std::size_t> covered{0};
    pool.parallelFor(1000, 7, [&](std::size_t begin, std::size_t end) { covered += end - begin; });
    demand(covered == 1000, "thread pool");
}

}  // namespace

int main() {
    try {
        run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "failed: %s\n", error.what());
        return 1;
    }
    return 0;
}
