# `cmake --install` makes one folder that holds everything and can be moved:
#   bin/halocline, lib/ (rooms and the libraries they need), lib/halocline/physics, lib/cmake, include/halocline
include_guard()

# DT_RPATH rather than DT_RUNPATH: it also serves the libraries of libraries, which come from a distribution without one.
add_link_options(LINKER:--disable-new-dtags)

function(halocline_install_library target folder)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN)
  install(TARGETS ${target} EXPORT HaloclineTargets RUNTIME_DEPENDENCY_SET halocline_needs
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/halocline/${folder}
    FILES_MATCHING PATTERN "*.hpp")
endfunction()

function(halocline_install_physics target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/../..)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/halocline/physics)
endfunction()

function(halocline_install_driver target)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/../lib)
  install(TARGETS ${target} RUNTIME_DEPENDENCY_SET halocline_needs RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# The package for find_package(Halocline), and copies of the libraries that another machine may lack.
function(halocline_install_package)
endfunction()
