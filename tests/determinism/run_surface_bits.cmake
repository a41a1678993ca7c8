# Builds surface_bits.cpp with COMPILER at LEVEL, with the flags of the libraries, and runs it.
set(mesh ${SOURCE}/libs/voxel_mesh)
set(base ${SOURCE}/libs/base)
set(flags -std=c++20 ${LEVEL} -DNDEBUG -ffp-contract=off)
if(COMPILER MATCHES "/g\\+\\+[^/]*$")
    list(APPEND flags -fno-tree-slp-vectorize -Wno-psabi)
endif()
set(sources ${SOURCE}/tests/determinism/surface_bits.cpp)
foreach(name cube_sheets cube_vertices material_kernels material_sets sign_rows split_cubes surface_nets
        surface_vertex_writer)
    list(APPEND sources ${mesh}/src/${name}.cpp)
endforeach()
foreach(name allocator assert hash result)
    list(APPEND sources ${base}/src/${name}.cpp)
endforeach()
execute_process(
    COMMAND ${COMPILER} ${flags} -I${mesh}/include -I${mesh}/test -I${SOURCE}/libs/voxel/include -I${base}/include
            -I${SOURCE}/tests/support/include ${sources} -o ${PROGRAM}
    RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "${COMPILER} ${LEVEL} does not build")
endif()
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE code OUTPUT_VARIABLE hash)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "${COMPILER} ${LEVEL} gives other bits: ${hash}")
endif()
