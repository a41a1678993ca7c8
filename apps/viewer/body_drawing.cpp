#include "body_drawing.h"

#include <algorithm>
#include <cmath>

namespace karst::viewer {

using render::MeshVertex;

namespace {

constexpr int kRings = 8, kSides = 14;
constexpr float kPi = 3.14159265f;

// Linear.
constexpr Vec3f kColors[] = {{0.60f, 0.09f, 0.05f}, {0.75f, 0.45f, 0.04f}, {0.07f, 0.22f, 0.55f},
                             {0.08f, 0.35f, 0.12f}, {0.55f, 0.52f, 0.46f}, {0.35f, 0.10f, 0.40f}};

Vec3f turned(const BodyPose& pose, Vec3f v) {
    return pose.axes[0] * v.x + pose.axes[1] * v.y + pose.axes[2] * v.z;
}

MeshVertex vertexAt(const BodyPose& pose, Vec3f place, Vec3f normal) {
    MeshVertex out;
    out.position = toFloat(pose.position + toDouble(turned(pose, place)));
    out.normal = turned(pose, normal);
    const Vec3f color = kColors[pose.number % std::size(kColors)] * (pose.asleep ? 0.6f : 1.0f);
    const auto bits = [](float v) { return static_cast<std::uint16_t>(v * 65535); };
    out.color = {bits(color.x), bits(color.y), bits(color.z), 65535};
    return out;
}

// A ball, or with `stretch` a capsule: the halves of a ball apart by twice that.
void addRound(const BodyPose& pose, float radius, float stretch, std::vector<MeshVertex>& vertices,
              std::vector<std::uint32_t>& indices) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    for (int ring = 0; ring <= kRings; ++ring) {
        const float up = kPi * (0.5f - static_cast<float>(ring) / kRings);
        for (int side = 0; side <= kSides; ++side) {
            const float around = 2 * kPi * static_cast<float>(side) / kSides;
            const Vec3f n{std::cos(up) * std::cos(around), std::sin(up), std::cos(up) * std::sin(around)};
            const Vec3f lift{0, ring * 2 < kRings ? stretch : ring * 2 > kRings ? -stretch : 0.0f, 0};
            vertices.push_back(vertexAt(pose, n * radius + lift, n));
        }
    }
    constexpr std::uint32_t kRow = kSides + 1;
    for (std::uint32_t ring = 0; ring < kRings; ++ring) {
        for (std::uint32_t side = 0; side < kSides; ++side) {
            const std::uint32_t a = base + ring * kRow + side, b = a + kRow;
            for (const std::uint32_t i : {a, a + 1, b, a + 1, b + 1, b})
                indices.push_back(i);
        }
    }
}

void addBox(const BodyPose& pose, std::vector<MeshVertex>& vertices, std::vector<std::uint32_t>& indices) {
    const Vec3f h = pose.halfSize;
    for (int axis = 0; axis < 3; ++axis) {
        for (const float sign : {1.0f, -1.0f}) {
            const auto part = [&](int i, float v) {
                const int a = (axis + i) % 3;
                return Vec3f{a == 0 ? v : 0, a == 1 ? v : 0, a == 2 ? v : 0};
            };
            const Vec3f n = part(0, sign);
            const auto scaled = [&](Vec3f v) { return Vec3f{v.x * h.x, v.y * h.y, v.z * h.z}; };
            const auto base = static_cast<std::uint32_t>(vertices.size());
            for (const auto& [u, v] : {std::pair{-1.0f, -1.0f}, {1.0f, -1.0f}, {1.0f, 1.0f}, {-1.0f, 1.0f}})
                vertices.push_back(vertexAt(pose, scaled(n + part(1, u * sign) + part(2, v)), n));
            for (const std::uint32_t i : {0u, 1u, 2u, 0u, 2u, 3u})
                indices.push_back(base + i);
        }
    }
}

}  // namespace

BodyDrawing::BodyDrawing(const DrawingContext& context, PassSet<render::MeshPass> passes)
    : m_passes(std::move(passes)), m_buffer(context.device, context.framesInFlight) {}

Result<std::unique_ptr<BodyDrawing>> BodyDrawing::create(const DrawingContext& context) {
    auto passes = PassSet<render::MeshPass>::create(context, [&](const render::PassTarget& target) {
        return render::MeshPass::create(context.device, *context.scene, {.target = target});
    });
    if (!passes) return passes.error();
    return std::unique_ptr<BodyDrawing>(new BodyDrawing(context, std::move(*passes)));
}

void BodyDrawing::setBodies(std::span<const BodyPose> bodies) {
    m_vertices.clear();
    m_indices.clear();
    for (const BodyPose& pose : bodies) {
        switch (pose.form) {
            case BodyForm::Ball:
                addRound(pose, pose.halfSize.x, 0, m_vertices, m_indices);
                break;
            case BodyForm::Capsule:
                addRound(pose, pose.halfSize.x, pose.halfSize.y - pose.halfSize.x, m_vertices, m_indices);
                break;
            case BodyForm::Box:
                addBox(pose, m_vertices, m_indices);
                break;
        }
    }
}

Result<void> BodyDrawing::prepare(VkCommandBuffer commands, const FrameViews&) {
    m_buffer.beginFrame();
    if (m_indices.empty()) return {};
    const auto vertices = std::as_bytes(std::span(m_vertices)), indices = std::as_bytes(std::span(m_indices));
    if (auto room = m_buffer.reserve(vertices.size(), indices.size()); !room) return room.error();
    if (auto put = m_buffer.buffers()->uploadVertices(0, vertices); !put) return put;
    if (auto put = m_buffer.buffers()->uploadIndices(0, indices); !put) return put;
    m_stats.uploadedBytes = m_buffer.buffers()->recordUploads(commands).bytes;
    m_stats.deviceBytes = m_buffer.bytes();
    return {};
}

void BodyDrawing::draw(const DrawTarget& target) {
    const render::MeshPass* pass = m_passes.of(target.kind);
    if (!pass || m_indices.empty() || !m_buffer.buffers()) return;
    pass->record(target.commands, target.scene, target.view, *m_buffer.buffers(), 0,
                 static_cast<std::uint32_t>(m_indices.size()), target.area);
}

}  // namespace karst::viewer
