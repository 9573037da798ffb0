# halocline_add_physics(NAME SOURCES FILE… [LIBRARIES TARGET…])
#
# A physics as a shared object NAME.so, for `halocline run --plugin NAME.so`. Its sources may include Kokkos: they are
# compiled in the language, and with the arithmetic, of the Halocline they are for. The same command serves the physics
# of this repository and those that come to it by find_package(Halocline).
include_guard()

function(halocline_add_physics name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  set(target halocline_physics_${name})
  add_library(${target} MODULE)
  halocline_kernel_sources(${target} ${arg_SOURCES})
  halocline_arithmetic(${target} "${HALOCLINE_MARCH}")
  target_link_libraries(${target} PRIVATE Halocline::halocline ${arg_LIBRARIES})
  target_link_options(${target} PRIVATE LINKER:--no-undefined)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} PREFIX "" SUFFIX .so)
  if(COMMAND halocline_place_physics)
    halocline_place_physics(${target})
  endif()
endfunction()
