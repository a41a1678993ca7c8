# Header-only: it takes the flags, the precision and the debug renderer of the Jolt that CMake found, as the host's own code does.
karst_library(physics_jolt HEADER_ONLY
    DEPENDS physics
    THIRD_PARTY_PUBLIC Jolt::Jolt)
if(TARGET karst_physics_jolt_tests)
    # Jolt is built without RTTI unless asked otherwise, and a shape derives from a class of its.
    target_compile_options(karst_physics_jolt_tests PRIVATE -fno-rtti)
endif()
