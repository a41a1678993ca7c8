# Installs the parts without third-party code, for find_package(karst) and target_link_libraries(... karst::karst).
# Component karst_development; CMakeLists.txt includes this after the last part.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/karst)
install(TARGETS ${core_parts} EXPORT karstTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT karst_development
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT karst_development)
install(TARGETS karst_karst EXPORT karstTargets COMPONENT karst_development)
install(EXPORT karstTargets NAMESPACE karst:: DESTINATION ${package_dir} COMPONENT karst_development)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/karstConfig.cmake.in
    ${PROJECT_BINARY_DIR}/karstConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break what was.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/karstConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/karstConfig.cmake ${PROJECT_BINARY_DIR}/karstConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT karst_development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT karst_development)
