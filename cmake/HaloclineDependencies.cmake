# Finds the dependencies of Halocline's interfaces. The user's packages (X_ROOT, CMAKE_PREFIX_PATH, a system prefix) take
# precedence over those built by the set-up, because find_package searches PATHS last. HOW is REQUIRED or QUIET.
include_guard()

# Prefixes of the set-up's own builds; empty if all dependencies come from elsewhere.
set(HALOCLINE_PREFIX "" CACHE STRING "Prefixes built by tools/setup.sh, best first")

# Reports what is missing, what was found instead, and how to get it.
function(_halocline_missing name wanted)
  set(refused "")
  foreach(config version IN ZIP_LISTS ${name}_CONSIDERED_CONFIGS ${name}_CONSIDERED_VERSIONS)
    string(APPEND refused "\n  ${version} in ${config} will not do.")
  endforeach()
  set(preset release)
  if(HALOCLINE_BACKEND MATCHES "^(Serial|Threads|Cuda|HIP)$")
    string(TOLOWER ${HALOCLINE_BACKEND} preset)
  endif()
  message(FATAL_ERROR "${name}${wanted} was not found.${refused}\n"
    "  `tools/setup.sh ${preset}` builds it, and `cmake --preset ${preset}` takes it from there; "
    "one of your own is named by ${name}_ROOT or CMAKE_PREFIX_PATH.")
endfunction()

# The required version excludes Debian's Kokkos 3.4. DEVICE, if given, must be enabled in it (OPENMP, CUDA, …).
macro(halocline_find_kokkos how device)
  find_package(Kokkos 4.5 QUIET PATHS ${HALOCLINE_PREFIX})
  if(Kokkos_FOUND)
    if(NOT "${device}" STREQUAL "" AND NOT "${device}" IN_LIST Kokkos_DEVICES)
      message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} is without ${device}; it has ${Kokkos_DEVICES}")
    endif()
    # The program and every plugin would each contain a copy of a static Kokkos.
    get_target_property(_kokkos_type Kokkos::kokkoscore TYPE)
    if(NOT _kokkos_type STREQUAL "SHARED_LIBRARY")
      message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} was built without BUILD_SHARED_LIBS")
    endif()
  elseif("${how}" STREQUAL "REQUIRED")
    _halocline_missing(Kokkos " 4.5 or newer")
  endif()
endmacro()

macro(halocline_find_kokkos_kernels how)
  find_package(KokkosKernels 4.5 QUIET PATHS ${HALOCLINE_PREFIX})
  if(NOT KokkosKernels_FOUND AND "${how}" STREQUAL "REQUIRED")
    _halocline_missing(KokkosKernels " 4.5 or newer")
  endif()
endmacro()

# TeuchosComm sums timers over ranks. Without MPI its original sources support no other communicator; the set-up patches
# them and defines a macro that says so (tools/install.sh).
function(_halocline_require_teuchos_comm)
  foreach(folder IN LISTS Teuchos_INCLUDE_DIRS)
    if(NOT EXISTS ${folder}/Teuchos_config.h)
      continue()
    endif()
    set(lack "")
    if(NOT EXISTS ${folder}/Teuchos_TimeMonitor.hpp)
      set(lack "is without TeuchosComm")
    else()
      file(STRINGS ${folder}/Teuchos_config.h with_mpi REGEX "^#define HAVE_TEUCHOS_MPI")
      file(STRINGS ${folder}/Teuchos_CommHelpers.hpp mended REGEX "^#define TEUCHOS_COMM_IS_ALWAYS_ASKED")
      if(NOT with_mpi AND NOT mended)
        set(lack "was built without MPI, and so can sum nothing over ranks")
      endif()
    endif()
    if(lack)
      message(FATAL_ERROR "The Teuchos in ${Teuchos_DIR} ${lack}. `tools/setup.sh` brings one that will do; one of your own "
        "needs Trilinos_ENABLE_TeuchosComm=ON and TPL_ENABLE_MPI=ON.")
    endif()
  endforeach()
endfunction()

# Debian's Teuchos would load its own old Kokkos into the process, so system prefixes are not searched. HOW may also be
# INSTALLED: the Teuchos that Halocline was built with is not checked again.
macro(halocline_find_teuchos how)
  find_package(Teuchos QUIET NO_CMAKE_SYSTEM_PATH NO_SYSTEM_ENVIRONMENT_PATH PATHS ${HALOCLINE_PREFIX})
  if(Teuchos_FOUND AND NOT "${how}" STREQUAL "INSTALLED")
    _halocline_require_teuchos_comm()
  endif()
  if(Teuchos_FOUND AND NOT TARGET Teuchos::teuchos)
    add_library(Teuchos::teuchos INTERFACE IMPORTED)
    target_link_libraries(Teuchos::teuchos INTERFACE ${Teuchos_LIBRARIES})
    target_include_directories(Teuchos::teuchos SYSTEM INTERFACE ${Teuchos_INCLUDE_DIRS})
  elseif(NOT Teuchos_FOUND AND "${how}" STREQUAL "REQUIRED")
    _halocline_missing(Teuchos "")
  endif()
endmacro()

# MPI's C interface as MPI::MPI_C. A project without C has no C compiler to query: there the target is made from the
# settings for C++, without the C++ bindings.
macro(halocline_find_mpi)
  get_property(_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if("C" IN_LIST _languages)
    find_package(MPI REQUIRED COMPONENTS C)
  else()
    set(MPI_CXX_SKIP_MPICXX ON)
    find_package(MPI REQUIRED COMPONENTS CXX)
    if(NOT TARGET MPI::MPI_C)
      set(_mpi_libraries ${MPI_CXX_LIBRARIES})
      list(FILTER _mpi_libraries EXCLUDE REGEX "/lib(mpi_cxx|mpicxx|mpichcxx)[.]")
      add_library(MPI::MPI_C INTERFACE IMPORTED)
      set_target_properties(MPI::MPI_C PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${MPI_CXX_INCLUDE_DIRS}" INTERFACE_LINK_LIBRARIES "${_mpi_libraries}")
      if(MPI_CXX_LINK_FLAGS)
        separate_arguments(_mpi_flags NATIVE_COMMAND "${MPI_CXX_LINK_FLAGS}")
        set_target_properties(MPI::MPI_C PROPERTIES INTERFACE_LINK_OPTIONS "${_mpi_flags}")
      endif()
    endif()
  endif()
  # The C++ bindings are no longer part of MPI, but Open MPI's header still declares them without this definition.
  set_property(TARGET MPI::MPI_C APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS OMPI_SKIP_MPICXX)
endmacro()
