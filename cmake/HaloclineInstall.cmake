# `cmake --install` creates one relocatable folder:
#   bin/halocline, lib/ (the modules), lib/halocline/physics, include/halocline, lib/cmake/Halocline (for find_package)
#   lib/halocline/dependencies: packages built by the set-up, as a prefix (Kokkos and Teuchos with headers and packages)
#   share/halocline/needs.txt: dependencies on the machine
# HALOCLINE_BUNDLE, or `cmake --install … --component bundle` afterwards, adds copies of the distribution's libraries for
# machines that lack them.
include_guard()
include(CMakePackageConfigHelpers)
include(HaloclineElf)

# DT_RPATH rather than DT_RUNPATH: it also applies to the copied libraries of a distribution, which have neither.
add_link_options(LINKER:--disable-new-dtags)

set(HALOCLINE_CMAKE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/Halocline)
set(HALOCLINE_HEADER_FOLDER ${CMAKE_INSTALL_INCLUDEDIR}/halocline)
set(HALOCLINE_BROUGHT_FOLDER ${CMAKE_INSTALL_LIBDIR}/halocline/dependencies)

# prefix_of_set_up(FOLDER OUT): the set-up's prefix in which a package was found; empty for a package of the user's
function(halocline_prefix_of_set_up folder out)
  file(REAL_PATH "${folder}" folder)
  foreach(prefix IN LISTS HALOCLINE_PREFIX)
    file(REAL_PATH "${prefix}" place)
    cmake_path(IS_PREFIX place "${folder}" is_prefix)
    if(is_prefix)
      set(${out} ${place} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

# Library folders outside of the set-up and the system's loader paths: an installation must also find the user's own MPI,
# HDF5 or Kokkos there.
function(_halocline_folders_of_others out)
  set(libraries ${MPI_C_LIBRARIES} ${HDF5_C_LIBRARIES} ${XXHASH_LIBRARY})
  foreach(target IN ITEMS Kokkos::kokkoscore Kokkos::kokkoskernels teuchoscore teuchoscomm yaml-cpp fmt::fmt spdlog::spdlog
      muparser::muparser)
    if(TARGET ${target})
      get_target_property(kind ${target} TYPE)
      if(kind STREQUAL "SHARED_LIBRARY")
        foreach(property IN ITEMS IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION IMPORTED_LOCATION_NONE
            IMPORTED_LOCATION_RELWITHDEBINFO IMPORTED_LOCATION_DEBUG)
          get_target_property(location ${target} ${property})
          if(location)
            list(APPEND libraries ${location})
            break()
          endif()
        endforeach()
      endif()
    endif()
  endforeach()
  set(folders "")
  foreach(library IN LISTS libraries)
    if(NOT IS_ABSOLUTE "${library}" OR NOT library MATCHES "[.]so")
      continue()
    endif()
    cmake_path(GET library PARENT_PATH folder)
    halocline_prefix_of_set_up(${folder} prefix)
    halocline_elf_entries(${library} SONAME name)
    set(found FALSE)
    foreach(known IN LISTS CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
      if(EXISTS ${known}/${name})
        set(found TRUE)
      endif()
    endforeach()
    if(NOT prefix AND NOT found)
      list(APPEND folders ${folder})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(${out} "${folders}" PARENT_SCOPE)
endfunction()
_halocline_folders_of_others(HALOCLINE_FOLDERS_OF_OTHERS)

# _halocline_rpath(TARGET WAY): WAY is the relative path from the folder of the target to that of the libraries
function(_halocline_rpath target way)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH
    "$ORIGIN${way};$ORIGIN${way}/halocline/dependencies/lib;${HALOCLINE_FOLDERS_OF_OTHERS}")
endfunction()

function(halocline_install_library target)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  _halocline_rpath(${target} "")
  install(TARGETS ${target} EXPORT HaloclineTargets RUNTIME_DEPENDENCY_SET halocline_needs
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${HALOCLINE_HEADER_FOLDER}/${folder}
    FILES_MATCHING PATTERN "*.hpp" PATTERN "test_*" EXCLUDE PATTERN "*_test*" EXCLUDE)
endfunction()

function(halocline_install_physics target)
  _halocline_rpath(${target} /../..)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline/physics)
endfunction()

function(halocline_install_transport target)
  _halocline_rpath(${target} /../..)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline/transports)
