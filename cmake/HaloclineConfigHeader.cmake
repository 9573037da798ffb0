# framework/runtime/config.hpp, generated, says in macros what this build is; it is installed with the headers.
include_guard()

configure_file(${CMAKE_CURRENT_LIST_DIR}/config.hpp.in ${PROJECT_BINARY_DIR}/generated/framework/runtime/config.hpp)

# generated/revision.cpp knows the commit of the sources. Every build asks for it, not CMake's run; the file changes only
# when the answer does.
add_custom_target(halocline_revision BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/revision.cpp COMMENT ""
  COMMAND ${PROJECT_SOURCE_DIR}/tools/revision.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated/revision.cpp)
