# libdpsvm-score and libdpsvm (include/dpsvm), each shared and static: cc program.c $(pkg-config --cflags --libs dpsvm)
# or find_package(dpsvm COMPONENTS score). Nothing is seen of them but dpsvm_*: rooms are compiled with hidden
# visibility, and in the static ones all objects are linked to one whose hidden names are made local.
include(GNUInstallDirs)

# dps_library(target name sources...): the shared library.
function(dps_shared target name)
  add_library(${target} SHARED ${ARGN})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}" C_VISIBILITY_PRESET hidden)
  install(TARGETS ${target} LIBRARY COMPONENT library NAMELINK_COMPONENT development)
endfunction()

# The static one: objects, and what they call of archives (generator expressions). `shared`, of the same objects, says when
# to make it anew: make knows no rule for objects of another folder.
function(dps_static target name shared objects archives)
  set(whole "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  set(archive "${CMAKE_BINARY_DIR}/lib${name}.a")
  set(plain "")
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_FLAGS MATCHES "-flto")
    set(plain -flinker-output=nolto-rel)
  endif()
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_C_FLAGS}")
  add_custom_command(OUTPUT "${archive}"
    COMMAND ${CMAKE_C_COMPILER} ${flags} -r -nostdlib ${plain} -o "${whole}" "${objects}" -Wl,--start-group "${archives}" -Wl,--end-group
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden "${whole}"
    COMMAND ${CMAKE_COMMAND} -E rm -f "${archive}"
    COMMAND ${CMAKE_AR} rcs "${archive}" "${whole}"
    DEPENDS ${shared} COMMAND_EXPAND_LISTS VERBATIM COMMENT "lib${name}.a")
  add_custom_target(${target} ALL DEPENDS "${archive}")
  add_dependencies(${target} dps_alone)
  install(FILES "${archive}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
endfunction()

get_target_property(used_by_api dps_api DPS_USES)
set(rooms "")
foreach(room ${used_by_api})
  list(APPEND rooms "$<TARGET_FILE:dps_${room}>")
endforeach()
dps_shared(dpsvm_score_library dpsvm-score linalg/tile_loop_alone.c ${score_objects})
dps_see(dpsvm_score_library linalg util)
dps_shared(dpsvm_library dpsvm $<TARGET_OBJECTS:dps_api> $<TARGET_OBJECTS:dps_serve>)
dps_use(dpsvm_library ${used_by_api})
set_target_properties(dpsvm_library dpsvm_score_library PROPERTIES LINKER_LANGUAGE C)
add_library(dps_alone OBJECT linalg/tile_loop_alone.c)
dps_see(dps_alone linalg util)
set_target_properties(dps_alone PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
dps_static(dpsvm_score_static dpsvm-score dpsvm_score_library "$<TARGET_OBJECTS:dps_alone>;${score_objects}" "")
dps_static(dpsvm_static dpsvm dpsvm_library "$<TARGET_OBJECTS:dps_api>;$<TARGET_OBJECTS:dps_serve>" "${rooms}")

install(FILES "${PROJECT_SOURCE_DIR}/include/dpsvm/dpsvm.h" "${PROJECT_SOURCE_DIR}/include/dpsvm/score.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/dpsvm" COMPONENT development)

# What a program needs that links libdpsvm.a: the libraries of the rooms, by their names where the linker finds them.
set(static_needs ${DPS_ZLIB_LIBRARY} ${DPS_ZSTD_LIBRARY} ${DPS_UNPACKERS} ${DPS_CJSON_LIBRARY})
list(TRANSFORM static_needs REPLACE "^.*/lib([^/]*)\\.(so|a)$" "-l\\1")
if(MPI_C_FOUND)
  list(APPEND static_needs ${MPI_C_LIBRARIES})
endif()
list(APPEND static_needs ${OpenMP_C_FLAGS} -pthread)
if(CMAKE_DL_LIBS)
  list(APPEND static_needs -l${CMAKE_DL_LIBS})
endif()
list(APPEND static_needs -lm)
list(JOIN static_needs " " static_words)

file(RELATIVE_PATH from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
# dps_pc(name description what libraries the static one needs)
function(dps_pc name description needs)
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" @ONLY CONTENT [[
prefix=${pcfiledir}/@from_pc@
Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Cflags: -I${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
Libs: -L${prefix}/@CMAKE_INSTALL_LIBDIR@ -l@name@
Libs.private: @needs@
]])
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT development)
endfunction()
dps_pc(dpsvm "${PROJECT_DESCRIPTION}" "${static_words}")
dps_pc(dpsvm-score "Rows through a model of dpsvm" "-lm")

# find_package(dpsvm)
include(CMakePackageConfigHelpers)
set(cmake_folder "${CMAKE_INSTALL_LIBDIR}/cmake/dpsvm")
file(RELATIVE_PATH from_cmake "/${cmake_folder}" "/")
configure_file(dpsvm-config.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/dpsvm-config.cmake" @ONLY)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/dpsvm-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/dpsvm-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/dpsvm-config-version.cmake"
  DESTINATION "${cmake_folder}" COMPONENT development)
