# What `cmake --install` leaves: headers, one static library, a CMake package (find_package(vbo CONFIG),
# target vbo::vbo) and a pkg-config file. cli/ adds the program. Everything may be moved as a whole.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/vbo)

install(TARGETS vbo EXPORT vboTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${vbo_SOURCE_DIR}/include/vbo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
install(FILES ${vbo_BINARY_DIR}/generated/vbo/version.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vbo)
install(EXPORT vboTargets NAMESPACE vbo:: DESTINATION ${package_folder})

configure_package_config_file(${vbo_SOURCE_DIR}/cmake/vboConfig.cmake.in
                              ${vbo_BINARY_DIR}/vboConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
# While 0.x a minor version may change the interface.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(VBO_COMPATIBILITY SameMinorVersion)
else()
  set(VBO_COMPATIBILITY SameMajorVersion)
endif()
write_basic_package_version_file(${vbo_BINARY_DIR}/vboConfigVersion.cmake
                                 COMPATIBILITY ${VBO_COMPATIBILITY})
install(FILES ${vbo_BINARY_DIR}/vboConfig.cmake ${vbo_BINARY_DIR}/vboConfigVersion.cmake
        DESTINATION ${package_folder})

# The way from the pkg-config file back to the prefix, so that the folder can be moved.
file(RELATIVE_PATH VBO_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(VBO_PC_REQUIRES "nlopt")
if(VBO_HAVE_SQLITE)
  string(APPEND VBO_PC_REQUIRES ", sqlite3")
endif()
if(VBO_HAVE_POSTGRES)
  set(VBO_PC_LIBS " -lpq") # not by Requires: for --static that would ask for all that libpq is made of
endif()
configure_file(${vbo_SOURCE_DIR}/cmake/vbo.pc.in ${vbo_BINARY_DIR}/vbo.pc @ONLY)
install(FILES ${vbo_BINARY_DIR}/vbo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
