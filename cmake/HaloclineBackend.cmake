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

  # Libraries of NVIDIA that halos may go by: NCCL_ROOT and NVSHMEM_ROOT say where to look first. AUTO takes what is there.
  if(HALOCLINE_NCCL)
    find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} ENV NCCL_ROOT PATH_SUFFIXES include)
    find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${NCCL_ROOT} ENV NCCL_ROOT PATH_SUFFIXES lib lib64)
    if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
      add_library(NCCL::nccl UNKNOWN IMPORTED)
      set_target_properties(NCCL::nccl PROPERTIES
        IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
    elseif(NOT HALOCLINE_NCCL STREQUAL "AUTO")
      message(FATAL_ERROR "HALOCLINE_NCCL is ${HALOCLINE_NCCL}, and no NCCL is found; NCCL_ROOT says where to look")
    endif()
  endif()
  if(HALOCLINE_NVSHMEM)
    find_path(NVSHMEM_INCLUDE_DIR nvshmem.h HINTS ${NVSHMEM_ROOT} ENV NVSHMEM_ROOT PATH_SUFFIXES include)
    find_library(NVSHMEM_HOST_LIBRARY NAMES nvshmem_host libnvshmem_host.so.3 HINTS ${NVSHMEM_ROOT} ENV NVSHMEM_ROOT
      PATH_SUFFIXES lib lib64)
    find_library(NVSHMEM_DEVICE_LIBRARY nvshmem_device HINTS ${NVSHMEM_ROOT} ENV NVSHMEM_ROOT PATH_SUFFIXES lib lib64)
    if(NVSHMEM_INCLUDE_DIR AND NVSHMEM_HOST_LIBRARY AND NVSHMEM_DEVICE_LIBRARY)
      find_package(CUDAToolkit REQUIRED)
      add_library(NVSHMEM::nvshmem INTERFACE IMPORTED)
      target_include_directories(NVSHMEM::nvshmem SYSTEM INTERFACE ${NVSHMEM_INCLUDE_DIR})
      target_link_libraries(NVSHMEM::nvshmem INTERFACE
        ${NVSHMEM_DEVICE_LIBRARY} ${NVSHMEM_HOST_LIBRARY} CUDA::cuda_driver)
    elseif(NOT HALOCLINE_NVSHMEM STREQUAL "AUTO")
      message(FATAL_ERROR "HALOCLINE_NVSHMEM is ${HALOCLINE_NVSHMEM}, and no NVSHMEM is found; NVSHMEM_ROOT says where to look")
    endif()
  endif()
endif()
