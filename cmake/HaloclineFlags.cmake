# The flags that Halocline and every external physics share, and the language of the kernels.
include_guard()

# The commands below are also called in folders that do not see our variables: global properties store the values for all.
set_property(GLOBAL PROPERTY HALOCLINE_BACKEND ${HALOCLINE_BACKEND})
set_property(GLOBAL PROPERTY HALOCLINE_KOKKOS_VERSION ${Kokkos_VERSION})

# Contraction is off everywhere: a fused multiply-add that the compiler forms in a vector loop, but not in its remainder
# or in another specialisation, would change bits. The other two flags allow loops with sqrt or select to vectorise, and
# change no value.
set(HALOCLINE_ARITHMETIC_FLAGS -ffp-contract=off -fno-math-errno -fno-trapping-math)
# Gives `#pragma omp simd` the same meaning with and without OpenMP. For AMD GPUs, clang's code would contain calls of a
# runtime library that does not exist.
if(NOT HALOCLINE_BACKEND STREQUAL "HIP")
  list(APPEND HALOCLINE_ARITHMETIC_FLAGS -fopenmp-simd)
endif()
list(JOIN HALOCLINE_ARITHMETIC_FLAGS "," _arithmetic)
set_property(GLOBAL PROPERTY HALOCLINE_ARITHMETIC
  $<$<COMPILE_LANGUAGE:CXX>:${HALOCLINE_ARITHMETIC_FLAGS}>
  $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${_arithmetic}>)

# CMake 3.25 does not know nvcc's option for C++20.
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20 CACHE INTERNAL "")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20 CACHE INTERNAL "")
endif()

# halocline_kernel_sources(TARGET FILE…): adds files that include Kokkos to a target, in the language that Kokkos needs
function(halocline_kernel_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  get_property(backend GLOBAL PROPERTY HALOCLINE_BACKEND)
  get_property(kokkos GLOBAL PROPERTY HALOCLINE_KOKKOS_VERSION)
  if(backend STREQUAL "Cuda")
    set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE CUDA)
    # Libraries that each link their own CUDA runtime could not share streams or memory.
    set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
    # Reduces the size of libraries to a third.
    target_compile_options(${target} PRIVATE
      $<$<AND:$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>,$<VERSION_GREATER_EQUAL:$<CUDA_COMPILER_VERSION>,13>>:--compress-mode=size>)
    # Unset if Halocline comes from find_package: the project then chooses.
    if(HALOCLINE_CUDA_ARCHITECTURES)
      set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${HALOCLINE_CUDA_ARCHITECTURES}")
    endif()
    if(kokkos VERSION_LESS 4.7)
      # As two words: a compiler cache then recognises the second as a path, and works for checkouts in other folders.
      target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-include ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/cuda13.hpp>")
    endif()
  endif()
endfunction()

# halocline_short_kernel_sources(TARGET FILE…): the same for files whose kernels, if any, compile in less than the ten
# seconds that a device compiler needs for Kokkos' headers alone. It compiles them as one file.
function(halocline_short_kernel_sources target)
  get_property(backend GLOBAL PROPERTY HALOCLINE_BACKEND)
  if(NOT HALOCLINE_JOIN_SOURCES AND NOT backend MATCHES "^(Cuda|HIP)$")
    halocline_kernel_sources(${target} ${ARGN})
    return()
  endif()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_short.cpp)
  _halocline_join(${file} ${ARGN})
  halocline_kernel_sources(${target} ${file})
endfunction()

# _halocline_join(JOINED FILE…): writes a file that includes the others, by their paths in the checkout, so that compiler
# caches know it in another checkout
function(_halocline_join joined)
  set(all "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND all "#include \"${source}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${joined} CONTENT "${all}" @ONLY)
endfunction()

# halocline_joined_sources(TARGET FILE…): files that do not include Kokkos, eight at a time in one file unless
# HALOCLINE_JOIN_SOURCES is off: compilers take most of their time to read the same headers. So names that are local to a
# file must differ from those of the others.
function(halocline_joined_sources target)
  if(NOT HALOCLINE_JOIN_SOURCES)
    halocline_plain_sources(${target} ${ARGN})
    return()
  endif()
  get_target_property(number ${target} HALOCLINE_JOINED_FILES)
  if(NOT number)
    set(number 0)
  endif()
  set(rest ${ARGN})
  while(rest)
    list(LENGTH rest length)
    if(length GREATER 8)
      list(SUBLIST rest 0 8 together)
      list(SUBLIST rest 8 -1 rest)
    else()
      set(together ${rest})
      set(rest "")
    endif()
    math(EXPR number "${number} + 1")
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_joined_${number}.cpp)
    _halocline_join(${file} ${together})
    halocline_plain_sources(${target} ${file})
  endwhile()
  set_target_properties(${target} PROPERTIES HALOCLINE_JOINED_FILES ${number})
endfunction()

# halocline_plain_sources(TARGET FILE…): adds files that do not include Kokkos. hipcc would also compile them for the GPU,
# which takes twice as long and crashes clang 15 for some of the standard library in C++20.
function(halocline_plain_sources target)
  target_sources(${target} PRIVATE ${ARGN})
  get_property(backend GLOBAL PROPERTY HALOCLINE_BACKEND)
  if(backend STREQUAL "HIP")
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY
      COMPILE_OPTIONS -xc++ -Wno-unused-command-line-argument)
  endif()
endfunction()

# halocline_arithmetic(TARGET SCOPE): flags that affect the bits of results. SCOPE is PRIVATE, or INTERFACE for users of
# TARGET
function(halocline_arithmetic target scope)
  get_property(arithmetic GLOBAL PROPERTY HALOCLINE_ARITHMETIC)
  target_compile_options(${target} ${scope} ${arithmetic})
endfunction()

# halocline_march(TARGET): the processor to compile for
function(halocline_march target)
  if(HALOCLINE_MARCH)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-march=${HALOCLINE_MARCH}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=${HALOCLINE_MARCH}>)
  endif()
endfunction()

# halocline_any_processor_sources(TARGET FILE…): files that check the processor, and so must run on any of its
# architecture
function(halocline_any_processor_sources target)
  halocline_plain_sources(${target} ${ARGN})
  set(options -fno-sanitize=all)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    list(APPEND options -march=x86-64 -mtune=generic)
  endif()
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${options})
endfunction()
