# `make package`: one .deb with the program, its completion and the library for developers.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vbo)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The vbo maintainers <vbo@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "High-throughput Bayesian optimization")
set(CPACK_PACKAGE_DESCRIPTION
    "Finds good inputs for slow programs: evaluates many at a time, learns from every result, and
never loses one. With the program come the C++ library and its headers.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # the libraries the program links, by dpkg-shlibdeps
set(CPACK_STRIP_FILES ON)
include(CPack)
