#include "solid_places.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace karst::viewer {

namespace {

struct Square {
    double radius = 0;  // of its largest body
    double height = 0;  // of its highest body
    bool awake = false;
};

}  // namespace

std::vector<SolidPlace> placesOfBodies(std::span<const GroundedBody> bodies, double size, std::size_t most,
                                       WorldPosition around) {
    std::map<std::pair<double, double>, Square> squares;
    for (const GroundedBody& body : bodies) {
        Square& square = squares[{std::floor(body.position.x / size), std::floor(body.position.z / size)}];
        square.height = square.radius == 0 ? body.position.y : std::max(square.height, body.position.y);
        square.radius = std::max(square.radius, body.radius);
        square.awake = square.awake || body.awake;
    }
    struct Ranked {
        bool asleep;
        double distance;
        SolidPlace place;
    };
    std::vector<Ranked> ranked;
    for (const auto& [at, square] : squares) {
        const WorldPosition center{(at.first + 0.5) * size, square.height, (at.second + 0.5) * size};
        const double distance = std::hypot(center.x - around.x, center.z - around.z);
        // To the square's corners, and for what moves on from there.
        const double radius = size * (std::sqrt(0.5) + 0.25) + square.radius;
        ranked.push_back({!square.awake, distance, {center, radius}});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
        return std::pair(a.asleep, a.distance) < std::pair(b.asleep, b.distance);
    });
    std::vector<SolidPlace> places;
    for (std::size_t i = 0; i < ranked.size() && i < most; ++i)
        places.push_back(ranked[i].place);
    return places;
}

}  // namespace karst::viewer
