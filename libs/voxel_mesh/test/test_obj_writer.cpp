#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <karst/voxel_mesh/obj_writer.h>

#include <map>
#include <set>
#include <sstream>

#include "export_meshes.h"

namespace karst::voxel_mesh {
namespace {

using test::ExportScene;

struct ObjFile {
    std::vector<std::array<double, 6>> vertices;
    std::vector<std::array<double, 3>> normals;
    std::map<std::string, std::vector<std::array<std::size_t, 3>>> groups;  // faces
    std::set<std::string> used;
    std::string materialFile;
};

ObjFile readObj(const std::string& text) {
    ObjFile out;
    std::istringstream lines(text);
    std::string line, group;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "v") {
            std::array<double, 6> v{};
            for (double& value : v)
                words >> value;
            out.vertices.push_back(v);
        } else if (kind == "vn") {
            std::array<double, 3> n{};
            for (double& value : n)
                words >> value;
            out.normals.push_back(n);
        } else if (kind == "g") {
            words >> group;
        } else if (kind == "usemtl") {
            std::string name;
            words >> name;
            out.used.insert(name);
        } else if (kind == "mtllib") {
            words >> out.materialFile;
        } else if (kind == "f") {
            std::array<std::size_t, 3> face{};
            for (std::size_t& corner : face) {
                std::size_t normal = 0;
                char slash = 0;
                words >> corner >> slash >> slash >> normal;
                EXPECT_EQ(corner, normal);
                EXPECT_GE(corner, 1u);
                EXPECT_LE(corner, out.vertices.size()) << "before its vertex";
            }
            out.groups[group].push_back(face);
        } else {
            EXPECT_TRUE(kind.starts_with('#')) << line;
        }
        EXPECT_FALSE(words.fail()) << line;
    }
    return out;
}

TEST(ObjWriter, WhatWasWrittenReadsBackWelded) {
    const ExportScene scene;
    const auto files = writeObj(scene.all, {.materialFile = "hill.mtl"});
    ASSERT_TRUE(files) << files.error().message;
    const ObjFile obj = readObj(files->obj);
    EXPECT_EQ(obj.materialFile, "hill.mtl");
    EXPECT_EQ(obj.vertices.size(), 33u * 33 * 2 - 33 + 16);
    EXPECT_EQ(obj.normals.size(), obj.vertices.size());
    ASSERT_EQ(obj.groups.size(), 3u);
    EXPECT_EQ(obj.groups.at("chunk_0_0_0").size(), scene.left.indices.size() / 3);
    EXPECT_EQ(obj.groups.at("chunk_-3_1_-40").size(), 18u);

    // The corners of each face, in its group's order by material, are those of the mesh.
    std::multiset<std::vector<float>> written, meant;
    for (const auto& face : obj.groups.at("chunk_1_0_0")) {
        std::vector<float> corners;
        for (const std::size_t corner : face)
            for (std::size_t c = 0; c < 3; ++c)
                corners.push_back(static_cast<float>(obj.vertices[corner - 1][c]));
        written.insert(corners);
    }
    for (std::size_t i = 0; i < scene.right.indices.size(); i += 3) {
        std::vector<float> corners;
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3d p = toDouble(scene.right.vertices[scene.right.indices[i + k]].position);
            corners.push_back(static_cast<float>(1000 + (32 + p.x) * 2.5 - 900));
            corners.push_back(static_cast<float>(50 + p.y * 2.5));
            corners.push_back(static_cast<float>(-7 + p.z * 2.5 - 1));
        }
        meant.insert(corners);
    }
    EXPECT_EQ(written, meant);
    for (const auto& v : obj.vertices)
        for (std::size_t c = 3; c < 6; ++c)
            EXPECT_TRUE(v[c] >= 0 && v[c] <= 1);
}

TEST(ObjWriter, EverySurfaceBringsItsOwnVerticesWithoutWelding) {
    const ExportScene scene;
    const auto files = writeObj(scene.all, {.weld = false});
    ASSERT_TRUE(files);
    EXPECT_EQ(readObj(files->obj).vertices.size(), 33u * 33 * 2 + 16);
}

TEST(ObjWriter, TheMaterialFileHasEveryMaterialThatIsUsed) {
    const ExportScene scene;
    const auto files = writeObj(scene.all);
    ASSERT_TRUE(files);
    std::set<std::string> defined;
    std::istringstream lines(files->mtl);
    std::string word;
    while (lines >> word) {
        if (word != "newmtl") continue;
        lines >> word;
        EXPECT_TRUE(defined.insert(word).second);
    }
    EXPECT_EQ(defined, readObj(files->obj).used);
    EXPECT_TRUE(defined.contains("m2_grass"));
}

TEST(ObjWriter, NamesBecomeSingleWords) {
    ExportScene scene;
    std::vector<voxel::Material> materials{{"air", voxel::MaterialKind::Air, {}}};
    for (const char* name : {"a b", "two words\n", "c", "four", "e", "six"})
        materials.push_back({name, voxel::MaterialKind::Solid, {}});
    scene.all.materials = voxel::MaterialTable::create(materials).value();
    const auto files = writeObj(scene.all);
    ASSERT_TRUE(files);
    EXPECT_TRUE(readObj(files->obj).used.contains("m2_two_words_"));
}

TEST(ObjWriter, ErrorsAreClear) {
    ExportScene scene;
    EXPECT_FALSE(writeObj(scene.all, {.materialFile = ""}));
    EXPECT_FALSE(writeObj(scene.all, {.materialFile = "a\nb"}));
    scene.far.indices[0] = 999;
    EXPECT_FALSE(writeObj(scene.all));
}

}  // namespace
}  // namespace karst::voxel_mesh
