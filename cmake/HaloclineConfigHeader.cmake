# Generates framework/runtime/config.hpp, which describes this build in macros; it is installed with the headers.
include_guard()

configure_file(${CMAKE_CURRENT_LIST_DIR}/config.hpp.in ${PROJECT_BINARY_DIR}/generated/framework/runtime/config.hpp)

# generated/revision.cpp contains the commit of the sources. Every build checks it, not only CMake's run; the file changes
# only with the commit.
add_custom_target(halocline_revision BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/revision.cpp COMMENT ""
  COMMAND ${PROJECT_SOURCE_DIR}/tools/revision.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated/revision.cpp)

# generated/build_facts.cpp describes the build for the record of a run.
string(TOUPPER "${CMAKE_BUILD_TYPE}" _type)
set(_flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${_type}})
if(HALOCLINE_MARCH)
  list(APPEND _flags -march=${HALOCLINE_MARCH})
endif()
list(APPEND _flags ${HALOCLINE_ARITHMETIC_FLAGS})
list(JOIN _flags " " HALOCLINE_FLAGS_TEXT)
set(HALOCLINE_COMPILER_TEXT "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(HALOCLINE_BACKEND STREQUAL "Cuda")
  set(HALOCLINE_DEVICE_COMPILER_TEXT "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}, for ${HALOCLINE_CUDA_ARCHITECTURES}")
endif()
string(REPLACE ";" " " HALOCLINE_KOKKOS_OPTIONS_TEXT "${Kokkos_DEVICES} ${Kokkos_ARCH} ${Kokkos_OPTIONS}")
string(REGEX REPLACE "  +" " " HALOCLINE_KOKKOS_OPTIONS_TEXT "${HALOCLINE_KOKKOS_OPTIONS_TEXT}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_facts.cpp.in ${PROJECT_BINARY_DIR}/generated/build_facts.cpp)
