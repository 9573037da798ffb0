# Options of a build, besides CMake's own variables.
include_guard()

set(HALOCLINE_BACKEND "" CACHE STRING "Execution space: OpenMP, Serial, Threads, Cuda or HIP; empty: Kokkos' default")
set(HALOCLINE_MARCH native CACHE STRING "Processor to compile for, as in -march; empty: the compiler's default")
set(HALOCLINE_CUDA_ARCHITECTURES "" CACHE STRING "GPUs to compile for, as in CMAKE_CUDA_ARCHITECTURES; empty: Kokkos'")
set(HALOCLINE_NCCL AUTO CACHE STRING "Halos by NCCL, in a build for CUDA: ON, OFF, or AUTO for where it is found")
set(HALOCLINE_NVSHMEM AUTO CACHE STRING "Halos by NVSHMEM, in a build for CUDA: ON, OFF, or AUTO for where it is found")
option(HALOCLINE_BUNDLE "Installations bring the distribution's libraries too, for a machine that lacks them" OFF)
option(HALOCLINE_SANITIZE "Compile with the address and undefined-behaviour sanitizers" OFF)
option(HALOCLINE_WARNINGS_AS_ERRORS "Warnings stop the build" ${PROJECT_IS_TOP_LEVEL})
option(HALOCLINE_JOIN_SOURCES "Compile several sources at a time; off: each has a command of its own, as editors want it" ON)
option(HALOCLINE_PEERS "Build benchmark programs that use other libraries, as far as those are found" OFF)
option(HALOCLINE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# A library that changed only internally does not require its dependents to be linked again.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)

# Reuses objects compiled before, in another build folder or on another branch.
if(PROJECT_IS_TOP_LEVEL)
  find_program(HALOCLINE_COMPILER_CACHE ccache DOC "Compiler cache; empty: none")
  if(HALOCLINE_COMPILER_CACHE)
    # Paths below the checkout are hashed relative to it, so that checkouts in other folders share what is compiled.
    set(_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${HALOCLINE_COMPILER_CACHE})
    if(HALOCLINE_MARCH STREQUAL "native")
      # Processors for which `native` means different instructions may share a home folder (ccache issue 824).
      file(STRINGS /proc/cpuinfo _processor REGEX "^(flags|Features)" LIMIT_COUNT 1)
      string(SHA1 _processor "${_processor}")
      list(INSERT _launcher 3 CCACHE_NAMESPACE=${_processor})
    endif()
    foreach(language IN ITEMS C CXX CUDA)
      if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER AND NOT DEFINED ENV{CMAKE_${language}_COMPILER_LAUNCHER})
        set(CMAKE_${language}_COMPILER_LAUNCHER ${_launcher})
      endif()
    endforeach()
  endif()
endif()

# The build tree has the layout of the install tree: the driver finds its physics at the same relative path in both.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "")
