# Runs one libFuzzer binary for SECONDS on a scratch copy of its saved corpus (the corpus itself stays as it is).
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH}/corpus)
if(EXISTS ${CORPUS})
    file(COPY ${CORPUS}/ DESTINATION ${SCRATCH}/corpus)
endif()
execute_process(
    COMMAND ${FUZZER} -max_total_time=${SECONDS} -rss_limit_mb=2048 -timeout=20 -print_final_stats=1
            -artifact_prefix=${SCRATCH}/ ${SCRATCH}/corpus
    RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "fuzzer failed with ${code}; the input that did it is in ${SCRATCH}")
endif()
