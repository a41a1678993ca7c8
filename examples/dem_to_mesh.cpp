// A DEM as one mesh in one draw, and its height under the camera: the program in the README.
#include <karst/heightfield_mesh/node_mesh.h>
#include <karst/import/import_raster.h>

#include <cstdio>
#include <vector>

using namespace karst;

int main(int count, char** arguments) {
    auto dem = importer::importRaster(count > 1 ? arguments[1] : "mountain.tif");
    if (!dem) return std::puts(dem.error().message.c_str()), 1;
    const Vec3d camera{900, 400, 600};  // metres east, up and south of the first sample
    auto mesh = heightfield::NodeMesh::create(dem->raster, {}, heightfield::VertexLayout::compact());
    std::vector<uint32_t> vertices(mesh->vertexWords()), indices(mesh->pool().indexCapacity());
    auto update = mesh->update(dem->raster, camera, vertices, indices);  // every frame: writes what changed
    std::printf("%u nodes, one draw of %u indices\n", update->nodeCount, mesh->pool().indexCount());
    std::printf("ground below the camera: %g m\n", dem->raster.heightAt(camera.x, camera.z).value_or(0));
}
