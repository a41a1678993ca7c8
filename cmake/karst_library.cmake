# karst_library(<part>
#     [HEADER_ONLY]              no sources: an INTERFACE library, compiled with its user's flags
#     [CORE]                     no exceptions, no RTTI; the part becomes a member of karst::karst
#     [SOURCES file...]          relative to the part's folder
#     [DEPENDS part...]          parts whose headers this one may include; the only way to see them
#     [THIRD_PARTY target...]    libraries that this part's sources may use; never visible to its users
#     [THIRD_PARTY_PUBLIC target...]  libraries whose headers appear in this leaf part's public headers
#     [TEST_LABEL fast|gpu]      label of its tests (default fast); suites named *Slow* get the label slow
#     [TEST_DEPENDS target...]   extra libraries of its tests)
#
# makes from libs/<part>/: the library karst_<part> (alias karst::<part>), a check that each public header
# compiles alone, one gtest binary from test/test_*.cpp, and one fuzzer from each fuzz/fuzz_*.cpp.

function(karst_compile_options target)
    cmake_parse_arguments(ARG "CORE" "" "" ${ARGN})
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_compile_options(${target} PRIVATE
        -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wundef -Wnon-virtual-dtor -Wcast-align
        -ffp-contract=off)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # ABI remarks about passing structs are not about this code, and -Wrestrict is wrong about "literal" + string. GCC 12's basic-block
        # vectoriser drops the rounding of double -> float -> double, so the same input would give other bits.
        target_compile_options(${target} PRIVATE -Wno-psabi -Wno-restrict -fno-tree-slp-vectorize)
    endif()
    if(KARST_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(ARG_CORE)
        target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti)
    endif()
    if(KARST_SANITIZE)
        target_compile_options(${target} PRIVATE -fsanitize=${KARST_SANITIZE} -fno-omit-frame-pointer)
        target_link_options(${target} PRIVATE -fsanitize=${KARST_SANITIZE})
        if(NOT KARST_SANITIZE STREQUAL "thread")
            target_compile_options(${target} PRIVATE -fno-sanitize-recover=all -fno-sanitize=vptr)
        endif()
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            # The sanitizers' own code hides initialisations from GCC's flow analysis: what it says then is not true.
            target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
        endif()
    endif()
    if(KARST_FUZZ)
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
    if(KARST_ASSERTS)
        target_compile_definitions(${target} PUBLIC KARST_ENABLE_ASSERTS=1)
    endif()
endfunction()

# One gtest binary; suites whose name holds "Slow" are labelled slow, all others `label`.
function(karst_test target label)
    if(KARST_SANITIZE AND label STREQUAL "fast")
        set(timeout 300)
    else()
        set(timeout 120)
    endif()
    gtest_discover_tests(${target} TEST_FILTER "-*Slow*" DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS ${label} TIMEOUT ${timeout})
    gtest_discover_tests(${target} TEST_FILTER "*Slow*" DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS slow TIMEOUT 600 TEST_LIST ${target}_slow_TESTS)
endfunction()

