# halocline_add_test(NAME SOURCES FILE… [KERNEL_SOURCES FILE…] [LIBRARIES …] [RANKS 1 2 3 4] [LABELS …] [TIMEOUT SECONDS]
#   [OPTIMIZED])
#
# Adds a GoogleTest executable with the main of tests/support, which starts MPI and Kokkos. With RANKS, one ctest for each
# number of ranks; otherwise a single one without mpirun. LIBRARIES are modules by name, or targets. OPTIMIZED compiles
# the test with the optimisation of libraries: for tests of code that is compiled into them.
#
# halocline_add_test_library(NAME KERNEL_SOURCES FILE… LIBRARIES …): code shared by several tests
#
# halocline_add_script_test(NAME COMMAND … [LABELS …] [TIMEOUT SECONDS] [PROCESSORS N] [ENVIRONMENT …])
#
# Adds any other command as a test, with the same environment.
#
# HALOCLINE_TEST_LABELS are labels of all tests of a folder and of those below it. `ctest -LE host` leaves out what a device
# makes no difference to. Tests with the label `kills` kill processes on purpose, which NVIDIA's multi-process service does
# not survive.
#
# TIMEOUT is what the test takes at most on two idle cores, 120 s without it. It is ended after ten times that: other
# programs may use the cores, and the limit is only for a test that hangs.
include_guard()

if(NOT HALOCLINE_TESTS)
  function(halocline_add_test)
  endfunction()
  function(halocline_add_test_library)
  endfunction()
  function(halocline_add_script_test)
  endfunction()
  return()
endif()

enable_testing()
find_package(GTest 1.12 REQUIRED)
# The distribution's Python has the readers for tests of files (VTK, h5py); another one on PATH may not.
set(Python3_ROOT_DIR /usr)
set(Python3_FIND_STRATEGY LOCATION)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Several ranks share the cores of one machine: no pinning, one thread a rank, and the transport that starts fastest. They
# may share the cores with other programs, too: MPI's blocking calls yield, and threads sleep while they wait.
set(HALOCLINE_TEST_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
  OMP_PROC_BIND=false OMP_WAIT_POLICY=passive)
# MPICH's blocking calls do not yield the core that another rank needs.
halocline_mpi_kind(_mpi_kind)
set(HALOCLINE_TEST_TIMEOUT_FACTOR 10)
if(_mpi_kind STREQUAL "MPICH")
  set(HALOCLINE_TEST_TIMEOUT_FACTOR 50)
endif()
if(HALOCLINE_SANITIZE)
  set(HALOCLINE_TEST_TIMEOUT_FACTOR 50)
  list(APPEND HALOCLINE_TEST_ENVIRONMENT
    UBSAN_OPTIONS=print_stacktrace=1
    # Tests include running out of memory. Leaks are not tested: Open MPI unloads its modules, whose leaks then cannot be
    # distinguished from ours.
    ASAN_OPTIONS=detect_odr_violation=1:allocator_may_return_null=1:detect_leaks=0)
endif()

function(_halocline_test_properties name processors labels timeout environment)
  if(NOT timeout)
    set(timeout 120)
  endif()
  math(EXPR timeout "${HALOCLINE_TEST_TIMEOUT_FACTOR} * ${timeout}")
  list(PREPEND labels ${HALOCLINE_TEST_LABELS})
  set_tests_properties(${name} PROPERTIES PROCESSORS ${processors} TIMEOUT ${timeout} LABELS "${labels}"
    ENVIRONMENT "${HALOCLINE_TEST_ENVIRONMENT};${environment}")
endfunction()

# The tested code is in libraries; tests compile in two thirds of the time this way.
function(_halocline_optimize_little target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>>:-O1>)
endfunction()

function(halocline_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMIZED" "TIMEOUT" "SOURCES;KERNEL_SOURCES;LIBRARIES;RANKS;LABELS")
  if(NOT TARGET halocline_test_main)
    halocline_add_test_library(halocline_test_main
      KERNEL_SOURCES ${PROJECT_SOURCE_DIR}/tests/support/main.cpp LIBRARIES runtime GTest::gtest GTest::gmock)
  endif()
  add_executable(${name})
  halocline_plain_sources(${name} ${arg_SOURCES})
  halocline_kernel_sources(${name} ${arg_KERNEL_SOURCES})
  halocline_strict(${name})
  if(NOT arg_OPTIMIZED)
    _halocline_optimize_little(${name})
  endif()
  halocline_link(${name} PRIVATE halocline_test_main ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(NOT arg_RANKS)
    add_test(NAME ${name} COMMAND ${name})
    _halocline_test_properties(${name} 2 "${arg_LABELS}" "${arg_TIMEOUT}" "OMP_NUM_THREADS=2")
    return()
  endif()
  foreach(ranks IN LISTS arg_RANKS)
    add_test(NAME ${name}.${ranks} COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} $<TARGET_FILE:${name}>)
    _halocline_test_properties(${name}.${ranks} ${ranks} "mpi;${arg_LABELS}" "${arg_TIMEOUT}" "OMP_NUM_THREADS=1")
  endforeach()
endfunction()

function(halocline_add_test_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "KERNEL_SOURCES;LIBRARIES")
  add_library(${name} STATIC)
  halocline_kernel_sources(${name} ${arg_KERNEL_SOURCES})
  halocline_strict(${name})
  _halocline_optimize_little(${name})
  halocline_link(${name} PUBLIC ${arg_LIBRARIES})
endfunction()

function(halocline_add_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;PROCESSORS" "COMMAND;LABELS;ENVIRONMENT")
  if(NOT arg_PROCESSORS)
    set(arg_PROCESSORS 1)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  _halocline_test_properties(${name} ${arg_PROCESSORS} "${arg_LABELS}" "${arg_TIMEOUT}"
    "OMP_NUM_THREADS=1;${arg_ENVIRONMENT}")
endfunction()
