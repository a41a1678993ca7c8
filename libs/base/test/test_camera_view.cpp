#include <gtest/gtest.h>
#include <karst/base/camera_view.h>
#include <karst_test/test_support.h>

#include <limits>

namespace karst {
namespace {

struct Clip {
    double x, y, z, w;
};

Clip project(const Mat4f& m, Vec3d p) {
    const auto row = [&](int r) {
        return m.at(r, 0) * p.x + m.at(r, 1) * p.y + m.at(r, 2) * p.z + double{m.at(r, 3)};
    };
    return {row(0), row(1), row(2), row(3)};
}

Vec3d randomPoint(test::Random& random, double radius) {
    return {random.range(-radius, radius), random.range(-radius, radius), random.range(-radius, radius)};
}

TEST(CameraView, AxesAreOrthonormal) {
    test::Random random(4);
    for (int i = 0; i < 500; ++i) {
        Vec3d eye = randomPoint(random, 1e6), target = randomPoint(random, 1e6);
        if (i % 5 == 0) target = {eye.x, target.y, eye.z};  // straight up or down
        const auto view = CameraView::lookAt(eye, target, 1, 1, 0.1);
        ASSERT_TRUE(view.ok());
        EXPECT_NEAR(length(view->forward), 1, 1e-12);
        EXPECT_NEAR(length(view->up), 1, 1e-12);
        EXPECT_NEAR(length(view->right()), 1, 1e-12);
        EXPECT_NEAR(dot(view->forward, view->up), 0, 1e-12);
        EXPECT_GE(view->up.y, -1e-12);
        EXPECT_NEAR(view->right().y, 0, 1e-12);
    }
}

TEST(CameraView, DepthIsOneAtTheNearPlaneAndFallsAsNearOverDistance) {
    test::Random random(5);
    for (int i = 0; i < 200; ++i) {
        const Vec3d eye = randomPoint(random, 1000);
        const double nearPlane = random.range(0.05, 2);
        const auto view = CameraView::lookAt(eye, randomPoint(random, 1000), random.range(0.3, 2.5),
                                             random.range(0.5, 2), nearPlane);
        ASSERT_TRUE(view.ok());
        const Mat4f m = view->viewProjection(eye);
        double last = 2;
        for (const double distance : {1.0, 2.0, 10.0, 1000.0, 1e5}) {
            const double d = nearPlane * distance;
            const Clip c = project(m, view->forward * d);
            EXPECT_NEAR(c.w, d, d * 1e-6);
            EXPECT_NEAR(c.z / c.w, nearPlane / d, nearPlane / d * 1e-6);
            EXPECT_LT(c.z / c.w, last);
            last = c.z / c.w;
            EXPECT_NEAR(c.x / c.w, 0, 1e-5);
            EXPECT_NEAR(c.y / c.w, 0, 1e-5);
        }
    }
}

TEST(CameraView, ProjectionAndFrustumKeepTheSamePoints) {
    test::Random random(6);
    int inside = 0, outside = 0;
    for (int i = 0; i < 200; ++i) {
        const Vec3d eye = randomPoint(random, 1e6);
        const auto view = CameraView::lookAt(eye, eye + randomPoint(random, 100), random.range(0.2, 2.8),
                                             random.range(0.3, 3), random.range(0.1, 5));
        ASSERT_TRUE(view.ok());
        const Frustum frustum = view->frustum();
        EXPECT_EQ(frustum.count, 5);
        const Vec3d origin = eye + randomPoint(random, 10);
        const Mat4f m = view->viewProjection(origin);
        for (int k = 0; k < 100; ++k) {
            const Vec3d p = eye + randomPoint(random, 50);
            const Clip c = project(m, p - origin);
            // How far inside the clip volume, in clip units; points on its skin may fall to either side.
            const double margin = std::min({c.w - std::abs(c.x), c.w - std::abs(c.y), c.w - c.z});
            if (std::abs(margin) < 1e-2) continue;
            const bool projected = margin > 0;
            EXPECT_EQ(frustum.contains(p), projected) << "margin " << margin;
            ++(projected ? inside : outside);
        }
    }
    EXPECT_GT(inside, 500);
    EXPECT_GT(outside, 500);
}

TEST(CameraView, RightIsPlusXAndUpIsMinusYInClipSpace) {
    const auto view = CameraView::lookAt({0, 10, 0}, {0, 10, -1}, 1, 1, 0.1);  // to the north
    ASSERT_TRUE(view.ok());
    const Mat4f m = view->viewProjection({0, 10, 0});
    const Clip east = project(m, {1, 0, -10}), above = project(m, {0, 1, -10});
    EXPECT_GT(east.x, 0);
    EXPECT_NEAR(east.y, 0, 1e-6);
    EXPECT_LT(above.y, 0);
    EXPECT_NEAR(above.x, 0, 1e-6);
}

TEST(CameraView, FieldOfViewAndAspectReachTheEdges) {
    const double fov = 1.2, aspect = 1.7;
    const auto view = CameraView::lookAt({0, 0, 0}, {0, 0, -1}, fov, aspect, 0.1);
    ASSERT_TRUE(view.ok());
    const Mat4f m = view->viewProjection({});
    const double t = std::tan(fov / 2);
    const Clip corner = project(m, {t * aspect * 8, -t * 8, -8});
    EXPECT_NEAR(corner.x / corner.w, 1, 1e-6);
    EXPECT_NEAR(corner.y / corner.w, 1, 1e-6);
}

TEST(CameraView, StraightDownHasNorthUp) {
    const auto down = CameraView::lookAt({5, 100, 7}, {5, 0, 7}, 1, 1, 0.1);
    ASSERT_TRUE(down.ok());
    EXPECT_EQ(down->forward, (Vec3d{0, -1, 0}));
    EXPECT_NEAR(down->up.z, -1, 1e-12);
    EXPECT_NEAR(down->right().x, 1, 1e-12);
    EXPECT_TRUE(down->frustum().contains({5, 0, 7}));
    EXPECT_FALSE(down->frustum().contains({5, 200, 7}));
    const Clip north = project(down->viewProjection({5, 100, 7}), {0, -100, -10});
    EXPECT_LT(north.y, 0);
    const auto up = CameraView::lookAt({0, 0, 0}, {0, 3, 0}, 1, 1, 0.1);
    ASSERT_TRUE(up.ok());
    EXPECT_NEAR(length(up->up), 1, 1e-12);
}

TEST(CameraView, RefusesWhatIsNoCameraAndSaysTheValue) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const auto refused = [](const Result<CameraView>& view, const char* part) {
        ASSERT_FALSE(view.ok()) << part;
        EXPECT_EQ(view.error().code, ErrorCode::InvalidArgument);
        EXPECT_NE(view.error().message.find(part), std::string::npos) << view.error().message;
    };
    refused(CameraView::lookAt({1, 2, 3}, {1, 2, 3}, 1, 1, 0.1), "(1, 2, 3)");
    refused(CameraView::lookAt({nan, 0, 0}, {1, 2, 3}, 1, 1, 0.1), "finite");
    refused(CameraView::lookAt({0, 0, 0}, {1, infinity, 3}, 1, 1, 0.1), "finite");
    refused(CameraView::lookAt({-1e200, 0, 0}, {1e200, 0, 0}, 1, 1, 0.1), "far apart");
    refused(CameraView::lookAt({0, 0, 0}, {1, 2, 3}, 0, 1, 0.1), "field of view 0");
    refused(CameraView::lookAt({0, 0, 0}, {1, 2, 3}, 3.2, 1, 0.1), "field of view 3.2");
    refused(CameraView::lookAt({0, 0, 0}, {1, 2, 3}, nan, 1, 0.1), "field of view");
    refused(CameraView::lookAt({0, 0, 0}, {1, 2, 3}, 1, -2, 0.1), "aspect -2");
    refused(CameraView::lookAt({0, 0, 0}, {1, 2, 3}, 1, infinity, 0.1), "aspect");
    refused(CameraView::lookAt({0, 0, 0}, {1, 2, 3}, 1, 1, 0), "near plane 0");
    refused(CameraView::lookAt({0, 0, 0}, {1, 2, 3}, 1, 1, nan), "near plane");
}

}  // namespace
}  // namespace karst
