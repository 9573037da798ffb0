#include "framework/runtime/environment.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/runtime/abrupt_end.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/doing.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/launcher.hpp"
#include "framework/runtime/processor.hpp"
#include "framework/runtime/provenance.hpp"
#include "framework/runtime/version.hpp"
#include "framework/runtime/waiting.hpp"

namespace halocline {

namespace {

/// The driver checks this earlier; this check is for other programs that use these libraries.
void require_processor() {
  std::array<char, 1024> text{};
  if (processor_obstacle(processor_needs(), text.data(), text.size())) throw InputError(text.data());
}

bool is_set(char const* name) { return std::getenv(name) != nullptr; }

/// For a process without a launcher. There Open MPI opens every network, starts a daemon, queries every PCI device and
/// creates folders that other such processes remove, and hwloc loads drivers of devices, some of which handle signals.
/// These settings limit it to itself, unless the user has set them, and detach it from a surrounding Slurm step. They
/// are reset once MPI has started, since child processes inherit the environment.
class LoneProcess {
 public:
  LoneProcess() {
    if (under_launcher()) return;
    for (auto const& [name, value] : settings) {
      if (!is_set(name)) change(name, value);
    }
    change("SLURM_STEP_ID", nullptr);
  }
  ~LoneProcess() {
    for (auto const& [name, value] : before_) set(name, value ? value->c_str() : nullptr);
  }
  LoneProcess(LoneProcess const&) = delete;
  LoneProcess& operator=(LoneProcess const&) = delete;

 private:
  static constexpr std::array<std::array<char const*, 2>, 6> settings{{{"OMPI_MCA_pml", "ob1"},
                                                                       {"OMPI_MCA_btl", "self"},
                                                                       {"OMPI_MCA_ess_singleton_isolated", "1"},
                                                                       {"OMPI_MCA_orte_create_session_dirs", "0"},
                                                                       {"HWLOC_COMPONENTS", "-pci,-linuxio"},
                                                                       {"HWLOC_PLUGINS_PATH", "/dev/null"}}};

  static void set(char const* name, char const* value) { value != nullptr ? setenv(name, value, 1) : unsetenv(name); }
  void change(char const* name, char const* value) {
    char const* const before = std::getenv(name);
    before_.emplace_back(name, before != nullptr ? std::optional<std::string>(before) : std::nullopt);
    set(name, value);
  }

  std::vector<std::pair<char const*, std::optional<std::string>>> before_;
};

/// With too few, MPI ends the program by _exit().
void require_open_files() {
  constexpr rlim_t needed = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  if (limit.rlim_cur == needed && setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  throw InputOutputError("at most " + std::to_string(limit.rlim_cur) +
                         " files may be open at once (ulimit -n), but MPI needs " + std::to_string(needed));
}

/// Returns whether this call started MPI.
bool start_mpi() {
  require_processor();
  int running = 0;
  int level = MPI_THREAD_SINGLE;
  MPI_Initialized(&running);
  // A process by itself waits for nobody.
  if (running != 0 || under_launcher()) request_short_turns();
  if (running != 0) {
    MPI_Query_thread(&level);
  } else {
    require_open_files();
    LoneProcess const lone;
    // MPI ends the program by exit() if it lacks a resource.
    CodeOwner const mpi{"", ExitCode::input_output};
    Doing const doing(mpi, "the start of MPI");
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    restore_abrupt_ends();
  }
  if (level < MPI_THREAD_FUNNELED) {
    if (running == 0) MPI_Finalize();
    // MPI_THREAD_SINGLE is the only level below FUNNELED.
    throw InputError("MPI runs at MPI_THREAD_SINGLE; Halocline needs MPI_THREAD_FUNNELED or more (MPI_Init_thread)");
  }
  return running == 0;
}

/// Position of a rank among the ranks of its host with the same role: compute or I/O.
struct Place {
  int rank = 0;
  int size = 1;
  bool is_io_rank = false;
  int others = 0;  ///< ranks of this host with the other role
};

/// \param io_ranks the last `io_ranks` ranks, and so the last on each host, are I/O ranks
Place place_on_host(MPI_Comm ranks, int io_ranks = 0) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  Place place{.is_io_rank = rank >= size - io_ranks};
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &place.rank);
  MPI_Comm_size(host, &size);
  int io_ranks_here = place.is_io_rank ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &io_ranks_here, 1, MPI_INT, MPI_SUM, host);
  MPI_Comm_free(&host);
  place.size = place.is_io_rank ? io_ranks_here : size - io_ranks_here;
  place.others = size - place.size;
  if (place.is_io_rank) place.rank -= place.others;
  return place;
}

/// A bound rank uses the cores to which the launcher bound it; unbound ranks share the host's evenly, after one core
/// for each I/O rank.
int share_of_cores(Place const& place) {
  if (place.is_io_rank) return 1;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  auto const online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  int const mine = sched_getaffinity(0, sizeof(usable), &usable) == 0 ? CPU_COUNT(&usable) : online;
  return mine < online ? mine : std::max(1, (online - place.others) / place.size);
}

