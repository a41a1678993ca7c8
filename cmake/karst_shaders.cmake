# karst_shaders(<target> <folder> <shader>...)
#
# Compiles each <folder>/<pass>.<stage>.glsl with glslc for Vulkan 1.3, checks it with spirv-val where that is
# installed, and adds a generated C++ source to the target that defines, in karst::render, one
#     extern const std::uint32_t k<Pass><Stage>[];  extern const std::size_t k<Pass><Stage>Bytes;
# per shader, as declared by the generated header <embedded_shaders.h>.
#
# As a script (cmake -DOUT=... -DHEADER=... -DSPIRV=a.spv,b.spv -P karst_shaders.cmake) it writes those two files.

if(CMAKE_SCRIPT_MODE_FILE)
    set(source "#include \"embedded_shaders.h\"\n\nnamespace karst::render {\n")
    set(declarations "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n\nnamespace karst::render {\n")
    string(REPLACE "," ";" modules "${SPIRV}")
    foreach(module IN LISTS modules)
        get_filename_component(name ${module} NAME)
        string(REGEX MATCH "^([a-z_]+)\\.([a-z]+)" whole ${name})
        set(symbol "k")
        string(REPLACE "_" ";" words "${CMAKE_MATCH_1};${CMAKE_MATCH_2}")
        foreach(word IN LISTS words)
            string(SUBSTRING ${word} 0 1 first)
            string(SUBSTRING ${word} 1 -1 rest)
            string(TOUPPER ${first} first)
            string(APPEND symbol "${first}${rest}")
        endforeach()
        file(READ ${module} hex HEX)
        # SPIR-V words are little-endian in the file.
        string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${hex}")
        string(REGEX REPLACE "(0x........,0x........,0x........,0x........,0x........,0x........,0x........,0x........,)"
            "\\1\n" words "${words}")
        string(APPEND source "const std::uint32_t ${symbol}[] = {\n${words}};\n"
            "const std::size_t ${symbol}Bytes = sizeof(${symbol});\n")
        string(APPEND declarations
            "extern const std::uint32_t ${symbol}[];\nextern const std::size_t ${symbol}Bytes;\n")
    endforeach()
    file(WRITE ${OUT} "${source}}  // namespace karst::render\n")
    file(WRITE ${HEADER} "${declarations}}  // namespace karst::render\n")
    return()
endif()

set(KARST_SHADERS_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(karst_shaders target folder)
    find_program(KARST_GLSLC glslc)
    if(NOT KARST_GLSLC)
        message(FATAL_ERROR "The part render needs glslc to compile its shaders (Debian: glslc). "
            "Install it, or configure with -DKARST_BUILD_RENDER=OFF.")
    endif()
    find_program(KARST_SPIRV_VAL spirv-val)
    set(out ${PROJECT_BINARY_DIR}/shaders/${target})
    file(MAKE_DIRECTORY ${out})
    set(modules "")
    foreach(shader IN LISTS ARGN)
        string(REGEX REPLACE "^.*\\.([a-z]+)\\.glsl$" "\\1" stage ${shader})
        set(module ${out}/${shader}.spv)
        set(check "")
        if(KARST_SPIRV_VAL)
            set(check COMMAND ${KARST_SPIRV_VAL} --target-env vulkan1.3 ${module})
        endif()
        # SPIR-V 1.5: from 1.6 on the size of a workgroup may need the feature maintenance4.
        add_custom_command(OUTPUT ${module}
            COMMAND ${KARST_GLSLC} -fshader-stage=${stage} --target-env=vulkan1.3 --target-spv=spv1.5 -O -Werror
                    -MD -MF ${module}.d -o ${module} ${folder}/${shader}
            ${check}
            DEPENDS ${folder}/${shader} DEPFILE ${module}.d
            COMMENT "Compiling shader ${shader}" VERBATIM)
        list(APPEND modules ${module})
    endforeach()
    string(REPLACE ";" "," joined "${modules}")
    set(source ${out}/embedded_shaders.cpp)
    set(header ${out}/embedded_shaders.h)
    add_custom_command(OUTPUT ${source} ${header}
        COMMAND ${CMAKE_COMMAND} -DOUT=${source} -DHEADER=${header} -DSPIRV=${joined} -P ${KARST_SHADERS_SCRIPT}
        DEPENDS ${modules} ${KARST_SHADERS_SCRIPT}
        COMMENT "Embedding the shaders of ${target}" VERBATIM)
    target_sources(${target} PRIVATE ${source} ${header})
    target_include_directories(${target} PRIVATE ${out})
endfunction()
