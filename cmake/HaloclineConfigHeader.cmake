# framework/runtime/config.hpp: what this build is, in macros. It is generated, and installed with the headers.
include_guard()

configure_file(${CMAKE_CURRENT_LIST_DIR}/config.hpp.in ${PROJECT_BINARY_DIR}/generated/framework/runtime/config.hpp)

# The commit is asked for at build time, not when CMake ran; the file changes only when the answer does.
add_custom_target(halocline_revision
  COMMAND ${PROJECT_SOURCE_DIR}/tools/revision.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated/revision.cpp
  BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/revision.cpp
  COMMENT "" VERBATIM)
