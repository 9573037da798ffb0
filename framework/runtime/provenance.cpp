#include "framework/runtime/provenance.hpp"

#include <array>
#include <sstream>

#include "framework/runtime/environment.hpp"
#include "framework/runtime/placement.hpp"

namespace halocline {
namespace {

std::vector<RankPlace>& kept_places() {
  static std::vector<RankPlace> places;
  return places;
}

/// The variables of a batch system.
struct Names {
  char const* system;
  char const* id;
  char const* name;
  char const* task;
};
constexpr std::array<Names, 4> systems{{{"Slurm", "SLURM_JOB_ID", "SLURM_JOB_NAME", "SLURM_ARRAY_TASK_ID"},
                                        {"PBS", "PBS_JOBID", "PBS_JOBNAME", "PBS_ARRAY_INDEX"},
                                        {"LSF", "LSB_JOBID", "LSB_JOBNAME", "LSB_JOBINDEX"},
                                        {"Flux", "FLUX_JOB_ID", "FLUX_JOB_NAME", "FLUX_JOB_CC"}}};

}  // namespace

std::vector<RankPlace> const& rank_places() { return kept_places(); }

void remember_rank_places(MPI_Comm ranks) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  std::string mine = host_name() + '\n' + usable_cores_text() + '\n' + std::to_string(host_threads()) + '\n';
  // Pad every text to the longest.
  auto length = static_cast<int>(mine.size());
  MPI_Allreduce(MPI_IN_PLACE, &length, 1, MPI_INT, MPI_MAX, ranks);
  mine.resize(static_cast<std::size_t>(length));
  std::string all(rank == 0 ? static_cast<std::size_t>(length) * static_cast<std::size_t>(size) : 0, '\0');
  MPI_Gather(mine.data(), length, MPI_CHAR, all.data(), length, MPI_CHAR, 0, ranks);
  kept_places().clear();
  for (std::size_t first = 0; first < all.size(); first += static_cast<std::size_t>(length)) {
    std::istringstream text(all.substr(first, static_cast<std::size_t>(length)));
    RankPlace place;
    std::getline(text, place.node);
    std::getline(text, place.cores);
    text >> place.threads;
    kept_places().push_back(std::move(place));
  }
}

std::optional<BatchJob> batch_job(Variables const& variables) {
  auto const text = [&](char const* name) {
    char const* const value = variables(name);
    return std::string(value == nullptr ? "" : value);
  };
  for (Names const& names : systems) {
    if (std::string id = text(names.id); !id.empty()) {
      return BatchJob{names.system, std::move(id), text(names.name), text(names.task)};
    }
  }
  return std::nullopt;
}

}  // namespace halocline
