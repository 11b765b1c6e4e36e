# Packages by CPack, from a build with -DCMAKE_INSTALL_PREFIX=/usr: `cpack -G DEB` makes .deb files of the same names as the
# recipe docs/packaging/debian, which is the one that follows Debian's policy; `cpack -G TGZ` an archive of all.
set(CPACK_PACKAGE_VENDOR "the dpsvm developers")
set(CPACK_PACKAGE_CONTACT "the dpsvm developers <dpsvm@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "kernel classifiers at the cost of linear ones")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "dpsvm-${PROJECT_VERSION}")
set(CPACK_SOURCE_IGNORE_FILES "${PROJECT_SOURCE_DIR}/build/" "/\\\\.git/" "/\\\\.git$")

get_cmake_property(CPACK_COMPONENTS_ALL COMPONENTS)
list(REMOVE_ITEM CPACK_COMPONENTS_ALL module) # of no use below /usr
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME dpsvm)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libopenblas0 | libblas3") # bench loads one, if there is one
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libdpsvm0) # both libraries
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdpsvm-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-dpsvm)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3-numpy, python3-sklearn")
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_COMPONENT_PYTHON_DEPENDS library)
include(CPack)
