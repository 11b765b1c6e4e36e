# What `cmake --install` brings besides programs, libraries and what src/man makes: pages, configurations with the data
# that they name (relative to each other as in the tree), batch scripts, the environment module.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program
  PATTERN packaging EXCLUDE PATTERN "*.csv" EXCLUDE)
install(DIRECTORY configs data DESTINATION "${CMAKE_INSTALL_DATADIR}/dpsvm" COMPONENT program
  PATTERN "*.sh" EXCLUDE)

set(module_folder "${CMAKE_INSTALL_DATADIR}/modulefiles/dpsvm")
file(RELATIVE_PATH up "/${module_folder}" "/")
configure_file(docs/packaging/modulefile.in modulefile @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/modulefile" RENAME "${PROJECT_VERSION}" DESTINATION "${module_folder}"
  COMPONENT module)
