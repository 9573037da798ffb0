# halocline_add_room(NAME [SOURCES FILE…] [SEPARATE_SOURCES FILE…] [KERNEL_SOURCES FILE…] [SHORT_KERNEL_SOURCES FILE…]
#   [PUBLIC_DEPENDENCIES …] [PRIVATE_DEPENDENCIES …])
#
# Adds a module ("room") as one shared library: halocline_NAME, alias Halocline::NAME. KERNEL_SOURCES include Kokkos,
# directly or not; SOURCES do not. SOURCES are compiled several at a time and SHORT_KERNEL_SOURCES as one file, except for
# SEPARATE_SOURCES, which have flags of their own or cannot be included. A dependency is
# another module by its name or any target. A module that uses an undeclared dependency does not link: this enforces the
# dependencies between modules.
include_guard()

add_library(halocline_all INTERFACE)
add_library(Halocline::halocline ALIAS halocline_all)
set_target_properties(halocline_all PROPERTIES EXPORT_NAME halocline)
install(TARGETS halocline_all EXPORT HaloclineTargets)

# The same without the physics.
add_library(halocline_framework INTERFACE)

# The parts that `halocline run` needs: the driver and the physics, no tests; and the same without the physics.
add_custom_target(program)
add_custom_target(program_without_physics)
add_dependencies(program program_without_physics)

# halocline_strict(TARGET): the warnings for our own code, as errors if HALOCLINE_WARNINGS_AS_ERRORS is on, and the
# sanitizers if enabled
function(halocline_strict target)
  halocline_arithmetic(${target} PRIVATE)
  halocline_march(${target})
  if(HALOCLINE_WARNINGS_AS_ERRORS)
    set(error -Werror)
    set(cuda_error -Werror=all-warnings)
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion ${error}>
    # GCC 12 reports a false overlap in every `"text" + string` (GCC bug 105651).
    $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Xcompiler=-Wno-restrict>
    # GCC's own pragmas tune host loops, which GCC compiles (1675: nvcc's front end does not know them).
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-unknown-pragmas>
    # nvcc only warns of a call of a host function from device code.
    $<$<COMPILE_LANGUAGE:CUDA>:${cuda_error} -diag-suppress=1675 -Xcompiler=-Wall,-Wextra>)
  if(HALOCLINE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=undefined
      -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()

# halocline_link(TARGET SCOPE DEPENDENCY…): links modules by their short names, and anything else unchanged
function(halocline_link target scope)
  set(rooms runtime deck mesh field kernel halo operator grid multigrid io plugin solvers)
  foreach(dependency IN LISTS ARGN)
    if(dependency IN_LIST rooms)
      target_link_libraries(${target} ${scope} halocline_${dependency})
    else()
      target_link_libraries(${target} ${scope} ${dependency})
    endif()
  endforeach()
endfunction()

function(halocline_add_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" ""
    "SOURCES;SEPARATE_SOURCES;KERNEL_SOURCES;SHORT_KERNEL_SOURCES;PUBLIC_DEPENDENCIES;PRIVATE_DEPENDENCIES")
  set(target halocline_${name})
  add_library(${target} SHARED)
  add_library(Halocline::${name} ALIAS ${target})
  halocline_joined_sources(${target} ${arg_SOURCES})
  halocline_plain_sources(${target} ${arg_SEPARATE_SOURCES})
  halocline_kernel_sources(${target} ${arg_KERNEL_SOURCES})
  if(arg_SHORT_KERNEL_SOURCES)
    halocline_short_kernel_sources(${target} ${arg_SHORT_KERNEL_SOURCES})
  endif()
  halocline_strict(${target})
  # Users who include kernels compile them.
  halocline_arithmetic(${target} INTERFACE)
  halocline_link(${target} PUBLIC ${arg_PUBLIC_DEPENDENCIES})
  halocline_link(${target} PRIVATE ${arg_PRIVATE_DEPENDENCIES})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_options(${target} PRIVATE LINKER:--no-undefined)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/halocline>)
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_libraries(halocline_all INTERFACE ${target})
  if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "^${PROJECT_SOURCE_DIR}/(physics|bench)")
    target_link_libraries(halocline_framework INTERFACE ${target})
  endif()
  halocline_install_library(${target})
endfunction()

# A physics of this repository has the same warnings and is placed where the driver finds it.
function(halocline_place_physics target)
  halocline_strict(${target})
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/halocline/physics)
  add_dependencies(program ${target})
  halocline_install_physics(${target})
endfunction()

# halocline_add_transport(NAME SOURCES FILE… LIBRARIES …): a transport that needs a library which may be absent at run
# time, as a separate shared object that is loaded on request
function(halocline_add_transport name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  set(target halocline_${name})
  add_library(${target} MODULE)
  halocline_kernel_sources(${target} ${arg_SOURCES})
  halocline_strict(${target})
  target_link_libraries(${target} PRIVATE halocline_halo ${arg_LIBRARIES})
  target_link_options(${target} PRIVATE LINKER:--no-undefined)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} PREFIX "" SUFFIX .so
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/halocline/transports)
  add_dependencies(program_without_physics ${target})
  halocline_install_transport(${target})
endfunction()

# A program that a library starts is placed next to it, in a folder of ours.
function(halocline_place_helper target name)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/halocline)
  halocline_install_helper(${target})
endfunction()

# halocline_add_driver(NAME SOURCES FILE… [SEPARATE_SOURCES FILE…] [KERNEL_SOURCES FILE…] DEPENDENCIES …): an executable of
# drivers/
function(halocline_add_driver name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;SEPARATE_SOURCES;KERNEL_SOURCES;DEPENDENCIES")
  add_executable(${name})
  halocline_joined_sources(${name} ${arg_SOURCES})
  halocline_plain_sources(${name} ${arg_SEPARATE_SOURCES})
  halocline_kernel_sources(${name} ${arg_KERNEL_SOURCES})
  halocline_strict(${name})
  halocline_link(${name} PRIVATE ${arg_DEPENDENCIES})
  add_dependencies(program_without_physics ${name})
  halocline_install_driver(${name})
endfunction()
