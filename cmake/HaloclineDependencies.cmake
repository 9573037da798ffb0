# Finds what Halocline's interfaces stand on. What the user brings (X_ROOT, CMAKE_PREFIX_PATH, a system prefix) wins over
# what the set-up built, because PATHS is the last place that find_package looks into. HOW is REQUIRED or QUIET.
include_guard()

# Where the set-up's own builds are; empty for a build that brings everything by itself.
set(HALOCLINE_PREFIX "" CACHE STRING "Prefixes built by tools/setup.sh, best first")

# Debian's Kokkos is 3.4: the version keeps it out. DEVICE, if given, is one it must have (OPENMP, CUDA, …).
macro(halocline_find_kokkos how device)
  find_package(Kokkos 4.5 ${how} PATHS ${HALOCLINE_PREFIX})
  if(Kokkos_FOUND)
    if(NOT "${device}" STREQUAL "" AND NOT "${device}" IN_LIST Kokkos_DEVICES)
      message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} is without ${device}; it has ${Kokkos_DEVICES}")
    endif()
    # A static Kokkos would be in the program and in every plugin once more.
    get_target_property(_kokkos_type Kokkos::kokkoscore TYPE)
    if(NOT _kokkos_type STREQUAL "SHARED_LIBRARY")
      message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} was built without BUILD_SHARED_LIBS")
    endif()
  endif()
endmacro()

macro(halocline_find_kokkos_kernels how)
  find_package(KokkosKernels 4.5 ${how} PATHS ${HALOCLINE_PREFIX})
endmacro()

# Debian's Teuchos brings its own old Kokkos into the process, so system prefixes are not looked into.
macro(halocline_find_teuchos how)
  find_package(Teuchos ${how} NO_CMAKE_SYSTEM_PATH NO_SYSTEM_ENVIRONMENT_PATH PATHS ${HALOCLINE_PREFIX})
  if(Teuchos_FOUND AND NOT TARGET Teuchos::teuchos)
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
