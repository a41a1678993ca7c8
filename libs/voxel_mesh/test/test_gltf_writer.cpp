#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/base/byte_reader.h>
#include <karst/voxel_mesh/gltf_writer.h>

#include <algorithm>
#include <cmath>

#include "export_meshes.h"
#include "json_value.h"

namespace karst::voxel_mesh {
namespace {

using test::ExportScene;
using test::JsonReader;
using test::JsonValue;

// The two parts of a .glb, taken apart by the rules of the format.
struct Glb {
    JsonValue json;
    std::vector<std::byte> binary;
};

Glb takeApart(const std::vector<std::byte>& file) {
    Glb glb;
    ByteReader reader(file);
    EXPECT_EQ(reader.u32(), 0x46546C67u);
    EXPECT_EQ(reader.u32(), 2u);
    EXPECT_EQ(reader.u32(), file.size());
    const std::uint32_t jsonBytes = reader.u32();
    EXPECT_EQ(jsonBytes % 4, 0u);
    EXPECT_EQ(reader.u32(), 0x4E4F534Au);
    const auto text = reader.bytes(jsonBytes);
    JsonReader json(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
    glb.json = json.read();
    EXPECT_TRUE(json.good);
    if (reader.remaining() > 0) {
        const std::uint32_t binaryBytes = reader.u32();
        EXPECT_EQ(binaryBytes % 4, 0u);
        EXPECT_EQ(reader.u32(), 0x004E4942u);
        const auto binary = reader.bytes(binaryBytes);
        glb.binary.assign(binary.begin(), binary.end());
    }
    EXPECT_FALSE(reader.failed());
    EXPECT_EQ(reader.remaining(), 0u);
    return glb;
}

// The numbers of an accessor, after checking that it lies in its view, aligned.
std::vector<double> numbersOf(const Glb& glb, std::size_t index) {
    const JsonValue& accessor = glb.json["accessors"][index];
    const JsonValue& view = glb.json["bufferViews"][accessor["bufferView"].index()];
    const std::size_t type = accessor["componentType"].index();
    const std::size_t bytes = type == 5123 ? 2 : 4;
    const std::size_t components =
        accessor["type"].text == "VEC3" ? 3 : (accessor["type"].text == "VEC4" ? 4 : 1);
    const std::size_t stride = view.has("byteStride") ? view["byteStride"].index() : bytes * components;
    const std::size_t count = accessor["count"].index(), offset = accessor["byteOffset"].index();
    EXPECT_GT(count, 0u);
    EXPECT_EQ(stride % 4, 0u);
    EXPECT_EQ(offset % 4, 0u);
    EXPECT_EQ(view["byteOffset"].index() % 4, 0u);
    EXPECT_LE(offset + stride * (count - 1) + bytes * components, view["byteLength"].index());
    EXPECT_LE(view["byteOffset"].index() + view["byteLength"].index(), glb.binary.size());
    std::vector<double> numbers;
    for (std::size_t i = 0; i < count; ++i) {
        ByteReader reader(std::span(glb.binary).subspan(view["byteOffset"].index() + offset + i * stride));
        for (std::size_t c = 0; c < components; ++c) {
            const double whole = type == 5126 ? 0 : (type == 5123 ? reader.u16() : reader.u32());
            numbers.push_back(type == 5126 ? static_cast<double>(reader.f32()) : whole);
        }
    }
    return numbers;
}

TEST(GltfWriter, WhatWasWrittenReadsBack) {
    const ExportScene scene;
    const auto file = writeGlb(scene.all);
    ASSERT_TRUE(file) << file.error().message;
    const Glb glb = takeApart(*file);
    const JsonValue& json = glb.json;
    EXPECT_EQ(json["asset"]["version"].text, "2.0");
    EXPECT_EQ(json["buffers"][0]["byteLength"].index(), glb.binary.size());
    ASSERT_EQ(json["nodes"].size(), 3u) << "the empty surface makes no node";
    ASSERT_EQ(json["scenes"][0]["nodes"].size(), 3u);
    EXPECT_EQ(json["bufferViews"][0]["target"].index(), 34962u);
    EXPECT_EQ(json["bufferViews"][1]["target"].index(), 34963u);
    const auto colors = linearColors(scene.all.materials);

    const std::size_t kept[] = {0, 1, 3};
    for (std::size_t n = 0; n < 3; ++n) {
        const PlacedSurface& surface = scene.surfaces[kept[n]];
        const SurfaceMesh& mesh = *surface.mesh;
        const JsonValue& node = json["nodes"][n];
        const WorldPosition corner =
            scene.all.placement.cellCorner(voxel::firstCell(surface.chunk)) - scene.all.origin;
        EXPECT_EQ(node["translation"][0].number, corner.x);
        EXPECT_EQ(node["translation"][1].number, corner.y);
        EXPECT_EQ(node["translation"][2].number, corner.z);
        const JsonValue& primitive = json["meshes"][node["mesh"].index()]["primitives"][0];
        EXPECT_LT(primitive["material"].index(), json["materials"].size());
        const JsonValue& attributes = primitive["attributes"];
        const auto positions = numbersOf(glb, attributes["POSITION"].index());
        const auto normals = numbersOf(glb, attributes["NORMAL"].index());
        const auto vertexColors = numbersOf(glb, attributes["COLOR_0"].index());
        const auto indices = numbersOf(glb, primitive["indices"].index());
        ASSERT_EQ(positions.size(), mesh.vertices.size() * 3);
        ASSERT_EQ(normals.size(), positions.size());
        ASSERT_EQ(vertexColors.size(), mesh.vertices.size() * 4);
        EXPECT_TRUE(std::equal(indices.begin(), indices.end(), mesh.indices.begin(), mesh.indices.end()));
        double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
        for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
            const SurfaceVertex& vertex = mesh.vertices[i];
            EXPECT_EQ(positions[3 * i], vertex.position.x * 2.5f);
            EXPECT_EQ(positions[3 * i + 2], vertex.position.z * 2.5f);
            EXPECT_EQ(normals[3 * i + 1], vertex.normal.y);
            const Vec3f color = blendColors(vertex, colors);
            EXPECT_NEAR(vertexColors[4 * i] / 65535, color.x, 1e-5);
            EXPECT_NEAR(vertexColors[4 * i + 2] / 65535, color.z, 1e-5);
            EXPECT_EQ(vertexColors[4 * i + 3], 65535);
            for (std::size_t c = 0; c < 3; ++c) {
                low[c] = std::min(low[c], positions[3 * i + c]);
                high[c] = std::max(high[c], positions[3 * i + c]);
            }
        }
        const JsonValue& accessor = json["accessors"][attributes["POSITION"].index()];
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(accessor["min"][c].number, low[c]);
            EXPECT_EQ(accessor["max"][c].number, high[c]);
        }
    }
}

TEST(GltfWriter, NothingMakesAnEmptyScene) {
    const auto file = writeGlb({});
    ASSERT_TRUE(file);
    const Glb glb = takeApart(*file);
    EXPECT_TRUE(glb.binary.empty());
    EXPECT_FALSE(glb.json.has("nodes"));
    EXPECT_FALSE(glb.json.has("buffers"));
    EXPECT_EQ(glb.json["scenes"].size(), 1u);
}

TEST(GltfWriter, RefusesWhatValidateRefuses) {
    ExportScene scene;
    scene.far.vertices[0].normal = {2, 0, 0};
    EXPECT_FALSE(writeGlb(scene.all));
}

}  // namespace
}  // namespace karst::voxel_mesh
