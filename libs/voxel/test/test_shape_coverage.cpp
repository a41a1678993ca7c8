#include "shape_coverage.h"

#include <gtest/gtest.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "ball_share.h"

namespace karst::voxel {
namespace {

using test::Random;

Rotation randomRotation(Random& random) {
    const Vec3d q{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
    return Rotation::fromQuaternion(q.x, q.y, q.z, random.range(0.05, 1)).value();
}

using Inside = std::function<bool(Vec3d)>;

/// Share of n x n x n points in the cell that are inside, in 255ths: one at a random place in each part of
/// the cell, so that no face runs along their layers.
double sampled(const Inside& inside, CellCoord cell, int n) {
    static Random random(99);
    int count = 0;
    for (int i = 0; i < n * n * n; ++i) {
        const Vec3d p{cell.x + (i % n + random.unit()) / n, cell.y + (i / n % n + random.unit()) / n,
                      cell.z + (i / (n * n) + random.unit()) / n};
        count += inside(p) ? 1 : 0;
    }
    return 255.0 * count / (n * n * n);
}

Vec3d local(const Pose& pose, Vec3d p) {
    const Vec3d d = p - pose.center;
    return {dot(d, pose.rotation.x), dot(d, pose.rotation.y), dot(d, pose.rotation.z)};
}

struct Sample {
    const char* name;
    ShapeCoverage shape;
    Inside inside;
};

const GridPlacement kUnit{1, {}};

Sample randomShape(Random& random, int kind, double size) {
    Pose pose{{random.range(-40, 40), random.range(-40, 40), random.range(-40, 40)}, {}};
    // Multiples of 2^-16, so that the points of the reference are about the same centre.
    pose.center = {std::floor(pose.center.x * 65536) / 65536, std::floor(pose.center.y * 65536) / 65536,
                   std::floor(pose.center.z * 65536) / 65536};
    if (random.chance(0.8)) pose.rotation = randomRotation(random);
    const Vec3d edges{size * random.range(0.2, 2), size * random.range(0.2, 2), size * random.range(0.2, 2)};
    switch (kind) {
        case 0: {
            const double r = size;
            return {"ball", ShapeCoverage::ball(kUnit, pose.center, r),
                    [=](Vec3d p) { return length(p - pose.center) <= r; }};
        }
        case 1:
            return {"block", ShapeCoverage::block(kUnit, pose, edges), [=](Vec3d p) {
                        const Vec3d q = local(pose, p);
                        return std::abs(q.x) <= edges.x / 2 && std::abs(q.y) <= edges.y / 2 &&
                               std::abs(q.z) <= edges.z / 2;
                    }};
        case 2:
            return {"cylinder", ShapeCoverage::cylinder(kUnit, pose, edges.x, edges.y), [=](Vec3d p) {
                        const Vec3d q = local(pose, p);
                        return std::abs(q.y) <= edges.x / 2 && q.x * q.x + q.z * q.z <= edges.y * edges.y;
                    }};
        default:
            return {"wedge", ShapeCoverage::wedge(kUnit, pose, edges), [=](Vec3d p) {
                        const Vec3d q = local(pose, p);
                        return std::abs(q.x) <= edges.x / 2 && std::abs(q.y) <= edges.y / 2 &&
                               std::abs(q.z) <= edges.z / 2 && q.y / edges.y <= q.z / edges.z;
                    }};
    }
}

TEST(ShapeCoverage, V32_AgreesWithCountedPoints) {
    // 16^3 random points are themselves off by about 0.5 / 255, so the mean says more than the worst.
    Random random(1);
    for (int kind = 0; kind < 4; ++kind) {
        double worst = 0, sum = 0, bias = 0;
        int cells = 0;
        const char* name = "";
        for (int trial = 0; trial < 24; ++trial) {
            const Sample s = randomShape(random, kind, std::exp(random.range(std::log(0.4), std::log(12.0))));
            name = s.name;
            const CellBox& b = s.shape.bounds();
            for (int k = 0; k < 60; ++k) {
                const CellCoord c{random.integer(b.min.x - 1, b.max.x), random.integer(b.min.y - 1, b.max.y),
                                  random.integer(b.min.z - 1, b.max.z)};
                const double expected = sampled(s.inside, c, 16), got = s.shape.coverage(c);
                if (expected == 0 || expected == 255) {
                    // Nothing that the points miss is large.
                    EXPECT_NEAR(got, expected, 2.0) << name << " " << c.x << " " << c.y << " " << c.z;
                    continue;
                }
                worst = std::max(worst, std::abs(got - expected));
                sum += std::abs(got - expected);
                bias += got - expected;
                ++cells;
            }
        }
        ASSERT_GT(cells, 100) << name;
        EXPECT_LE(worst, 5) << name;
        EXPECT_LE(sum / cells, 0.8) << name;
        EXPECT_LE(std::abs(bias / cells), 0.2) << name;
    }
}

TEST(ShapeCoverage, V32_IsWithinThreeOfFineCounting) {
    // Many more points, few cells.
    Random random(2);
    for (int kind = 0; kind < 4; ++kind) {
        double worst = 0;
        int cells = 0;
        for (int trial = 0; cells < 40; ++trial) {
            const Sample s = randomShape(random, kind, std::exp(random.range(std::log(0.5), std::log(10.0))));
            const CellBox& b = s.shape.bounds();
            const CellCoord c{random.integer(b.min.x, b.max.x - 1), random.integer(b.min.y, b.max.y - 1),
                              random.integer(b.min.z, b.max.z - 1)};
            const double rough = sampled(s.inside, c, 4);
            if (rough == 0 || rough == 255) continue;
            worst = std::max(worst, std::abs(s.shape.coverage(c) - sampled(s.inside, c, 48)));
            ++cells;
        }
        EXPECT_LE(worst, 3) << kind;
    }
}

TEST(ShapeCoverage, V32_CutCubeAgreesWithCountedPoints) {
    Random random(3);
    for (int trial = 0; trial < 300; ++trial) {
        Vec3d n{random.range(-1, 1), random.range(-1, 1), random.range(-1, 1)};
        if (trial % 5 == 1) n.x = 0;
        if (trial % 5 == 2) n.x = n.z = 0;
        if (trial % 5 == 3) n.y *= 1e-4;
        if (trial % 5 == 4) n.y = n.x;
        n = normalized(n);
        const double d = random.range(-0.9, 0.9);
        const double expected = sampled([&](Vec3d p) { return dot(n, p) + d <= 0; }, {0, 0, 0}, 40) / 255;
        // From the middle of the cell 0..1.
        const double got = cubeBelowPlane(d + 0.5 * (n.x + n.y + n.z), CutDirection::of(n));
        EXPECT_NEAR(got, expected, 0.026) << n.x << " " << n.y << " " << n.z << " at " << d;
        EXPECT_NEAR(cubeBelowPlane(0.3, CutDirection::of(n)) + cubeBelowPlane(-0.3, CutDirection::of(n)), 1,
                    1e-15);
    }
}

TEST(ShapeCoverage, V32_BallCoverageOfRowsIsThatOfCells) {
    Random random(4);
    for (int trial = 0; trial < 2000; ++trial) {
        const double r = random.range(8, 100);
        const double y = random.range(-r, r) * 0.8, z = random.range(-r, r) * 0.5;
        const double x = std::sqrt(std::max(r * r - y * y - z * z, 0.0)) - random.range(-3, 9);
        const int count = random.integer(1, 9);
        std::vector<std::uint8_t> row(static_cast<std::size_t>(count) + 1, 77);
        ballCoverage(x, y, z, r, count, row.data());
        for (int i = 0; i < count; ++i) {
            const double share = ballShare(x + i, y, z, r);
            EXPECT_EQ(row[static_cast<std::size_t>(i)], static_cast<std::uint8_t>(share * 255 + 0.5));
            const double rho = std::sqrt((x + i) * (x + i) + y * y + z * z);
            const double general =
                cubeBelowPlane(rho - r + 1 / (12 * rho), CutDirection::of(Vec3d{x + i, y, z} * (1 / rho)));
            EXPECT_NEAR(share, general, 1e-4);
        }
        EXPECT_EQ(row.back(), 77);
    }
}

TEST(ShapeCoverage, V32_SmallBallsAreThatOfTheirParts) {
    Random random(14);
    for (int trial = 0; trial < 600; ++trial) {
        const int parts = 2 << trial % 3;
        const double r = random.range(8.0 / parts, 16.0 / parts);
        const Vec3d p{random.range(-r, r), random.range(-r, r) * 0.8, random.range(-r, r) * 0.5};
        const int count = random.integer(1, 5);
        std::vector<std::uint8_t> row(static_cast<std::size_t>(count) + 1, 77);
        smallBallCoverage(p.x, p.y, p.z, r, parts, count, row.data());
        for (int i = 0; i < count; ++i) {
            double sum = 0;
            for (int part = 0; part < parts * parts * parts; ++part) {
                const auto at = [&](double middle, int index) {
                    return (middle - 0.5) * parts + 0.5 + index;
                };
                sum += ballShare(at(p.x + i, part % parts), at(p.y, part / parts % parts),
                                 at(p.z, part / (parts * parts)), r * parts);
            }
            const double expected = sum / (parts * parts * parts) * 255;
            EXPECT_NEAR(row[static_cast<std::size_t>(i)], expected, 0.501) << r;
        }
        EXPECT_EQ(row.back(), 77);
    }
}

TEST(ShapeCoverage, V32_RowSpansHoldWhatTheySay) {
    Random random(5);
    for (int trial = 0; trial < 60; ++trial) {
        const Sample s =
            randomShape(random, trial % 4, std::exp(random.range(std::log(0.3), std::log(13.0))));
        const CellBox& b = s.shape.bounds();
        std::int64_t inner = 0;
        for (std::int32_t y = b.min.y - 1; y <= b.max.y; ++y) {
            for (std::int32_t z = b.min.z - 1; z <= b.max.z; ++z) {
                const RowSpan span = s.shape.rowSpan(y, z);
                EXPECT_LE(span.outerBegin, span.innerBegin);
                EXPECT_LE(span.innerBegin, span.innerEnd);
                EXPECT_LE(span.innerEnd, span.outerEnd);
                for (std::int32_t x = b.min.x - 1; x <= b.max.x; ++x) {
                    const int c = s.shape.coverage({x, y, z});
                    if (x < span.outerBegin || x >= span.outerEnd) {
                        ASSERT_EQ(c, 0) << s.name << " " << x << " " << y << " " << z;
                    } else if (x >= span.innerBegin && x < span.innerEnd) {
                        ASSERT_EQ(c, 255) << s.name << " " << x << " " << y << " " << z;
                        ++inner;
                    }
                }
            }
        }
        if (b.cellCount() > 6000 && trial % 4 == 0) {
            EXPECT_GT(inner, b.cellCount() / 5);
        }
    }
}

/// The 24 turns by right angles, by way of sines that are not quite 0 and 1.
std::vector<Rotation> rightAngles() {
    std::vector<Rotation> out;
    const double kRight = 1.5707963267948966;
    const Vec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto turn = [](const Rotation& r, const Rotation& by) {
        const auto apply = [&](Vec3d v) { return by.x * v.x + by.y * v.y + by.z * v.z; };
        return Rotation{apply(r.x), apply(r.y), apply(r.z)};
    };
    for (int first = 0; first < 4; ++first) {
        for (int second = 0; second < 4; ++second) {
            for (const Vec3d axis : {axes[0], axes[2]}) {
                out.push_back(turn(Rotation::aboutAxis(axes[1], kRight * first).value(),
                                   Rotation::aboutAxis(axis, kRight * second).value()));
            }
        }
    }
    return out;
}

TEST(ShapeCoverage, V32_RightAnglesChangeNoBit) {
    Random random(6);
    const auto rounded = [](Vec3d v) { return Vec3d{std::round(v.x), std::round(v.y), std::round(v.z)}; };
    for (const Rotation& r : rightAngles()) {
        const auto apply = [&](Vec3d v) {
            return rounded(r.x) * v.x + rounded(r.y) * v.y + rounded(r.z) * v.z;
        };
        for (int kind = 0; kind < 4; ++kind) {
            const Vec3d center{random.integer(-90000, 90000) / 65536.0,
                               random.integer(-90000, 90000) / 65536.0,
                               random.integer(-90000, 90000) / 65536.0};
            const Vec3d size{random.range(0.5, 9), random.range(0.5, 9), random.range(0.5, 9)};
            const auto make = [&](const Pose& pose) {
                if (kind == 0) return ShapeCoverage::ball(kUnit, pose.center, size.x * 1.2);
                if (kind == 1) return ShapeCoverage::block(kUnit, pose, size);
                if (kind == 2) return ShapeCoverage::cylinder(kUnit, pose, size.x, size.y);
                return ShapeCoverage::wedge(kUnit, pose, size);
            };
            const ShapeCoverage plain = make({center, {}}), turned = make({apply(center), r});
            const CellBox& b = plain.bounds();
            for (std::int32_t y = b.min.y; y < b.max.y; ++y) {
                for (std::int32_t z = b.min.z; z < b.max.z; ++z) {
                    for (std::int32_t x = b.min.x; x < b.max.x; ++x) {
                        const Vec3d p = apply({x + 0.5, y + 0.5, z + 0.5});
                        const CellCoord c{static_cast<std::int32_t>(std::floor(p.x)),
                                          static_cast<std::int32_t>(std::floor(p.y)),
                                          static_cast<std::int32_t>(std::floor(p.z))};
                        ASSERT_EQ(plain.coverage({x, y, z}), turned.coverage(c))
                            << "kind " << kind << " cell " << x << " " << y << " " << z;
                    }
                }
            }
        }
    }
}

TEST(ShapeCoverage, V32_BallsAreSymmetricAndOfTheirVolume) {
    for (const double r : {0.3, 0.5, 1.0, 1.7, 2.0, 3.3, 4.0, 6.5, 7.99, 8.0, 8.01, 12.0, 20.5, 31.0}) {
        for (const double c : {0.0, 0.5, 0.25}) {
            const ShapeCoverage ball = ShapeCoverage::ball(kUnit, {c, c, c}, r);
            const CellBox& b = ball.bounds();
            std::int64_t sum = 0;
            const bool mirrors = c != 0.25;
            const std::int32_t mirror = c == 0 ? -1 : 0;
            for (std::int32_t y = b.min.y; y < b.max.y; ++y) {
                for (std::int32_t z = b.min.z; z < b.max.z; ++z) {
                    for (std::int32_t x = b.min.x; x < b.max.x; ++x) {
                        const int v = ball.coverage({x, y, z});
                        sum += v;
                        if (mirrors) {
                            ASSERT_EQ(v, ball.coverage({mirror - x, y, z}));
                            ASSERT_EQ(v, ball.coverage({x, y, mirror - z}));
                        }
                        ASSERT_EQ(v, ball.coverage({y, z, x}));
                        ASSERT_EQ(v, ball.coverage({y, x, z}));
                    }
                }
            }
            const double volume = 4 / 3.0 * 3.14159265358979 * r * r * r;
            // Rounding is off by up to half of a 255th in each cut cell, in groups of up to 48 equal ones;
            // beyond that a part in five thousand.
            const double cut = 8 + 19 * r * r;
            const double rounding = 0.5 / 255 * std::min(cut, std::sqrt(48 * cut));
            EXPECT_NEAR(static_cast<double>(sum) / 255, volume, 2e-4 * volume + rounding) << r;
        }
    }
}

TEST(ShapeCoverage, V32_MovesByWholeCellsChangeNothing) {
    Random random(7);
    for (int trial = 0; trial < 40; ++trial) {
        Pose pose{{random.range(-2, 2), random.range(-2, 2), random.range(-2, 2)}, randomRotation(random)};
        pose.center = {std::floor(pose.center.x * 65536) / 65536, std::floor(pose.center.y * 65536) / 65536,
                       std::floor(pose.center.z * 65536) / 65536};
        const std::int32_t d = random.integer(-200000000, 200000000);
        Pose moved = pose;
        moved.center = pose.center + Vec3d{double(d), double(-d), double(d / 2)};
        const ShapeCoverage a = ShapeCoverage::cylinder(kUnit, pose, 5, 2.5),
                            b = ShapeCoverage::cylinder(kUnit, moved, 5, 2.5);
        for (std::int32_t i = 0; i < 1000; ++i) {
            const std::int32_t x = i % 10 - 5, y = i / 10 % 10 - 5, z = i / 100 - 5;
            ASSERT_EQ(a.coverage({x, y, z}), b.coverage({x + d, y - d, z + d / 2}));
        }
    }
}

}  // namespace
}  // namespace karst::voxel
