# framework/runtime/config.hpp, generated, says in macros what this build is; it is installed with the headers.
include_guard()

configure_file(${CMAKE_CURRENT_LIST_DIR}/config.hpp.in ${PROJECT_BINARY_DIR}/generated/framework/runtime/config.hpp)

# halocline_add_revision(TARGET): compiles into TARGET the commit it is built from. The commit is asked for by every
# build, not when CMake ran; the file changes only when the answer does.
function(halocline_add_revision target)
  set(file ${PROJECT_BINARY_DIR}/generated/revision.cpp)
  add_custom_target(halocline_revision BYPRODUCTS ${file} COMMENT ""
    COMMAND ${PROJECT_SOURCE_DIR}/tools/revision.sh ${PROJECT_SOURCE_DIR} ${file})
  target_sources(${target} PRIVATE ${file})
  set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES GENERATED ON)
  add_dependencies(${target} halocline_revision)
endfunction()
