# `cmake --install` makes one folder that can be moved to another place or machine:
#   bin/halocline, lib/ (the rooms and the libraries they stand on), lib/halocline/physics, include/halocline,
#   lib/cmake/Halocline (for find_package)
include_guard()
include(CMakePackageConfigHelpers)

# DT_RPATH rather than DT_RUNPATH: it also serves the copied libraries of a distribution, which carry neither.
add_link_options(LINKER:--disable-new-dtags)

set(HALOCLINE_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/Halocline)
set(HALOCLINE_HEADER_FOLDER ${CMAKE_INSTALL_INCLUDEDIR}/halocline)

function(halocline_install_library target)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS ${target} EXPORT HaloclineTargets RUNTIME_DEPENDENCY_SET halocline_needs
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${HALOCLINE_HEADER_FOLDER}/${folder}
    FILES_MATCHING PATTERN "*.hpp" PATTERN "test_*" EXCLUDE PATTERN "*_test*" EXCLUDE)
endfunction()

function(halocline_install_physics target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/../..)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline/physics)
endfunction()

function(halocline_install_transport target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/../..)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline/transports)
endfunction()

function(halocline_install_helper target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/..)
  install(TARGETS ${target} RUNTIME_DEPENDENCY_SET halocline_needs
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline)
endfunction()

function(halocline_install_driver target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/../lib)
  install(TARGETS ${target} RUNTIME_DEPENDENCY_SET halocline_needs RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# What is not copied: it belongs to the machine that the folder comes to (its C library, compiler runtime, MPI, GPU).
set(HALOCLINE_LEFT_TO_THE_MACHINE
  "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv|stdc\\+\\+|gcc_s|gomp|asan|ubsan)\\.so"
  "^lib(mpi|open-rte|open-pal|hwloc|event|pmix|munge|ucp|ucs|uct|ucm|fabric|psm|ibverbs|rdmacm|nl-)"
  "^lib(cuda|cudart|cublas|cublasLt|cusparse|cusolver|nvJitLink|amdhip64|amd_comgr|hsa-runtime64)\\.so")

# The package for find_package(Halocline), and copies of the libraries that another machine may lack.
function(halocline_install_package)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/framework DESTINATION ${HALOCLINE_HEADER_FOLDER})
  install(EXPORT HaloclineTargets NAMESPACE Halocline:: DESTINATION ${HALOCLINE_CMAKE_FOLDER})

  # In the build tree as in the installed one: that is a prefix for find_package, too. What an earlier version left
  # where find_package looks first would hide it.
  set(folder ${PROJECT_BINARY_DIR}/lib/cmake/Halocline)
  file(REMOVE ${PROJECT_BINARY_DIR}/HaloclineConfig.cmake ${PROJECT_BINARY_DIR}/HaloclineConfigVersion.cmake)
  configure_package_config_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineConfig.cmake.in
    ${folder}/HaloclineConfig.cmake INSTALL_DESTINATION ${HALOCLINE_CMAKE_FOLDER})
  write_basic_package_version_file(${folder}/HaloclineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${folder}/HaloclineConfig.cmake ${folder}/HaloclineConfigVersion.cmake
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineDependencies.cmake
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineFlags.cmake
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclinePhysics.cmake
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda13.hpp
    DESTINATION ${HALOCLINE_CMAKE_FOLDER})

  export(EXPORT HaloclineTargets NAMESPACE Halocline:: FILE ${folder}/HaloclineTargets.cmake)
  foreach(file IN ITEMS
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineDependencies.cmake ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineFlags.cmake
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclinePhysics.cmake ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda13.hpp)
    cmake_path(GET file FILENAME name)
    configure_file(${file} ${folder}/${name} COPYONLY)
  endforeach()

  install(RUNTIME_DEPENDENCY_SET halocline_needs
    PRE_EXCLUDE_REGEXES ${HALOCLINE_LEFT_TO_THE_MACHINE}
    POST_EXCLUDE_REGEXES ${HALOCLINE_LEFT_TO_THE_MACHINE}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
