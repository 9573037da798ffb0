#include "framework/runtime/gpu_aware_mpi.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "framework/runtime/child_process.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/kept_answer.hpp"
#include "framework/runtime/launcher.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

constexpr char const* question = "gpu-aware-mpi";

/// Prefixes of variables by which a process joins a run, or by which mpirun would search for hosts.
constexpr std::array launchers{"OMPI_COMM_WORLD_",
                               "OMPI_UNIVERSE_SIZE",
                               "OMPI_COMMAND",
                               "OMPI_ARGV",
                               "OMPI_NUM_APP_CTX",
                               "OMPI_FIRST_RANKS",
                               "OMPI_APP_CTX_",
                               "OMPI_FILE_LOCATION",
                               "OMPI_MCA_orte_",
                               "OMPI_MCA_ess",
                               "OMPI_MCA_pmix",
                               "OMPI_MCA_shmem_RUNTIME_",
                               "OMPI_MCA_initial_wdir",
                               "OMPI_MCA_mpi_oversubscribe",
                               "PMIX_",
                               "PMI_",
                               "PRTE_",
                               "PALS_",
                               "HYDRA_",
                               "HYDI_",
                               "MPI_LOCAL",
                               "MV2_COMM_WORLD_",
                               "SLURM",
                               "SRUN_",
                               "FLUX_",
                               "PBS_",
                               "LSB_",
                               "SGE_",
                               "PE_HOSTFILE",
                               "COBALT_",
                               "ALPS_"};

/// Prefixes of variables that choose MPI transports and the libraries loaded for them.
constexpr std::array choices{
    "OMPI_MCA_", "OPAL_", "UCX_", "MPICH_", "MPIR_CVAR_",       "MV2_",       "MVP_", "I_MPI_", "FI_",
    "PSM",       "CUDA_", "HIP_", "ROCR_",  "LD_LIBRARY_PATH=", "LD_PRELOAD="};

/// Parts of the names of libraries that transport messages or make device memory available to them.
constexpr std::array carriers{"/libmpi", "/libucp", "/libuct", "/libfabric", "/libpsm", "/libcuda.so", "/libamdhip64"};

bool begins_with_any(std::string_view text, auto const& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](char const* b) { return text.starts_with(b); });
}

/// Path, size and modification time of the libraries of this process that the answer depends on.
std::set<std::string> library_lines() {
  std::set<std::string> lines;
  auto const add = [](dl_phdr_info* library, std::size_t, void* found) {
    std::string_view const name = library->dlpi_name;
    bool const carries =
        std::any_of(carriers.begin(), carriers.end(), [&](char const* c) { return name.find(c) != name.npos; });
    if (!carries) return 0;
    std::error_code error;
    fs::path const path = fs::canonical(name, error);
    auto const bytes = fs::file_size(path, error);
    auto const changed = fs::last_write_time(path, error).time_since_epoch().count();
    static_cast<std::set<std::string>*>(found)->insert(fmt::format("library: {} {} {}", path.string(), bytes, changed));
    return 0;
  };
  dl_iterate_phdr(add, &lines);
  return lines;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string version(text.data(), static_cast<std::size_t>(length));
  std::replace(version.begin(), version.end(), '\n', ' ');
  return version;
}

/// The folder of the library that contains this function.
fs::path library_folder() {
  static int const here = 0;
  Dl_info library{};
  if (dladdr(&here, &library) == 0 || library.dli_fname == nullptr) return {};
  std::error_code error;
  return fs::canonical(library.dli_fname, error).parent_path();
}

bool has_line(std::string const& text, std::string const& line) {
  return ('\n' + text).find('\n' + line + '\n') != std::string::npos;
}

/// Number of ranks that began a trial, from its output; 0: it did not begin.
int begun(ChildEnd const& end) { return has_line(end.said, "begun 2") ? 2 : has_line(end.said, "begun 1") ? 1 : 0; }