/// The largest number of threads that Kokkos supports.
#ifdef KOKKOS_ENABLE_OPENMP
constexpr int most_threads = Kokkos::Impl::OpenMPTraits::MAX_THREAD_COUNT;
#else
constexpr int most_threads = 512;
#endif

/// Kokkos ends the program on an unreadable value, and writes out of bounds if there are too many threads.
void validate_threads(char const* variable) {
  char const* const text = std::getenv(variable);
  if (text == nullptr) return;
  // OMP_NUM_THREADS has a number for each level of nested regions; Kokkos uses the first.
  std::string_view const number = std::string_view(text).substr(0, std::string_view(text).find(','));
  int threads = 0;
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), threads);
  bool const whole = error == std::errc() && end == number.data() + number.size();
  if (whole && threads >= 1 && threads <= most_threads) return;
  throw InputError("the environment's " + std::string(variable) + "=" + text +
                   ": expected a number of threads from 1 to " + std::to_string(most_threads));
}

void initialize_kokkos(Kokkos::InitializationSettings const& settings) {
  CodeOwner const kokkos{"", ExitCode::wrong_input};
  Doing const doing(kokkos, "the start of Kokkos, as variables of the environment choose it (KOKKOS_..., OMP_...)");
  Kokkos::initialize(settings);
  restore_abrupt_ends();
}

struct PrepareThread {
  void operator()(int) const { prepare_thread_for_abrupt_end(); }
};

/// The devices of one rank of a host whose ranks all have the same `chosen` devices.
RankDevices devices_of(std::vector<int> const& chosen, Place const& place) {
  RankDevices devices{share_of_devices(chosen, place.rank, place.size)};
  for (int const number : devices.numbers) {
    int uses = 0;
    for (int rank = 0; rank < place.size; ++rank) {
      std::vector<int> const share = share_of_devices(chosen, rank, place.size);
      uses += static_cast<int>(std::count(share.begin(), share.end(), number));
    }
    devices.sharing = std::max(devices.sharing, uses);
  }
  return devices;
}

/// Without a choice each rank has one device.
std::vector<int> devices_of_host(std::optional<DeviceChoice> const& choice, Place const& place) {
  if (choice) return chosen_devices(*choice, all_devices());
  if (uses_device_memory() && device_count() == 0) {
    throw InputError(std::string("this build (") + backend_name +
                     ") computes on a device, but this process sees none; check the device and its driver");
  }
  std::vector<int> numbers(static_cast<std::size_t>(std::min(device_count(), place.size)));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Kokkos::InitializationSettings settings_for(EnvironmentOptions const& options, Place const& place, int device) {
  for (char const* const variable : {"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS"}) validate_threads(variable);
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (options.threads > 0) {
    settings.set_num_threads(options.threads);
  } else if (!is_set("OMP_NUM_THREADS") && !is_set("KOKKOS_NUM_THREADS")) {
    settings.set_num_threads(share_of_cores(place));
  }
  if (device >= 0) settings.set_device_id(device);
  return settings;
}

RankDevices& known_devices() {
  static RankDevices devices;
  return devices;
}

}  // namespace

RankDevices const& rank_devices() { return known_devices(); }

Environment::Environment(EnvironmentOptions const& options, MPI_Comm ranks)
    : options_(options), ranks_(ranks), started_mpi_(start_mpi()) {
  try {
    if (options.kokkos) start_kokkos();
  } catch (...) {
    if (started_mpi_) MPI_Finalize();
    throw;
  }
}

void Environment::start_kokkos(std::optional<DeviceChoice> const& choice, int io_ranks) {
  if (Kokkos::is_initialized()) {
    if (known_devices().numbers.empty() && device_number() >= 0) known_devices() = {{device_number()}};
    return;
  }
  wait_for_all(ranks_);
  Place const place = place_on_host(ranks_, io_ranks);
  RankDevices const devices = devices_of(devices_of_host(choice, place), place);
  initialize_kokkos(settings_for(options_, place, devices.numbers.empty() ? -1 : devices.numbers.front()));
  started_kokkos_ = true;
  known_devices() = place.is_io_rank ? RankDevices{} : devices;
  Kokkos::RangePolicy<HostExecution> const threads(0, host_threads(), Kokkos::ChunkSize(1));
  Kokkos::parallel_for(threads, PrepareThread{});
  wait_for_all(ranks_);
  remember_rank_places(ranks_);
}

Environment::~Environment() {
  if (started_kokkos_ && Kokkos::is_initialized()) Kokkos::finalize();
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (started_mpi_ && finalized == 0) MPI_Finalize();
}

std::string backend_hardware() {
  if (std::string device = device_name(); !device.empty()) return device;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    std::size_t const colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string utc_now() {
  std::time_t const seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

int host_threads() { return HostExecution().concurrency(); }

}  // namespace halocline