endfunction()

function(halocline_install_helper target)
  _halocline_rpath(${target} /..)
  install(TARGETS ${target} RUNTIME_DEPENDENCY_SET halocline_needs
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline)
endfunction()

function(halocline_install_driver target)
  _halocline_rpath(${target} /../lib)
  install(TARGETS ${target} RUNTIME_DEPENDENCY_SET halocline_needs RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# Libraries that are never copied. They belong to the target machine (its C library, compiler runtime, MPI, GPU), or must
# get security fixes there (cryptography, and the network libraries behind it).
set(HALOCLINE_LEFT_TO_THE_MACHINE
  "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv|nsl|crypt|stdc\\+\\+|gcc_s|gomp|asan|ubsan)\\.so"
  "^lib(mpi|open-rte|open-pal|hwloc|event|pmix|munge|ucp|ucs|uct|ucm|fabric|psm|ibverbs|rdmacm|nl-)"
  "^lib(cuda|cudart|cublas|cublasLt|cusparse|cusolver|nvJitLink|amdhip64|amd_comgr|hsa-runtime64)\\.so"
  "^lib(crypto|ssl|gnutls|gcrypt|gpg-error|nettle|hogweed|p11-kit|tasn1|krb5|krb5support|k5crypto|gssapi_krb5|com_err)\\."
  "^lib(keyutils|sasl2|ldap|lber|ssh|ssh2|curl|nss3|nspr4|selinux|audit|pam)[.-]")

# _halocline_bring(PACKAGE): installs the parts of a package built by the set-up that plugins or the program need
function(_halocline_bring package)
  halocline_prefix_of_set_up("${${package}_DIR}" prefix)
  if(NOT prefix)
    return()
  endif()
  string(TOLOWER ${package} name)
  install(DIRECTORY ${prefix}/lib/ DESTINATION ${HALOCLINE_BROUGHT_FOLDER}/lib
    FILES_MATCHING PATTERN "lib${name}*.so*" PATTERN "cmake" EXCLUDE)
  file(GLOB packages ${prefix}/lib/cmake/${package}*)
  list(FILTER packages EXCLUDE REGEX "KokkosKernels")
  install(DIRECTORY ${packages} DESTINATION ${HALOCLINE_BROUGHT_FOLDER}/lib/cmake)
  # Kokkos has headers in folders without its name; no header of ours includes those of Kokkos Kernels.
  if(package STREQUAL "Kokkos")
    install(DIRECTORY ${prefix}/include/ DESTINATION ${HALOCLINE_BROUGHT_FOLDER}/include
      REGEX "/Kokkos(Batched|Blas|Graph|Kernels|Lapack|ODE|Sparse)[^/]*$" EXCLUDE
      REGEX "/(Test_|Teuchos|Trilinos)[^/]*$" EXCLUDE PATTERN "generated_specializations_hpp" EXCLUDE)
    install(DIRECTORY ${prefix}/bin/ DESTINATION ${HALOCLINE_BROUGHT_FOLDER}/bin USE_SOURCE_PERMISSIONS
      FILES_MATCHING PATTERN "nvcc_wrapper" PATTERN "kokkos_launch_compiler")
  else()
    file(GLOB headers ${prefix}/include/${package}*)
    install(FILES ${headers} DESTINATION ${HALOCLINE_BROUGHT_FOLDER}/include)
  endif()
  # Package files contain the path of their build, which must become relative.
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${HALOCLINE_BROUGHT_FOLDER}\")
    file(GLOB files \"\${folder}/lib/cmake/${package}*/*.cmake\")
    foreach(file IN LISTS files)
      file(READ \${file} text)
      string(REPLACE \"${prefix}\" \"\\\${CMAKE_CURRENT_LIST_DIR}/../../..\" moved \"\${text}\")
      if(NOT moved STREQUAL text)
        file(WRITE \${file} \"\${moved}\")
      endif()
    endforeach()")
endfunction()

# _halocline_configure_package(FOLDER KOKKOS TEUCHOS): the package file of a tree, with the paths of both; empty: inside
# the tree
function(_halocline_configure_package folder kokkos teuchos)
  set(HALOCLINE_KOKKOS_HINT ${kokkos})
  set(HALOCLINE_TEUCHOS_HINT ${teuchos})
  configure_package_config_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineConfig.cmake.in
    ${folder}/HaloclineConfig.cmake INSTALL_DESTINATION ${HALOCLINE_CMAKE_FOLDER})
endfunction()

# Installs the package for find_package(Halocline) and the libraries of other packages.
function(halocline_install_package)
  set(modules ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineDependencies.cmake
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineFlags.cmake ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclinePhysics.cmake
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda13.hpp)

  # The build tree has the same layout as the install tree and is a prefix for find_package as well. Files of an earlier
  # version, in a folder that find_package searches first, would hide it.
  set(folder ${PROJECT_BINARY_DIR}/lib/cmake/Halocline)
  file(REMOVE ${PROJECT_BINARY_DIR}/HaloclineConfig.cmake ${PROJECT_BINARY_DIR}/HaloclineConfigVersion.cmake)
  _halocline_configure_package(${folder} ${Kokkos_DIR} ${Teuchos_DIR})
  write_basic_package_version_file(${folder}/HaloclineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  export(EXPORT HaloclineTargets NAMESPACE Halocline:: FILE ${folder}/HaloclineTargets.cmake)
  foreach(file IN LISTS modules)
    cmake_path(GET file FILENAME name)
    configure_file(${file} ${folder}/${name} COPYONLY)
  endforeach()

  foreach(package IN ITEMS Kokkos Teuchos)
    set(hint_${package} ${${package}_DIR})
    halocline_prefix_of_set_up(${${package}_DIR} prefix)
    if(prefix)
      set(hint_${package} "")
    endif()
  endforeach()
  _halocline_configure_package(${PROJECT_BINARY_DIR}/installed "${hint_Kokkos}" "${hint_Teuchos}")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/framework DESTINATION ${HALOCLINE_HEADER_FOLDER})
  install(EXPORT HaloclineTargets NAMESPACE Halocline:: DESTINATION ${HALOCLINE_CMAKE_FOLDER})
  install(FILES ${PROJECT_BINARY_DIR}/installed/HaloclineConfig.cmake ${folder}/HaloclineConfigVersion.cmake ${modules}
    DESTINATION ${HALOCLINE_CMAKE_FOLDER})

  _halocline_bring(Kokkos)
  _halocline_bring(Teuchos)
  # Packages of the set-up are already installed.
  set(left ${HALOCLINE_LEFT_TO_THE_MACHINE})
  foreach(package IN ITEMS Kokkos Teuchos)
    halocline_prefix_of_set_up("${${package}_DIR}" prefix)
    if(prefix)
      string(TOLOWER ${package} name)
      list(APPEND left "^lib${name}")
    endif()
  endforeach()
  set(unasked EXCLUDE_FROM_ALL)
  if(HALOCLINE_BUNDLE)
    set(unasked "")
  endif()
  install(RUNTIME_DEPENDENCY_SET halocline_needs PRE_EXCLUDE_REGEXES ${left} POST_EXCLUDE_REGEXES ${left}
    LIBRARY DESTINATION ${HALOCLINE_BROUGHT_FOLDER}/lib COMPONENT bundle ${unasked})
  halocline_install_needs()
endfunction()

# Writes the dependencies of an installation on the machine, by name: share/halocline/needs.txt.
function(halocline_install_needs)
  set(others "")
  foreach(package IN ITEMS Kokkos KokkosKernels Teuchos)
    halocline_prefix_of_set_up("${${package}_DIR}" prefix)
    if(NOT prefix)
      list(APPEND others "${package} ${${package}_VERSION} ${${package}_DIR}")
    endif()
  endforeach()
  set(mpi_headers ${MPI_C_INCLUDE_DIRS})
  list(TRANSFORM mpi_headers APPEND /mpi.h)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    set(libdir \"${CMAKE_INSTALL_LIBDIR}\")
    set(readelf \"${CMAKE_READELF}\")
    set(library_folders \"${HALOCLINE_FOLDERS_OF_OTHERS};${CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES}\")
    set(launcher \"${MPIEXEC_EXECUTABLE}\")
    set(builders \"${CMAKE_CXX_COMPILER};${CMAKE_COMMAND};${CMAKE_MAKE_PROGRAM};${mpi_headers}\")
    set(others \"${others}\")
    include(\"${CMAKE_CURRENT_FUNCTION_LIST_DIR}/HaloclineNeeds.cmake\")")
endfunction()
