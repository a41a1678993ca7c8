#include <karst/voxel_mesh/collision_builder.h>

#include <karst/base/assert.h>
#include <karst/voxel_mesh/field_sampling.h>
#include <karst/voxel_mesh/surface_nets.h>

#include <utility>

#include "collision_edges.h"
#include "collision_patches.h"
#include "point_lanes.h"
#include "surface_nets_rows.h"

namespace karst::voxel_mesh {
namespace {

constexpr std::uint16_t kUnused = 0xffff;

std::uint8_t edgeMark(const QuadEdges& marks, std::uint32_t edge) {
    switch (edge) {
        case 0:
            return marks.first() & 1;
        case 1:
            return marks.first() >> 1 & 1;
        case 2:
            return marks.second() >> 1 & 1;
        default:
            return marks.second() >> 2 & 1;
    }
}

/// Vertices as they are kept: in cells.
Vec3f toCells(Vec3f sample) {
    return {sample.x + 0.5f, sample.y + 0.5f, sample.z + 0.5f};
}

/// Collects the triangles, and of the vertices those that they use.
class Output {
  public:
    Output(const RawSurface& surface, std::vector<std::uint16_t>& numbers, CollisionSurface::Data& data)
        : m_surface(surface), m_numbers(numbers), m_data(data) {
        m_numbers.assign(surface.positions.size(), kUnused);
    }

    void add(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint8_t marks) {
        m_data.triangles.push_back({{number(a), number(b), number(c)}, marks});
    }

  private:
    std::uint16_t number(std::uint32_t vertex) {
        if (m_numbers[vertex] == kUnused) {
            m_numbers[vertex] = static_cast<std::uint16_t>(m_data.vertices.size());
            m_data.vertices.push_back(toCells(m_surface.positions[vertex]));
        }
        return m_numbers[vertex];
    }

    const RawSurface& m_surface;
    std::vector<std::uint16_t>& m_numbers;
    CollisionSurface::Data& m_data;
};

/// Every vertex and every quad.
void writeAll(const RawSurface& surface, std::span<const QuadEdges> marks, CollisionSurface::Data& data) {
    data.vertices.resize(surface.positions.size());
    for (std::size_t i = 0; i < surface.positions.size(); ++i)
        data.vertices[i] = toCells(surface.positions[i]);
    data.triangles.resize(surface.quads.size() * 2);
    CollisionTriangle* out = data.triangles.data();
    for (std::size_t i = 0; i < surface.quads.size(); ++i) {
        const auto& v = surface.quads[i].vertices;
        const auto narrow = [&](std::size_t k) { return static_cast<std::uint16_t>(v[k]); };
        *out++ = {{narrow(0), narrow(1), narrow(2)}, marks[i].first()};
        *out++ = {{narrow(0), narrow(2), narrow(3)}, marks[i].second()};
    }
}

/// A fan from the vertex in the patch's middle to its rim, which is followed in the sense of its quads.
void addFan(const FlatPatch& patch, std::span<const std::uint32_t> quads, const RawSurface& surface,
            std::span<const QuadEdges> marks, Output& out) {
    const auto quadAt = [&](std::uint32_t row, std::uint32_t column) {
        return quads[row * patch.columns + column];
    };
    const std::uint32_t rows = patch.rows, columns = patch.columns;
    const std::uint32_t middle = surface.quads[quadAt(rows / 2, columns / 2)].vertices[0];
    const auto side = [&](std::uint32_t row, std::uint32_t column, std::uint32_t edge) {
        const std::uint32_t quad = quadAt(row, column);
        const auto& v = surface.quads[quad].vertices;
        out.add(v[edge], v[(edge + 1) & 3], middle, edgeMark(marks[quad], edge));
    };
    // A quad's first vertex is at its low corner, its third at the high one. Does the second lie along the
    // columns?
    const auto& first = surface.quads[quads[0]].vertices;
    const auto& next = surface.quads[quadAt(0, 1)].vertices;
    if (first[1] == next[0]) {
        for (std::uint32_t c = 0; c < columns; ++c)
            side(0, c, 0);
        for (std::uint32_t r = 0; r < rows; ++r)
            side(r, columns - 1, 1);
        for (std::uint32_t c = columns; c-- > 0;)
            side(rows - 1, c, 2);
        for (std::uint32_t r = rows; r-- > 0;)
            side(r, 0, 3);
    } else {
        for (std::uint32_t r = 0; r < rows; ++r)
            side(r, 0, 0);
        for (std::uint32_t c = 0; c < columns; ++c)
            side(rows - 1, c, 1);
        for (std::uint32_t r = rows; r-- > 0;)
            side(r, columns - 1, 2);
        for (std::uint32_t c = columns; c-- > 0;)
            side(0, c, 3);
    }
}

}  // namespace

struct CollisionBuilder::Scratch {
    explicit Scratch(const CollisionOptions& options, Allocator& allocator)
        : samples(kMaxFieldSamples, allocator), workspace(false, allocator), edges(options.activeEdgeAngle) {}

