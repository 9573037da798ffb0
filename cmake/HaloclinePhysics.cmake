# halocline_add_physics(NAME SOURCES FILE… [LIBRARIES TARGET…] [TUNINGS FILE])
#
# Builds a physics as a shared object NAME.so, for `halocline run --plugin NAME.so`. Its sources may include Kokkos: they
# are compiled in the language and with the arithmetic flags of their Halocline. The command works in this repository,
# after find_package(Halocline), and in projects that contain Halocline. TUNINGS is a table of the best launch parameters
# of its sweeps, in the format of the tuning cache; it is embedded in the shared object.
include_guard()

# Without a build type or an optimisation level, uses Release: kernels without optimisation are ten times slower.
function(_halocline_choose_build_type)
  get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(is_multi_config OR CMAKE_BUILD_TYPE OR CMAKE_CXX_FLAGS MATCHES "(^| )-O")
    return()
  endif()
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
  message(STATUS "Halocline: no CMAKE_BUILD_TYPE was chosen, so it is Release")
endfunction()

# `command` is what the warning is about: halocline_add_physics(transport)
function(_halocline_warn_of_slow_code command)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CXX_FLAGS MATCHES "(^| )-O")
    return()  # a multi-configuration generator: the build chooses
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(REGEX MATCHALL "(^| )-O[^ ]*" levels "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  list(POP_BACK levels level)
  if(NOT level OR level MATCHES "-O[0g]")
    message(WARNING "${command}: CMAKE_BUILD_TYPE is `${CMAKE_BUILD_TYPE}`, which does not optimise: "
      "runs may be ten times slower. -DCMAKE_BUILD_TYPE=Release makes a fast one.")
  endif()
endfunction()

# Code that is compiled outside of this repository: for the processor of its Halocline, and optimised.
function(_halocline_finish_external target command)
  halocline_march(${target})
  _halocline_choose_build_type()
  _halocline_warn_of_slow_code("${command}")
endfunction()

# halocline_bring_tunings(TARGET FILE): embeds a tuning table as text in a plugin, where its loader finds it
function(halocline_bring_tunings target file)
  cmake_path(ABSOLUTE_PATH file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} HALOCLINE_TUNINGS)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_tunings.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
extern "C" __attribute__((visibility("default"))) char const halocline_tunings[];
char const halocline_tunings[] = R"tunings(@HALOCLINE_TUNINGS@)tunings";
]])
  halocline_plain_sources(${target} ${source})
endfunction()

# A language is known in the folder that enabled it and below, and a project that contains Halocline is above. A macro,
# since only a folder, not a function, can enable a language.
macro(_halocline_enable_language)
  get_property(_halocline_architectures GLOBAL PROPERTY HALOCLINE_CUDA_ARCHITECTURES)
  if(_halocline_architectures AND NOT CMAKE_CUDA_COMPILE_OBJECT)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES ${_halocline_architectures})
    endif()
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
    enable_language(CUDA)
  endif()
  unset(_halocline_architectures)
endmacro()

macro(halocline_add_physics)
  _halocline_enable_language()
  _halocline_add_physics(${ARGV})
endmacro()

function(_halocline_add_physics name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TUNINGS" "SOURCES;LIBRARIES")
  set(target halocline_physics_${name})
  add_library(${target} MODULE)
  halocline_kernel_sources(${target} ${arg_SOURCES})
  # One of ours that names what it needs waits for no other physics to be built.
  if(arg_LIBRARIES AND TARGET halocline_framework AND CMAKE_CURRENT_SOURCE_DIR MATCHES "^${Halocline_SOURCE_DIR}/physics/")
    target_link_libraries(${target} PRIVATE halocline_framework ${arg_LIBRARIES})
  else()
    target_link_libraries(${target} PRIVATE Halocline::halocline ${arg_LIBRARIES})
  endif()
  target_link_options(${target} PRIVATE LINKER:--no-undefined)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} PREFIX "" SUFFIX .so)
  if(arg_TUNINGS)
    halocline_bring_tunings(${target} ${arg_TUNINGS})
  endif()
  if(COMMAND halocline_place_physics AND PROJECT_SOURCE_DIR STREQUAL Halocline_SOURCE_DIR)
    halocline_place_physics(${target})
  else()
    _halocline_finish_external(${target} "halocline_add_physics(${name})")
  endif()
endfunction()

# halocline_add_program(NAME SOURCES FILE… [LIBRARIES TARGET…])
#
# Builds a program of your own on the modules of Halocline that LIBRARIES names (Halocline::halo, …; without any, on all),
# as halocline_add_physics builds a physics: its sources may include Kokkos.
macro(halocline_add_program)
  _halocline_enable_language()
  _halocline_add_program(${ARGV})
endmacro()

function(_halocline_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name})
  halocline_kernel_sources(${name} ${arg_SOURCES})
  if(NOT arg_LIBRARIES MATCHES "Halocline::")
    list(APPEND arg_LIBRARIES Halocline::halocline)
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  _halocline_finish_external(${name} "halocline_add_program(${name})")
endfunction()

# halocline_test_physics(NAME [DECK FILE…] [ONLY CHECK…])
#
# Adds tests that check the physics of halocline_add_physics(NAME) against all that it declares, by `halocline
# test-physics`: physics.NAME with the first of these decks, physics.NAME.STEM with each other one; without any, with the
# decks of the physics. Needs enable_testing().
function(halocline_test_physics name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DECK;ONLY")
  set(only)
  foreach(check IN LISTS arg_ONLY)
    list(APPEND only --only ${check})
  endforeach()
  if(NOT arg_DECK)
    _halocline_test_physics_with(${name} physics.${name} ${only})
  endif()
  set(test physics.${name})
  foreach(deck IN LISTS arg_DECK)
    cmake_path(ABSOLUTE_PATH deck)
    if(TEST ${test})
      cmake_path(GET deck STEM LAST_ONLY stem)
      set(test physics.${name}.${stem})
    endif()
    _halocline_test_physics_with(${name} ${test} --deck ${deck} ${only})
  endforeach()
endfunction()

function(_halocline_test_physics_with name test)
  if(COMMAND halocline_place_physics AND PROJECT_SOURCE_DIR STREQUAL Halocline_SOURCE_DIR)
    # A process that waits for a busy device takes processor time.
    halocline_add_script_test(${test} COMMAND $<TARGET_FILE:halocline> test-physics ${name} --limit 200 ${ARGN}
      LABELS mpi TIMEOUT 300 PROCESSORS 2)
  else()
    set(program ${HALOCLINE_PROGRAM})
    if(TARGET halocline)
      set(program $<TARGET_FILE:halocline>)
    endif()
    add_test(NAME ${test} COMMAND ${program} test-physics $<TARGET_FILE:halocline_physics_${name}> ${ARGN})
  endif()
endfunction()
