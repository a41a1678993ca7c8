// Streams a package over HTTP and walks across it: only the tiles around the walker and in view are loaded.
//
//   karst serve mountains.karst &
//   example_stream_over_http http://127.0.0.1:8080/mountains.karst
#include <karst/heightfield/surface_query.h>
#include <karst/heightfield_stream/streamer.h>
#include <karst/heightfield_zstd/zstd_codec.h>
#include <karst/http/package_url.h>

#include <chrono>
#include <cstdio>
#include <thread>

using namespace karst;
using namespace karst::heightfield;

int main(int count, char** arguments) {
    if (count != 2) return std::puts("usage: example_stream_over_http URL"), 2;
    auto source = http::openPackageUrl(arguments[1], makeZstdCodec());
    if (!source) return std::puts(source.error().message.c_str()), 1;
    const auto frame = [] { std::this_thread::sleep_for(std::chrono::milliseconds(4)); };
    while (!(*source)->ready()) {
        (*source)->update();
        if ((*source)->state() == PackageTileSource::State::Failed) {
            return std::puts((*source)->error().message.c_str()), 1;
        }
        frame();
    }
    const TileLayout layout = (*source)->layout();
    auto streamer = TileStreamer::create(layout, std::move(*source));
    if (!streamer) return std::puts(streamer.error().message.c_str()), 1;

    // From the north-west corner to the south-east one, in steps that wait until the ground underfoot is
    // there.
    const Rect ground = layout.groundRect();
    int steps = 0;
    for (int patience = 5000; steps <= 10 && patience > 0; --patience) {
        const double share = 0.05 + 0.09 * steps;
        const double x = ground.minX + share * ground.width(), z = ground.minZ + share * ground.depth();
        TileView view;
        view.eye = {x, layout.quantisation.max, z};
        const Interest interests[] = {CollisionInterest{x, z, 20}, view};
        auto report = streamer->update(interests);
        if (!report) return std::puts(report.error().message.c_str()), 1;
        const auto height = heightAt(streamer->surface(), x, z);
        if (!height) {
            frame();  // the game goes on meanwhile
            continue;
        }
        std::printf("at (%.0f, %.0f) the ground is %.1f high; %u tiles are resident\n", x, z, *height,
                    report->resident);
        ++steps;
    }
    return steps > 10 ? 0 : 1;
}
