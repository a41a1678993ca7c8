# WAY installed: installs the build in BUILD to WORK/prefix, then builds and runs consumer/ against it.
# WAY subproject: builds and runs consumer/ with the checkout SOURCE as its subproject.
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT code EQUAL 0)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "${command}\nfailed with ${code}:\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(options -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
if(WAY STREQUAL "installed")
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component karst_development)
    list(APPEND options -DCMAKE_PREFIX_PATH=${WORK}/prefix)
    # Nothing of the checkout may be needed.
    file(GLOB_RECURSE files ${WORK}/prefix/*.cmake)
    foreach(file IN LISTS files)
        file(READ ${file} text)
        string(FIND "${text}" "${SOURCE}" at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${file} names the checkout ${SOURCE}")
        endif()
    endforeach()
else()
    # The parts without third-party code must not even look for anything else's.
    list(APPEND options -DFETCHCONTENT_SOURCE_DIR_KARST=${SOURCE} -DCMAKE_DISABLE_FIND_PACKAGE_GDAL=ON
        -DCMAKE_DISABLE_FIND_PACKAGE_Vulkan=ON -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON
        -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON)
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/consumer -B ${WORK}/build ${options} -DWAY=${WAY})
run(${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
run(${WORK}/build/consumer)