    Vector<std::uint8_t> samples;
    SurfaceNetsWorkspace workspace;
    SignRows rows;
    std::vector<PaddedPoint> points;
    EdgeMarker edges;
    PatchFinder patches;
    std::vector<std::uint16_t> numbers;
};

CollisionBuilder::CollisionBuilder(const CollisionOptions& options, Allocator& allocator)
    : m_options(options), m_scratch(std::make_unique<Scratch>(options, allocator)) {}

CollisionBuilder::~CollisionBuilder() = default;

CollisionSurfacePtr CollisionBuilder::build(const voxel::GridSnapshot& grid, voxel::ChunkCoord chunk) {
    if (samplePaddedField(grid, chunk, 0, m_scratch->samples) != FieldContent::Mixed) return nullptr;
    FieldView field;
    field.samples = m_scratch->samples.data();
    return build(field, chunk);
}

CollisionSurfacePtr CollisionBuilder::build(const FieldView& field, voxel::ChunkCoord chunk) {
    KARST_ASSERT(field.size == voxel::kChunkSize && field.padding == kFieldPadding);
    SurfaceNetsOptions options;
    options.normals = NormalMethod::CubeGradient;  // the cheaper one: nobody reads them
    SignRows& rows = m_scratch->rows;
    const Result<RawSurface> extracted = extractSurface(field, options, m_scratch->workspace.buffers(), rows);
    KARST_ASSERT(extracted.ok());
    const RawSurface& surface = *extracted;
    if (surface.quads.empty()) return nullptr;

    pad(surface.positions, m_scratch->points);
    const std::span<const PaddedPoint> points = m_scratch->points;
    const std::span<const QuadEdges> marks = m_scratch->edges.mark(field, rows, surface, points);
    PatchFinder& patches = m_scratch->patches;
    if (m_options.reduceFlats) patches.find(field, surface, points);
    CollisionSurface::Data data;
    data.chunk = chunk;
    if (!m_options.reduceFlats || patches.patches().empty()) {
        writeAll(surface, marks, data);
    } else {
        data.vertices.reserve(surface.positions.size());
        data.triangles.reserve(surface.quads.size() * 2);
        Output out(surface, m_scratch->numbers, data);
        for (std::size_t i = 0; i < surface.quads.size(); ++i) {
            if (patches.inPatch(i)) continue;
            const auto& v = surface.quads[i].vertices;
            out.add(v[0], v[1], v[2], marks[i].first());
            out.add(v[0], v[2], v[3], marks[i].second());
        }
        for (const FlatPatch& patch : patches.patches()) {
            const auto quads =
                patches.patchQuads().subspan(patch.firstQuad, std::size_t{patch.rows} * patch.columns);
            addFan(patch, quads, surface, marks, out);
        }
    }
    return std::make_shared<const CollisionSurface>(std::move(data));
}

}  // namespace karst::voxel_mesh
