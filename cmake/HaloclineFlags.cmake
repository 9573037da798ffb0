# The flags that Halocline and every physics outside of it share, and the language that kernels are written in.
include_guard()

# The commands below are also called in folders that see no variable of ours: what they ask for is kept for all.
set_property(GLOBAL PROPERTY HALOCLINE_BACKEND ${HALOCLINE_BACKEND})
set_property(GLOBAL PROPERTY HALOCLINE_KOKKOS_VERSION ${Kokkos_VERSION})

# Contraction is off everywhere: a fused multiply-add that the compiler forms in a vector loop, but not in its remainder
# or in another specialisation, would change bits. The other two let a loop with sqrt or select become vectors, and
# change no value.
set(HALOCLINE_ARITHMETIC_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math)
# Makes `#pragma omp simd` mean the same with OpenMP or without. In clang's code for AMD's GPUs it leaves calls of a
# runtime library that nobody has.
if(NOT HALOCLINE_BACKEND STREQUAL "HIP")
  list(APPEND HALOCLINE_ARITHMETIC_FLAGS -fopenmp-simd)
endif()
list(JOIN HALOCLINE_ARITHMETIC_FLAGS "," _arithmetic)
set_property(GLOBAL PROPERTY HALOCLINE_ARITHMETIC
  $<$<COMPILE_LANGUAGE:CXX>:${HALOCLINE_ARITHMETIC_FLAGS}>
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${_arithmetic}>)

# CMake 3.25 does not know how nvcc is told C++20.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20 CACHE INTERNAL "")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20 CACHE INTERNAL "")
endif()

# halocline_kernel_sources(TARGET FILE…): adds files that include Kokkos to a target, in the language Kokkos asks for
function(halocline_kernel_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  get_property(backend GLOBAL PROPERTY HALOCLINE_BACKEND)
  get_property(kokkos GLOBAL PROPERTY HALOCLINE_KOKKOS_VERSION)
  if(backend STREQUAL "Cuda")
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CUDA)
    # Libraries with a CUDA runtime of their own each would not share streams or memory.
    set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
    # Libraries of a third of the bytes.
    target_compile_options(${target} PRIVATE
      $<$<AND:$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>,$<VERSION_GREATER_EQUAL:$<CUDA_COMPILER_VERSION>,13>>:--compress-mode=size>)
    # Unknown where Halocline comes by find_package, which leaves it to the project.
    if(HALOCLINE_CUDA_ARCHITECTURES)
      set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${HALOCLINE_CUDA_ARCHITECTURES}")
    endif()
    if(kokkos VERSION_LESS 4.7)
      # As two words: a compiler cache knows the second as a path, and serves checkouts in other folders.
      target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-include ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda13.hpp>")
    endif()
  endif()
endfunction()

# halocline_short_kernel_sources(TARGET FILE…): the same for files whose kernels, if any, take less to compile than the ten
# seconds that a compiler for devices needs for the headers of Kokkos alone. It reads them as one file.
function(halocline_short_kernel_sources target)
  get_property(backend GLOBAL PROPERTY HALOCLINE_BACKEND)
  if(NOT backend MATCHES "^(Cuda|HIP)$")
    halocline_kernel_sources(${target} ${ARGN})
    return()
  endif()
  set(all "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    string(APPEND all "#include \"${source}\"\n")
  endforeach()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_short.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT "${all}" @ONLY)
  halocline_kernel_sources(${target} ${file})
endfunction()

# halocline_plain_sources(TARGET FILE…): adds files that know nothing of Kokkos. hipcc would compile them for the GPU as
# well, which takes twice as long and which clang 15 does not survive with some of the standard library in C++20.
function(halocline_plain_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  get_property(backend GLOBAL PROPERTY HALOCLINE_BACKEND)
  if(backend STREQUAL "HIP")
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY
      COMPILE_OPTIONS -xc++ -Wno-unused-command-line-argument)
  endif()
endfunction()

# halocline_arithmetic(TARGET SCOPE): what decides the bits of a result. SCOPE is PRIVATE, or INTERFACE for who uses TARGET
function(halocline_arithmetic target scope)
  get_property(arithmetic GLOBAL PROPERTY HALOCLINE_ARITHMETIC)
  target_compile_options(${target} ${scope} ${arithmetic})
endfunction()

# halocline_march(TARGET): the processor that it is compiled for
function(halocline_march target)
  if(HALOCLINE_MARCH)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-march=${HALOCLINE_MARCH}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=${HALOCLINE_MARCH}>)
  endif()
endfunction()

# halocline_any_processor_sources(TARGET FILE…): files that ask whether this is the right processor, and so must run on any
function(halocline_any_processor_sources target)
  halocline_plain_sources(${target} ${ARGN})
  set(options -fno-sanitize=all)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND options -march=x86-64 -mtune=generic)
  endif()
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${options})
endfunction()