function(karst_library part)
    cmake_parse_arguments(ARG "CORE;HEADER_ONLY" "TEST_LABEL" "SOURCES;DEPENDS;THIRD_PARTY;THIRD_PARTY_PUBLIC;TEST_DEPENDS" ${ARGN})
    if(ARG_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "karst_library(${part}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    set(target karst_${part})
    set(dir ${PROJECT_SOURCE_DIR}/libs/${part})
    set(core "")
    if(ARG_CORE)
        set(core CORE)
    endif()

    file(GLOB headers CONFIGURE_DEPENDS ${dir}/include/karst/${part}/*.h)
    if(ARG_HEADER_ONLY)
        set(scope INTERFACE)
        add_library(${target} INTERFACE)
        target_compile_features(${target} INTERFACE cxx_std_20)
    else()
        set(scope PUBLIC)
        add_library(${target} STATIC)
        list(TRANSFORM ARG_SOURCES PREPEND ${dir}/)
        target_sources(${target} PRIVATE ${ARG_SOURCES})
        target_link_libraries(${target} PRIVATE ${ARG_THIRD_PARTY})
        karst_compile_options(${target} ${core})
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    add_library(karst::${part} ALIAS ${target})
    target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${dir}/include FILES ${headers})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${part})
    foreach(dep IN LISTS ARG_DEPENDS)
        target_link_libraries(${target} ${scope} karst_${dep})
    endforeach()
    target_link_libraries(${target} ${scope} ${ARG_THIRD_PARTY_PUBLIC})
    if(ARG_CORE)
        set_property(GLOBAL APPEND PROPERTY KARST_CORE_PARTS ${target})
    endif()
    set_property(GLOBAL APPEND PROPERTY KARST_PARTS ${target})

    # Every public header compiles alone, with the part's own flags.
    set(checks "")
    foreach(header IN LISTS headers)
        get_filename_component(stem ${header} NAME_WE)
        set(check ${PROJECT_BINARY_DIR}/header_check/${part}/${stem}.cpp)
        set(text "#include <karst/${part}/${stem}.h>  // IWYU pragma: keep\n")
        file(GENERATE OUTPUT ${check} CONTENT "${text}")
        list(APPEND checks ${check})
    endforeach()
    if(KARST_BUILD_TESTS AND checks)
        add_library(${target}_headers OBJECT ${checks})
        target_link_libraries(${target}_headers PRIVATE ${target})
        karst_compile_options(${target}_headers ${core})
    endif()

    file(GLOB tests CONFIGURE_DEPENDS ${dir}/test/test_*.cpp)
    if(KARST_BUILD_TESTS AND tests)
        add_executable(${target}_tests ${tests})
        target_link_libraries(${target}_tests PRIVATE ${target} karst_test_support ${ARG_TEST_DEPENDS}
            GTest::gmock GTest::gtest_main)
        target_include_directories(${target}_tests PRIVATE ${dir}/src)
        karst_compile_options(${target}_tests)
        if(NOT ARG_TEST_LABEL)
            set(ARG_TEST_LABEL fast)
        endif()
        karst_test(${target}_tests ${ARG_TEST_LABEL})
    endif()

    if(KARST_FUZZ)
        file(GLOB fuzzers CONFIGURE_DEPENDS ${dir}/fuzz/fuzz_*.cpp)
        foreach(source IN LISTS fuzzers)
            get_filename_component(name ${source} NAME_WE)
            add_executable(${name} ${source})
            target_link_libraries(${name} PRIVATE ${target})
            target_include_directories(${name} PRIVATE ${dir}/src ${PROJECT_SOURCE_DIR}/tests/support/include)
            karst_compile_options(${name})
            target_link_options(${name} PRIVATE -fsanitize=fuzzer)
            add_test(NAME ${name} COMMAND ${CMAKE_COMMAND}
                -DFUZZER=$<TARGET_FILE:${name}> -DCORPUS=${dir}/fuzz/corpus/${name}
                -DSECONDS=${KARST_FUZZ_SECONDS} -DSCRATCH=${PROJECT_BINARY_DIR}/fuzz_scratch/${name}
                -P ${PROJECT_SOURCE_DIR}/cmake/run_fuzzer.cmake)
            set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 600)
        endforeach()
    endif()
endfunction()

# One Google Benchmark binary bench_<what> from bench/bench_<what>.cpp.
function(karst_bench what)
    add_executable(bench_${what} ${PROJECT_SOURCE_DIR}/bench/bench_${what}.cpp)
    target_link_libraries(bench_${what} PRIVATE ${ARGN} benchmark::benchmark benchmark::benchmark_main)
    karst_compile_options(bench_${what})
    if(NOT TARGET benchmarks)
        add_custom_target(benchmarks)
    endif()
    add_dependencies(benchmarks bench_${what})
endfunction()

# karst_example(<name> LIBRARIES target... [ARGUMENTS argument...] [SERVED dem]): one example program, which is also a ctest
# case (its exit code is the verdict). With SERVED it runs on the URL at which `karst serve` serves a package built of a DEM.
function(karst_example name)
    cmake_parse_arguments(ARG "" "SERVED" "LIBRARIES;ARGUMENTS" ${ARGN})
    add_executable(example_${name} ${PROJECT_SOURCE_DIR}/examples/${name}.cpp)
    target_link_libraries(example_${name} PRIVATE ${ARG_LIBRARIES})
    karst_compile_options(example_${name})
    if(NOT KARST_BUILD_TESTS)
        return()
    endif()
    if(NOT ARG_SERVED)
        add_test(NAME example_${name} COMMAND example_${name} ${ARG_ARGUMENTS})
    elseif(TARGET karst)
        add_test(NAME example_${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/support/run_served.sh
            $<TARGET_FILE:karst> ${ARG_SERVED} $<TARGET_FILE:example_${name}>)
    else()
        return()
    endif()
    set_tests_properties(example_${name} PROPERTIES LABELS fast TIMEOUT 60)
endfunction()