GpuAwareMpiAnswer answer_of(ChildEnd const& end) {
  bool const began = begun(end) > 0;
  bool const wrong = has_line(end.said, "wrong");
  if (began && !wrong && end.failure.empty() && has_line(end.said, "right")) return {};
  std::string const why = wrong ? "received wrong values" : end.failure.empty() ? "reported no result" : end.failure;
  // A failure before the messages, or from outside, may not recur: no memory on the device, a busy host.
  return {"MPI does not accept device memory: a trial process " + why, began && end.cause != ChildEnd::Cause::outside};
}

GpuAwareMpiAnswer find_out() {
  GpuAwareMpiTrial const trial = default_gpu_aware_mpi_trial();
  fs::path const folder = cache_folder();
  std::string const key = gpu_aware_mpi_key(trial);
  auto const told = [](GpuAwareMpiAnswer const& answer, std::string const& how) {
    log_debug((answer.obstacle.empty() ? "MPI accepts device memory" : answer.obstacle) + " (" + how + ")");
  };
  if (std::optional<std::string> const known = kept_answer(folder, question, key)) {
    GpuAwareMpiAnswer const answer{*known};
    told(answer, "recorded in " + file_of_answer(folder, question, key).string());
    return answer;
  }
  GpuAwareMpiAnswer answer = try_gpu_aware_mpi(trial);
  told(answer, "tested now");
  if (answer.lasting) keep_answer(folder, question, key, answer.obstacle);
  return answer;
}

}  // namespace

std::string const& gpu_aware_mpi_obstacle() {
  static GpuAwareMpiAnswer const answer = find_out();
  return answer.obstacle;
}

GpuAwareMpiTrial default_gpu_aware_mpi_trial() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return {.program = library_folder() / "halocline" / "probe-gpu-aware-mpi",
          .launcher = {mpirun_program(), "-n", "2"},
          .environment = trial_environment(variables),
          .device = std::max(0, device_number())};
}

std::vector<std::string> trial_environment(std::span<std::string const> variables) {
  std::vector<std::string> kept;
  for (std::string const& variable : variables) {
    if (!begins_with_any(variable, launchers)) kept.push_back(variable);
  }
  return kept;
}

GpuAwareMpiAnswer try_gpu_aware_mpi(GpuAwareMpiTrial const& trial) {
  if (access(trial.program.c_str(), X_OK) != 0) {
    return {"cannot test whether MPI accepts device memory: there is no program " + trial.program.string(), false};
  }
  auto const seconds = std::chrono::ceil<std::chrono::seconds>(trial.timeout).count();
  std::vector<std::string> const alone{trial.program.string(), std::to_string(trial.device), std::to_string(seconds)};
  std::vector<std::string> pair = trial.launcher;
  pair.insert(pair.end(), alone.begin(), alone.end());

  // If a variable occurs twice, the first one counts: the user's.
  std::vector<std::string> variables = trial.environment;
  if (geteuid() == 0) {  // in containers, where Open MPI's refusal to run as root serves no purpose
    variables.insert(variables.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  }
  // Two ranks share one core if there is no other.
  variables.insert(variables.end(), {"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_hwloc_base_binding_policy=none",
                                     "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe"});
  ChildEnd const of_pair = run_child(pair, variables, trial.timeout);
  // Output just before a fault may be lost.
  if (begun(of_pair) == 2 || of_pair.cause == ChildEnd::Cause::fault) return answer_of(of_pair);

  log_debug(fmt::format("`{}` does not start a trial of two ranks here: it {}", pair.front(),
                        of_pair.failure.empty() ? "started them as separate runs" : of_pair.failure));
  // Otherwise Open MPI starts a daemon for it.
  variables.emplace_back("OMPI_MCA_ess_singleton_isolated=1");
  return answer_of(run_child(alone, variables, trial.timeout));
}

std::string gpu_aware_mpi_key(GpuAwareMpiTrial const& trial) {
  std::string key =
      fmt::format("halocline: {} {}\nMPI: {}\ndevice: {}\n", version, revision(), mpi_version(), device_name());
  for (std::string const& line : library_lines()) key += line + '\n';
  std::vector<std::string> variables = trial.environment;
  std::sort(variables.begin(), variables.end());
  for (std::string const& variable : variables) {
    if (begins_with_any(variable, choices)) key += "variable: " + variable + '\n';
  }
  return key;
}

}  // namespace halocline
