#include <karst/base/hash.h>
#include <karst/voxel_mesh/obj_writer.h>

#include <algorithm>
#include <unordered_map>

#include "number_text.h"

namespace karst::voxel_mesh {
namespace {

// Two vertices are one where place and normal are the same to the bit. The place is that of the grid, in
// cells, which 64 bits hold exactly.
struct VertexKey {
    Vec3d place;
    Vec3f normal;
    bool operator==(const VertexKey&) const = default;
};
struct VertexKeyHash {
    std::size_t operator()(const VertexKey& key) const {
        std::uint64_t hash = 0;
        for (const double value : {key.place.x, key.place.y, key.place.z})
            hash = mix64(hash ^ bitCast<std::uint64_t>(value + 0.0));
        for (const float value : {key.normal.x, key.normal.y, key.normal.z})
            hash = mix64(hash ^ bitCast<std::uint32_t>(value + 0.0f));
        return static_cast<std::size_t>(hash);
    }
};

std::string materialName(const voxel::MaterialTable& materials, voxel::MaterialId id) {
    std::string name = "m" + std::to_string(id) + "_" + materials[id].name;
    for (char& c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && c != '_' && c != '-' && c != '.') c = '_';
    }
    return name;
}

// The material with the greatest weight on a triangle, of equals the lowest id.
voxel::MaterialId strongest(const SurfaceMesh& mesh, const std::uint32_t* corners) {
    int weights[256] = {};
    for (int i = 0; i < 3; ++i) {
        const SurfaceVertex& vertex = mesh.vertices[corners[i]];
        for (int m = 0; m < 4; ++m)
            weights[vertex.materials[m]] += vertex.weights[m];
    }
    return static_cast<voxel::MaterialId>(std::max_element(weights, weights + 256) - weights);
}

class ObjText {
  public:
    ObjText(const SurfaceExport& surfaces, const ObjOptions& options)
        : m_surfaces(surfaces), m_options(options), m_colors(linearColors(surfaces.materials)) {}

    ObjFiles write();

  private:
    void writeSurface(const PlacedSurface& surface);
    std::uint64_t vertexNumber(const PlacedSurface& surface, const SurfaceVertex& vertex);
    void appendNumbers(std::initializer_list<float> values);

    const SurfaceExport& m_surfaces;
    const ObjOptions& m_options;
    std::array<Vec3f, 256> m_colors;
    ObjFiles m_files;
    std::unordered_map<VertexKey, std::uint64_t, VertexKeyHash> m_numbers;
    std::uint64_t m_count = 0;
    std::array<bool, 256> m_used{};
};

void ObjText::appendNumbers(std::initializer_list<float> values) {
    for (const float value : values) {
        m_files.obj += ' ';
        appendNumber(m_files.obj, value);
    }
}

// Writes the vertex where it is a new one. Numbers begin at 1.
std::uint64_t ObjText::vertexNumber(const PlacedSurface& surface, const SurfaceVertex& vertex) {
    const voxel::CellCoord first = voxel::firstCell(surface.chunk);
    const Vec3d place = Vec3d{double(first.x), double(first.y), double(first.z)} + toDouble(vertex.position);
    if (m_options.weld) {
        const auto [entry, added] = m_numbers.try_emplace({place, vertex.normal}, m_count + 1);
        if (!added) return entry->second;
    }
    const voxel::GridPlacement& placement = m_surfaces.placement;
    const Vec3d world = placement.origin + place * placement.cellSize - m_surfaces.origin;
    const Vec3f color = blendColors(vertex, m_colors);
    m_files.obj += "v";
    for (const double value : {world.x, world.y, world.z}) {
        m_files.obj += ' ';
        appendNumber(m_files.obj, static_cast<float>(value));
    }
    for (const float value : {color.x, color.y, color.z}) {
        // Four digits are more than eight bits tell.
        const float encoded = linearToSrgb(std::clamp(value, 0.0f, 1.0f));
        m_files.obj += ' ';
        appendNumber(m_files.obj, static_cast<float>(static_cast<int>(encoded * 10000 + 0.5f)) / 10000);
    }
    m_files.obj += "\nvn";
    appendNumbers({vertex.normal.x, vertex.normal.y, vertex.normal.z});
    m_files.obj += '\n';
    return ++m_count;
}

void ObjText::writeSurface(const PlacedSurface& surface) {
    const SurfaceMesh& mesh = *surface.mesh;
    std::vector<std::uint64_t> numbers;
    numbers.reserve(mesh.vertices.size());
    for (const SurfaceVertex& vertex : mesh.vertices)
        numbers.push_back(vertexNumber(surface, vertex));

    struct Face {
        voxel::MaterialId material;
        std::uint32_t first;
    };
    std::vector<Face> faces;
    for (std::uint32_t i = 0; i < mesh.indices.size(); i += 3)
        faces.push_back({strongest(mesh, mesh.indices.data() + i), i});
    std::stable_sort(faces.begin(), faces.end(),
                     [](const Face& a, const Face& b) { return a.material < b.material; });

    const voxel::ChunkCoord c = surface.chunk;
    std::string& obj = m_files.obj;
    obj += "g chunk_" + std::to_string(c.x) + "_" + std::to_string(c.y) + "_" + std::to_string(c.z) + "\n";
    for (std::size_t i = 0; i < faces.size(); ++i) {
        if (i == 0 || faces[i].material != faces[i - 1].material) {
            obj += "usemtl " + materialName(m_surfaces.materials, faces[i].material) + "\n";
            m_used[faces[i].material] = true;
        }
        obj += 'f';
        for (std::uint32_t corner = 0; corner < 3; ++corner) {
            const std::string number = std::to_string(numbers[mesh.indices[faces[i].first + corner]]);
            obj += " " + number + "//" + number;
        }
        obj += '\n';
    }
}

ObjFiles ObjText::write() {
    m_files.obj = "# Karst terrain, Y up\nmtllib " + std::string(m_options.materialFile) + "\n";
    for (const PlacedSurface& surface : m_surfaces.surfaces) {
        if (!surface.mesh->empty()) writeSurface(surface);
    }
    for (std::size_t id = 0; id < m_used.size(); ++id) {
        if (!m_used[id]) continue;
        const auto material = static_cast<voxel::MaterialId>(id);
        m_files.mtl += "newmtl " + materialName(m_surfaces.materials, material) + "\nKd";
        for (const std::uint8_t channel : m_surfaces.materials[material].color) {
            m_files.mtl += ' ';
            appendNumber(m_files.mtl, static_cast<float>(channel) / 255.0f);
        }
        m_files.mtl += "\nKs 0 0 0\nillum 1\n";
    }
    return std::move(m_files);
}

}  // namespace

Result<ObjFiles> writeObj(const SurfaceExport& surfaces, const ObjOptions& options) {
    if (options.materialFile.empty() ||
        options.materialFile.find_first_of("\r\n") != std::string_view::npos) {
        return makeError(ErrorCode::InvalidArgument,
                         "obj: the material file's name is empty or has a line break");
    }
    if (auto good = validate(surfaces); !good) return good.error();
    return ObjText(surfaces, options).write();
}

}  // namespace karst::voxel_mesh
