# What a build can be told, beside CMake's own variables.
include_guard()

set(HALOCLINE_BACKEND "" CACHE STRING "Execution space: OpenMP, Serial, Threads, Cuda or HIP; empty: Kokkos' default")
set(HALOCLINE_MARCH native CACHE STRING "Processor to compile for, as in -march; empty: the compiler's default")
set(HALOCLINE_CUDA_ARCHITECTURES 90 CACHE STRING "GPUs to compile for, as in CMAKE_CUDA_ARCHITECTURES")
option(HALOCLINE_SANITIZE "Compile with the address and undefined-behaviour sanitizers" OFF)
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
# A library that only changed inside is no reason to link everything above it anew.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)

# The build tree has the shape of the install tree: the driver finds its physics at the same place in both.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_INSTALL_LIBDIR lib CACHE STRING "")
