#pragma once

#include <karst/base/thread_pool.h>
#include <karst/heightfield_build/pyramid_builder.h>
#include <karst/heightfield_stream/detail_resolver.h>
#include <karst/heightfield_stream/streamer.h>

namespace karst::bench {

/// The large DEM of the benchmarks: mountains of 12 octaves of value noise, samples 10 units apart.
heightfield::HeightRaster mountains(int side, JobSystem& jobs);

/// Streams what a view wants from a pyramid in memory, with two levels of synthesised detail, until nothing
/// more comes.
class StreamedGround {
  public:
    StreamedGround(const heightfield::Surface& pyramid, Externals externals);

    const heightfield::Surface& settle(const heightfield::TileView& view);
    /// One update, as a frame does.
    const heightfield::Surface& update(const heightfield::TileView& view);

  private:
    heightfield::TileStreamer m_streamer;
    heightfield::Surface m_surface;
};

}  // namespace karst::bench
