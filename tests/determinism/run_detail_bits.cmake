# Builds detail_bits.cpp with COMPILER at LEVEL, with the flags of the libraries, and runs it.
set(heightfield ${SOURCE}/libs/heightfield)
set(base ${SOURCE}/libs/base)
set(flags -std=c++20 ${LEVEL} -DNDEBUG -ffp-contract=off)
if(COMPILER MATCHES "/g\\+\\+[^/]*$")
    list(APPEND flags -fno-tree-slp-vectorize)
endif()
set(sources ${SOURCE}/tests/determinism/detail_bits.cpp)
foreach(name crater detail_bounds detail_errors detail_noise detail_patch height_tile terrain_material tile_detail
        tile_layout)
    list(APPEND sources ${heightfield}/src/${name}.cpp)
endforeach()
foreach(name allocator assert hash job_system page_heap result)
    list(APPEND sources ${base}/src/${name}.cpp)
endforeach()
execute_process(
    COMMAND ${COMPILER} ${flags} -I${heightfield}/include -I${heightfield}/test -I${base}/include
            -I${SOURCE}/tests/support/include ${sources} -o ${PROGRAM}
    RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "${COMPILER} ${LEVEL} does not build")
endif()
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE code OUTPUT_VARIABLE hash)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "${COMPILER} ${LEVEL} gives other bits: ${hash}")
endif()
