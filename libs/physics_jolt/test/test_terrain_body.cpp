#include "jolt_world.h"

#include <Jolt/Core/StreamWrapper.h>
#include <Jolt/Physics/Collision/CastResult.h>
#include <Jolt/Physics/Collision/CollidePointResult.h>
#include <Jolt/Physics/Collision/CollisionCollectorImpl.h>
#include <Jolt/Physics/Collision/RayCast.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/CapsuleShape.h>
#include <Jolt/Physics/Collision/Shape/MeshShape.h>
#include <Jolt/Physics/Collision/Shape/SphereShape.h>
#include <Jolt/Physics/Collision/ShapeCast.h>
#include <karst_test/test_support.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <tuple>
#include <vector>

namespace karst::physics_jolt {
namespace {

/// How a body went from one end of the flat ground to the other.
struct Way {
    double lowest = 1e9, highest = -1e9, aside = 0, slowest = 1e9, turned = 0, end = 0;
};
Way slide(FlatWorld& world, JPH::BodyID body, double z) {
    Way way;
    for (int i = 0; i < 600; ++i) {
        world.jolt.step();
        const JPH::RVec3 at = world.jolt.bodies().GetPosition(body);
        way.lowest = std::min<double>(way.lowest, at.GetY());
        way.highest = std::max<double>(way.highest, at.GetY());
        way.aside = std::max(way.aside, std::abs(double(at.GetZ()) - z));
        way.slowest = std::min<double>(way.slowest, world.jolt.bodies().GetLinearVelocity(body).GetX());
        way.turned = std::max<double>(way.turned, 1 - std::abs(world.jolt.bodies().GetRotation(body).GetW()));
        way.end = at.GetX();
    }
    return way;
}

TEST(JoltTerrainBody, V26_ABallRollsOver200MetresOfFlatGroundWithoutABump) {
    FlatWorld world;
    auto settings = JoltWorld::moving(new JPH::SphereShape(0.5f), {-100, 0.5f, 0.37f});
    // Without it a ball is bumped at inner edges, over Jolt's own mesh shape of the same triangles just as
    // much.
    settings.mEnhancedInternalEdgeRemoval = true;
    const JPH::BodyID body = world.jolt.add(settings);
    world.jolt.step(30);
    const double height = world.jolt.bodies().GetPosition(body).GetY();
    world.jolt.bodies().SetLinearAndAngularVelocity(body, {20, 0, 0}, {0, 0, -40});
    const Way way = slide(world, body, 0.37);
    EXPECT_GT(way.end, 95);
    EXPECT_LT(way.highest - height, 0.01);
    EXPECT_LT(height - way.lowest, 0.01);
    EXPECT_LT(way.aside, 0.05) << "of 200 m; as over Jolt's own mesh shape";
    EXPECT_GT(way.slowest, 19.9);
}

TEST(JoltTerrainBody, V26_ABoxSlidesOver200MetresOfFlatGroundWithoutABump) {
    FlatWorld world;
    auto settings = JoltWorld::moving(new JPH::BoxShape({0.6f, 0.4f, 0.5f}), {-100, 0.4f, 0.21f});
    settings.mFriction = 0;
    const JPH::BodyID body = world.jolt.add(settings);
    world.jolt.step(30);
    const double height = world.jolt.bodies().GetPosition(body).GetY();
    world.jolt.bodies().SetLinearVelocity(body, {20, 0, 0});
    const Way way = slide(world, body, 0.21);
    EXPECT_GT(way.end, 95);
    EXPECT_LT(way.highest - height, 0.01);
    EXPECT_LT(height - way.lowest, 0.01);
    EXPECT_LT(way.aside, 0.01);
    EXPECT_GT(way.slowest, 19.9);
    EXPECT_LT(way.turned, 1e-4);
}

TEST(JoltTerrainBody, V28_ABodyAsleepOnEditedGroundWakesAndFalls) {
    FlatWorld world(64, 64);
    const JPH::BodyID body = world.jolt.add(new JPH::SphereShape(0.5f), {10, 1, 10});
    const JPH::BodyID other = world.jolt.add(new JPH::SphereShape(0.5f), {-50, 1, -50});
    JPH::BodyInterface& bodies = world.jolt.bodies();
    for (int i = 0; i < 600 && (bodies.IsActive(body) || bodies.IsActive(other)); ++i)
        world.jolt.step();
    ASSERT_FALSE(bodies.IsActive(body));
    ASSERT_FALSE(bodies.IsActive(other));
    EXPECT_NEAR(bodies.GetPosition(body).GetY(), 0.5, 0.03);
    world.edit({{7, -6, 7}, {14, 0, 14}}, voxel::kAir);
    EXPECT_TRUE(bodies.IsActive(body));
    EXPECT_FALSE(bodies.IsActive(other)) << "far from the edit";
    world.jolt.step(240);
    EXPECT_NEAR(bodies.GetPosition(body).GetY(), -5.5, 0.1);
    // A tower beside: the ground's bounds grow, and a ray from above the old ones meets it.
    world.edit({{20, 0, 20}, {24, 20, 24}}, kRock);
    JPH::RayCastResult hit;
    ASSERT_TRUE(
        world.jolt.system.GetNarrowPhaseQuery().CastRay(JPH::RRayCast({22, 30, 22}, {0, -20, 0}), hit));
    EXPECT_EQ(hit.mBodyID, world.terrain->id());
    EXPECT_NEAR(30 - 20 * hit.mFraction, 20, 1e-3);
}

/// Flat ground with holes and mounds.
void roughen(FlatWorld& world, test::Random& random) {
    for (int i = 0; i < 60; ++i) {
        const WorldPosition at{random.range(-50, 50), random.range(-14, 4), random.range(-50, 50)};
        EXPECT_TRUE(
            voxel::fillBall(world.grid, at, random.range(2, 6), random.chance(0.6) ? voxel::kAir : kRock)
                .ok());
    }
    world.sync();
}

TEST(JoltTerrainBody, V24_JoltsRaysAndKarstsMeetTheSameGround) {
    test::Random random(3);
    FlatWorld world(64, 64);
    roughen(world, random);
    int hits = 0, backs = 0;
    for (int i = 0; i < 3000; ++i) {
        const Vec3d from{random.range(-60, 60), random.range(-20, 30), random.range(-60, 60)};
        const JPH::Vec3 origin = toJolt(toFloat(from));
        const JPH::Vec3 way(float(random.range(-20, 20)), float(random.range(-30, 10)),
                            float(random.range(-20, 20)));
        JPH::RayCastResult jolt;
        const bool hit =
            world.jolt.system.GetNarrowPhaseQuery().CastRay(JPH::RRayCast(JPH::RVec3(origin), way), jolt);
        const auto karst = world.shape->castRay({toDouble(origin), toDouble(way)}, 1);
        ASSERT_EQ(hit, karst.has_value());
        // All hits, front faces only: none before the first, and each on a triangle that the ray meets.
        JPH::AllHitCollisionCollector<JPH::CastRayCollector> all;
        world.terrain->shape().CastRay(JPH::RayCast(origin, way), JPH::RayCastSettings(),
                                       JPH::SubShapeIDCreator(), all);
        for (const JPH::RayCastResult& one : all.mHits) {
            EXPECT_LT(world.terrain->shape().GetSurfaceNormal(one.mSubShapeID2, {}).Dot(way), 1e-3f);
            EXPECT_GE(double{one.mFraction}, karst ? karst->t - 1e-5 : 2);
        }
        if (!hit) continue;
        ++hits;
        EXPECT_NEAR(jolt.mFraction, karst->t, 1e-5);
        EXPECT_EQ(world.terrain->shape().triangleId(jolt.mSubShapeID2), karst->id);
        const JPH::Vec3 normal = world.terrain->shape().GetSurfaceNormal(jolt.mSubShapeID2, {});
        EXPECT_LT((normal - toJolt(karst->normal)).Length(), 1e-4f);
        backs += all.mHits.empty() ? 1 : 0;
    }
    EXPECT_GT(hits, 800);
    EXPECT_GT(backs, 10) << "rays from within the ground, which meet back faces only";
}

TEST(JoltTerrainBody, APointInTheGroundIsInside) {
    test::Random random(5);
    FlatWorld world(64, 64);
    roughen(world, random);
    int inside = 0;
    for (int i = 0; i < 2000; ++i) {
        const JPH::Vec3 at(float(random.range(-60, 60)), float(random.range(-31, 8)),
                           float(random.range(-60, 60)));
        JPH::AllHitCollisionCollector<JPH::CollidePointCollector> hits;
        world.terrain->shape().CollidePoint(at, JPH::SubShapeIDCreator(), hits);
        const auto found = world.shape->castRay({toDouble(at), {0, 1, 0}}, 100);
        EXPECT_EQ(!hits.mHits.empty(), found && found->normal.y > 0);
        inside += hits.mHits.empty() ? 0 : 1;
    }
    EXPECT_GT(inside, 500);
}

TEST(JoltTerrainBody, TheTrianglesOfABoxAreGivenOnceEach) {
    test::Random random(7);
    FlatWorld world(64, 64);
    roughen(world, random);
    const TerrainShapeJolt& shape = world.terrain->shape();
    for (int i = 0; i < 20; ++i) {
        const JPH::Vec3 at(float(random.range(-60, 60)), float(random.range(-16, 8)),
                           float(random.range(-60, 60)));
        const JPH::AABox box(at, float(random.range(1, 40)));
        const JPH::Vec3 moved(3, 2, 1);
        JPH::Shape::GetTrianglesContext context;
        JPH::AABox there = box;
        there.Translate(moved);
        shape.GetTrianglesStart(context, there, moved, JPH::Quat::sIdentity(), JPH::Vec3::sOne());
        std::multiset<std::tuple<float, float, float>> expected, given;
        const auto add = [](auto& to, Vec3f sum) { to.insert({sum.x, sum.y, sum.z}); };
        JPH::Float3 vertices[3 * 40];
        for (int count; (count = shape.GetTrianglesNext(context, 40, vertices)) > 0;) {
            for (int t = 0; t < count; ++t) {
                Vec3f sum;
                for (int v = 0; v < 3; ++v) {
                    const JPH::Float3& p = vertices[3 * t + v];
                    sum = sum + Vec3f{p.x, p.y, p.z};
                }
                add(given, sum);
            }
        }
        JPH::AABox clipped = box.Intersect(shape.GetLocalBounds());
        if (clipped.IsValid()) {
            shape.forEachTriangle(clipped, [&](const physics::TerrainTriangle& triangle) {
                Vec3f sum;
                for (const Vec3f v : triangle.vertices)
                    sum = sum + fromJolt(toJolt(v) + moved);
                add(expected, sum);
            });
        }
        // Some just outside may be among the given.
        EXPECT_TRUE(std::includes(given.begin(), given.end(), expected.begin(), expected.end()));
        EXPECT_LE(given.size(), expected.size() + expected.size() / 4 + 40);
    }
}

TEST(JoltTerrainBody, ACastBallStopsWhereTheGroundIs) {
    FlatWorld world(64, 64);
    const auto cast = [&](const JPH::Shape* shape, JPH::Vec3Arg way) {
        JPH::ClosestHitCollisionCollector<JPH::CastShapeCollector> hit;
        world.jolt.system.GetNarrowPhaseQuery().CastShape(
            JPH::RShapeCast(shape, JPH::Vec3::sOne(), JPH::RMat44::sTranslation({0.3f, 50, 0.2f}), way),
            JPH::ShapeCastSettings(), JPH::RVec3::sZero(), hit);
        return hit.HadHit() ? hit.mHit.mFraction : 2.0f;
    };
    const JPH::Ref<JPH::Shape> ball = new JPH::SphereShape(0.5f), box = new JPH::BoxShape({0.5f, 0.5f, 0.5f});
    EXPECT_NEAR(cast(ball, {0, -100, 0}), 0.495, 1e-3);
    EXPECT_NEAR(cast(box, {0, -100, 0}), 0.495, 1e-3);
    EXPECT_NEAR(cast(box, {50, -100, 30}), 0.495, 1e-3);
    EXPECT_EQ(cast(ball, {0, -49, 0}), 2.0f);
    EXPECT_EQ(cast(box, {0, 100, 0}), 2.0f);
}

TEST(JoltTerrainBody, SweepsAndOverlapsAreThoseOfJoltsOwnMeshShape) {
    test::Random random(19);
    FlatWorld world(64, 64);
    roughen(world, random);
    const TerrainShapeJolt& shape = world.terrain->shape();
    JPH::TriangleList triangles;
    shape.forEachTriangle(shape.GetLocalBounds(), [&](const physics::TerrainTriangle& triangle) {
        triangles.push_back(JPH::Triangle(toJolt(triangle.vertices[0]), toJolt(triangle.vertices[1]),
                                          toJolt(triangle.vertices[2])));
    });
    const auto mesh = JPH::MeshShapeSettings(triangles).Create();
    ASSERT_TRUE(mesh.IsValid());
    const JPH::Ref<JPH::Shape> movers[] = {new JPH::SphereShape(0.7f), new JPH::BoxShape({0.5f, 0.8f, 0.4f})};
    int swept = 0, overlapping = 0;
    for (int i = 0; i < 600; ++i) {
        const JPH::Shape* mover = movers[i % 2];
        const JPH::Vec3 at(float(random.range(-55, 55)), float(random.range(-12, 12)),
                           float(random.range(-55, 55)));
        const JPH::Vec3 way(float(random.range(-60, 60)), float(random.range(-40, 10)),
                            float(random.range(-60, 60)));
        const auto cast = [&](const JPH::Shape* ground) {
            JPH::ClosestHitCollisionCollector<JPH::CastShapeCollector> hit;
            JPH::CollisionDispatch::sCastShapeVsShapeWorldSpace(
                JPH::ShapeCast(mover, JPH::Vec3::sOne(), JPH::Mat44::sTranslation(at), way),
                JPH::ShapeCastSettings(), ground, JPH::Vec3::sOne(), {}, JPH::Mat44::sIdentity(),
                JPH::SubShapeIDCreator(), JPH::SubShapeIDCreator(), hit);
            return hit.HadHit() ? hit.mHit.mFraction : 2.0f;
        };
        const float expected = cast(mesh.Get());
        EXPECT_NEAR(cast(&shape), expected, 2e-3) << i;
        swept += expected > 0 && expected < 1 ? 1 : 0;
        const auto overlaps = [&](const JPH::Shape* ground) {
            JPH::AnyHitCollisionCollector<JPH::CollideShapeCollector> hit;
            JPH::CollisionDispatch::sCollideShapeVsShape(
                mover, ground, JPH::Vec3::sOne(), JPH::Vec3::sOne(), JPH::Mat44::sTranslation(at),
                JPH::Mat44::sIdentity(), JPH::SubShapeIDCreator(), JPH::SubShapeIDCreator(),
                JPH::CollideShapeSettings(), hit);
            return hit.HadHit();
        };
        const bool touches = overlaps(mesh.Get());
        EXPECT_EQ(overlaps(&shape), touches) << i;
        overlapping += touches ? 1 : 0;
    }
    EXPECT_GT(swept, 200);
    EXPECT_GT(overlapping, 20);
}

TEST(JoltTerrainBody, V25_BodiesRainOnGroundThatIsDugAndNoneFallsThrough) {
    test::Random random(11);
    FlatWorld world(64, 64);
    roughen(world, random);
    for (const voxel::CellBox& wall :
         {voxel::CellBox{{-64, -32, -64}, {-60, 24, 64}}, voxel::CellBox{{60, -32, -64}, {64, 24, 64}},
          voxel::CellBox{{-64, -32, -64}, {64, 24, -60}}, voxel::CellBox{{-64, -32, 60}, {64, 24, 64}}}) {
        EXPECT_TRUE(voxel::fillRegion(world.grid, wall, kRock).ok());
    }
    world.sync();
    const JPH::Ref<JPH::Shape> shapes[] = {new JPH::SphereShape(0.5f), new JPH::BoxShape({0.5f, 0.4f, 0.6f}),
                                           new JPH::CapsuleShape(0.4f, 0.4f)};
    std::vector<JPH::BodyID> bodies;
    for (int i = 0; i < 120; ++i) {
        const JPH::RVec3 at(JPH::Real(random.range(-50, 50)), JPH::Real(random.range(10, 20)),
                            JPH::Real(random.range(-50, 50)));
        auto settings = JoltWorld::moving(shapes[i % 3], at);
        if (i % 2 == 0) settings.mMotionQuality = JPH::EMotionQuality::LinearCast;
        bodies.push_back(world.jolt.add(settings));
    }
    for (int i = 1; i <= 480; ++i) {
        if (i % 30 == 0) {
            const JPH::RVec3 at =
                world.jolt.bodies().GetPosition(bodies[static_cast<std::size_t>(random.integer(0, 119))]);
            const WorldPosition below{at.GetX(), std::max(double(at.GetY()) - 2, -20.0), at.GetZ()};
            EXPECT_TRUE(voxel::fillBall(world.grid, below, 4, voxel::kAir).ok());
            world.sync();
        }
        world.jolt.step();
    }
    int falls = 0, still = 0;
    for (const JPH::BodyID body : bodies) {
        falls += world.jolt.bodies().GetPosition(body).GetY() > -26 ? 0 : 1;
        still += world.jolt.bodies().GetLinearVelocity(body).Length() < 1 ? 1 : 0;
    }
    EXPECT_EQ(falls, 0);
    EXPECT_GT(still, 80);
}

TEST(JoltTerrainBody, RestoredFromABinaryStateItIsEmpty) {
    FlatWorld world(32, 32);
    std::stringstream bytes;
    JPH::StreamOutWrapper out(bytes);
    world.terrain->shape().SaveBinaryState(out);
    JPH::StreamInWrapper in(bytes);
    const auto restored = JPH::Shape::sRestoreFromBinaryState(in);
    ASSERT_TRUE(restored.IsValid());
    EXPECT_EQ(restored.Get()->GetSubType(), JPH::EShapeSubType::User1);
    EXPECT_EQ(restored.Get()->GetStats().mNumTriangles, 0u);
    EXPECT_GT(world.terrain->shape().GetStats().mNumTriangles, 0u);
}

TEST(JoltTerrainBody, IdsOfTrianglesGoThroughJoltAndBack) {
    test::Random random(13);
    physics::TerrainShapeDefinition definition;
    definition.minChunk = {-3, -1, -2};
    definition.maxChunk = {4, 2, 5};
    definition.maxTileX = 6;
    definition.maxTileZ = 4;
    const SubShapeIds ids(definition);
    EXPECT_EQ(ids.bits(), 8u + 18u);
    const JPH::SubShapeIDCreator around = JPH::SubShapeIDCreator().PushID(5, 4);
    for (int i = 0; i < 1000; ++i) {
        const bool tile = random.chance(0.3);
        const auto slot = static_cast<std::uint64_t>(random.integer(0, tile ? 23 : 146));
        const physics::TriangleId id{std::uint64_t{tile} << 62 | slot << 32 |
                                     static_cast<std::uint64_t>(random.integer(0, tile ? 8191 : 196607))};
        JPH::SubShapeID rest;
        EXPECT_EQ(ids.push(id, around).PopID(4, rest), 5u);
        EXPECT_EQ(ids.pop(rest), id);
    }
    definition.maxChunk = {61, 31, 62};
    definition.maxTileX = definition.maxTileZ = 0;
    EXPECT_GT(SubShapeIds(definition).bits(), JPH::uint{JPH::SubShapeID::MaxBits});
    auto large = physics::TerrainShape::create(definition);
    ASSERT_TRUE(large.ok());
    startJolt();
    EXPECT_FALSE(TerrainShapeJolt::create(*large).ok());
}

}  // namespace
}  // namespace karst::physics_jolt
