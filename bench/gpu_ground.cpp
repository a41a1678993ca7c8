#include "gpu_ground.h"

#include <karst/base/hash.h>
#include <karst/heightfield/memory_tile_source.h>

#include <cmath>

#include "gpu_clock.h"

namespace karst::bench {

using namespace heightfield;

namespace {

// -1..1 at whole numbers, quintic fade between.
double valueNoise(double x, double z, std::uint32_t octave) {
    const double fx = std::floor(x), fz = std::floor(z);
    const auto at = [&](double i, double j) {
        const auto key = static_cast<std::uint64_t>(static_cast<std::int64_t>(i)) * 0x9e3779b97f4a7c15u ^
                         static_cast<std::uint64_t>(static_cast<std::int64_t>(j)) * 0xc2b2ae3d27d4eb4fu ^
                         octave;
        return static_cast<double>(mix64(key) >> 11) * 0x1p-52 - 1;
    };
    const auto fade = [](double t) { return t * t * t * (t * (t * 6 - 15) + 10); };
    const double u = fade(x - fx), v = fade(z - fz);
    const double low = at(fx, fz) + u * (at(fx + 1, fz) - at(fx, fz));
    const double high = at(fx, fz + 1) + u * (at(fx + 1, fz + 1) - at(fx, fz + 1));
    return low + v * (high - low);
}

float mountainHeight(int x, int z) {
    double smooth = 0, ridged = 0, amplitude = 1200, wavelength = 4096;
    for (std::uint32_t octave = 0; octave < 12; ++octave, amplitude *= 0.5, wavelength *= 0.5) {
        const double n = valueNoise(x / wavelength, z / wavelength, octave);
        smooth += amplitude * n;
        if (octave < 6) ridged += 0.6 * amplitude * (1 - std::abs(n)) * (1 - std::abs(n));
    }
    return static_cast<float>(std::max(0.6 * smooth + 0.9 * ridged + 1500, 0.0));
}

TileStreamer streamerOf(const Surface& pyramid, const Externals& externals) {
    const TileLayout& layout = pyramid.layout();
    TileDetailOptions detail;
    detail.levels = 2;
    detail.materials[0] = {0.02 * layout.spacingX, 0};
    detail.materials[1] = {0.2 * layout.spacingX, 0.7};
    TileStreamerOptions options;
    options.maximumResidentTiles = 8192;
    options.maximumPendingLoads = 256;
    options.maximumSynthesesPerUpdate = 64;
    options.detailLevels = 2;
    options.resolver = orExit(makeDetailResolver(layout, detail));
    const std::vector<TilePtr> tiles(pyramid.tiles().begin(), pyramid.tiles().end());
    return orExit(TileStreamer::create(layout, std::make_unique<MemoryTileSource>(tiles), std::move(options),
                                       externals));
}

}  // namespace

HeightRaster mountains(int side, JobSystem& jobs) {
    Vector<float> heights(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    jobs.parallelFor(static_cast<std::size_t>(side), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t z = begin; z < end; ++z) {
            for (int x = 0; x < side; ++x) {
                heights[z * static_cast<std::size_t>(side) + static_cast<std::size_t>(x)] =
                    mountainHeight(x, static_cast<int>(z));
            }
        }
    });
    HeightRasterDesc desc;
    desc.columns = desc.rows = side;
    desc.rect = rectOfSamples(0, 0, side, side, 10, 10);
    return orExit(HeightRaster::create(desc, std::move(heights)));
}

StreamedGround::StreamedGround(const Surface& pyramid, Externals externals)
    : m_streamer(streamerOf(pyramid, externals)) {}

const Surface& StreamedGround::update(const TileView& view) {
    const Interest interest = view;
    (void)orExit(m_streamer.update({&interest, 1}));
    m_surface = m_streamer.surface();
    return m_surface;
}

const Surface& StreamedGround::settle(const TileView& view) {
    const Interest interest = view;
    for (int i = 0; i < 100000; ++i) {
        const StreamingReport report = orExit(m_streamer.update({&interest, 1}));
        m_surface = m_streamer.surface();
        if (!m_surface.empty() && report.settled() && report.waiting == 0) break;
    }
    return m_surface;
}

}  // namespace karst::bench
