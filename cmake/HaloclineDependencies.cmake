# Finds what Halocline stands on. What the user brings (X_ROOT, CMAKE_PREFIX_PATH, a system prefix) wins over what the
# set-up built, because PATHS is the last place that find_package looks into.
include_guard()

# Where the set-up's own builds are; empty for a build that brings everything by itself.
set(HALOCLINE_PREFIX "" CACHE STRING "Prefixes built by tools/setup.sh, best first")

# Debian's Kokkos is 3.4: the version keeps it out. DEVICE, if given, is one the Kokkos must have (OPENMP, CUDA, …).
macro(halocline_find_kokkos device)
  find_package(Kokkos 4.5 REQUIRED PATHS ${HALOCLINE_PREFIX})
  if(NOT "${device}" STREQUAL "" AND NOT "${device}" IN_LIST Kokkos_DEVICES)
    message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} is without ${device} (it has ${Kokkos_DEVICES})")
  endif()
endmacro()

macro(halocline_find_kokkos_kernels)
  find_package(KokkosKernels 4.5 REQUIRED PATHS ${HALOCLINE_PREFIX})
endmacro()

# Debian's Teuchos brings its own old Kokkos into the process, so system prefixes are not looked into.
macro(halocline_find_teuchos)
  find_package(Teuchos REQUIRED NO_CMAKE_SYSTEM_PATH NO_SYSTEM_ENVIRONMENT_PATH PATHS ${HALOCLINE_PREFIX})
  if(NOT TARGET Teuchos::teuchos)
    add_library(Teuchos::teuchos INTERFACE IMPORTED)
    target_link_libraries(Teuchos::teuchos INTERFACE ${Teuchos_LIBRARIES})
    target_include_directories(Teuchos::teuchos SYSTEM INTERFACE ${Teuchos_INCLUDE_DIRS})
  endif()
endmacro()

macro(halocline_find_mpi)
  find_package(MPI REQUIRED COMPONENTS C)
  # The C++ bindings left MPI long ago; without this, Open MPI's header still declares them.
  set_property(TARGET MPI::MPI_C APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS OMPI_SKIP_MPICXX)
endmacro()
