# Settles HALOCLINE_BACKEND, and for a GPU the language of the kernels. Runs after Kokkos is found.
include_guard()

# Kokkos' own order of preference.
if(NOT HALOCLINE_BACKEND)
  foreach(name IN ITEMS Cuda HIP OpenMP Threads Serial)
    string(TOUPPER ${name} device)
    if(NOT HALOCLINE_BACKEND AND device IN_LIST Kokkos_DEVICES)
      set(HALOCLINE_BACKEND ${name})
    endif()
  endforeach()
endif()

string(TOUPPER ${HALOCLINE_BACKEND} device)
if(NOT device IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR "HALOCLINE_BACKEND is ${HALOCLINE_BACKEND}, but the Kokkos in ${Kokkos_DIR} has ${Kokkos_DEVICES}")
endif()
message(STATUS "Halocline ${PROJECT_VERSION} for ${HALOCLINE_BACKEND}, on Kokkos ${Kokkos_VERSION}")

if(HALOCLINE_BACKEND STREQUAL "Cuda")
  set(CMAKE_CUDA_ARCHITECTURES ${HALOCLINE_CUDA_ARCHITECTURES})
  enable_language(CUDA)
endif()
