find_package(Vulkan REQUIRED)  # headers only: this part calls through the host's vkGetDeviceProcAddr
include(karst_shaders)
karst_library(render
    SOURCES
        src/byte_ranges.cpp
        src/compute_pipeline.cpp
        src/descriptor_set.cpp
        src/device_functions.cpp
        src/draw_ranges.cpp
        src/geometry_heap.cpp
        src/gpu_buffer.cpp
        src/gpu_image.cpp
        src/gpu_memory.cpp
        src/gpu_scene.cpp
        src/gpu_timer.cpp
        src/ground_shading.cpp
        src/mesh_pass.cpp
        src/node_mesh_buffers.cpp
        src/node_mesh_writer.cpp
        src/node_write_tables.cpp
        src/noise_volume.cpp
        src/pass_pipeline.cpp
        src/range_allocator.cpp
        src/render_view.cpp
        src/retired.cpp
        src/scene_uniforms.cpp
        src/shader_code.cpp
        src/shadow_maps.cpp
        src/shadow_views.cpp
        src/sky_pass.cpp
        src/terrain_pass.cpp
        src/tile_cull.cpp
        src/tile_pass.cpp
        src/tile_pool.cpp
        src/tile_terrain.cpp
        src/tile_terrain_record.cpp
        src/upload_ring.cpp
        src/voxel_draws.cpp
        src/voxel_material.cpp
        src/voxel_pass.cpp
        src/voxel_pipeline.cpp
        src/voxel_pool.cpp
        src/voxel_uploads.cpp
        src/voxel_vertex.cpp
        src/water_ground.cpp
        src/water_pass.cpp
    DEPENDS heightfield_mesh voxel_mesh
    THIRD_PARTY_PUBLIC Vulkan::Headers
    TEST_LABEL gpu
    TEST_DEPENDS karst_golden)
target_compile_definitions(karst_render PRIVATE VK_NO_PROTOTYPES)
# Vulkan's structs are filled after {sType}: the rest is meant to be zero.
target_compile_options(karst_render PRIVATE -Wno-missing-field-initializers)
karst_shaders(karst_render ${PROJECT_SOURCE_DIR}/libs/render/shaders
    mesh.vert.glsl
    mesh.frag.glsl
    mesh_gbuffer.frag.glsl
    node_indices.comp.glsl
    node_vertices.comp.glsl
    overdraw.frag.glsl
    sky.vert.glsl
    sky.frag.glsl
    terrain.vert.glsl
    terrain.frag.glsl
    terrain_gbuffer.frag.glsl
    tile.vert.glsl
    tile.frag.glsl
    tile_depth.vert.glsl
    tile_gaps_depth.frag.glsl
    tile_gaps_overdraw.frag.glsl
    tile_gaps_wireframe.frag.glsl
    tile_gbuffer.frag.glsl
    tile_shade.comp.glsl
    tile_visibility.frag.glsl
    voxel.vert.glsl
    voxel.frag.glsl
    voxel_gbuffer.frag.glsl
    voxel_shade.comp.glsl
    voxel_visibility.vert.glsl
    voxel_visibility.frag.glsl
    voxel_wireframe.frag.glsl
    water.vert.glsl
    water.frag.glsl
    water_gbuffer.frag.glsl
    water_ground.frag.glsl
    water_wireframe.frag.glsl
    wireframe.frag.glsl)
if(KARST_BUILD_TESTS)
    karst_shaders(karst_render_tests ${PROJECT_SOURCE_DIR}/libs/render/test tile_probe.comp.glsl)
    target_compile_options(karst_render_tests PRIVATE -Wno-missing-field-initializers)
endif()
