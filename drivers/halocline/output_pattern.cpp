#include "drivers/halocline/output_pattern.hpp"

#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "framework/deck/nearest_name.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// Environment variables for job numbers of Slurm, PBS, LSF and Grid Engine, in this order.
std::vector<char const*> const job_variables{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"};
std::vector<char const*> const task_variables{"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX",
                                              "SGE_TASK_ID"};

/// Values of the array index variable for jobs that are not arrays.
bool is_none(std::string_view value) { return value.empty() || value == "undefined"; }

std::string value_of(std::string const& name, std::vector<char const*> const& variables, Variables const& environment) {
  std::string asked;
  for (char const* const variable : variables) {
    char const* const value = environment(variable);
    bool const none = value == nullptr || is_none(value) ||
                      (variable == std::string_view("LSB_JOBINDEX") && value == std::string_view("0"));
    if (!none) return value;
    asked += (asked.empty() ? "" : ", ") + std::string(variable);
  }
  throw InputError("--output: {" + name + "}: no batch system has set it (none of " + asked + " is set); leave it out");
}

}  // namespace

std::string output_of(std::string const& pattern, std::string const& deck, Variables const& variables) {
  std::string folder;
  for (std::size_t n = 0; n < pattern.size(); ++n) {
    char const letter = pattern[n];
    bool const brace = letter == '{' || letter == '}';
    if (!brace || pattern.substr(n, 2) == std::string(2, letter)) {
      folder += letter;
      n += brace ? 1 : 0;
      continue;
    }
    std::size_t const end = letter == '{' ? pattern.find('}', n) : std::string::npos;
    if (end == std::string::npos) {
      throw InputError("--output: `" + pattern + "`: unmatched brace; write `{{` and `}}` for braces in a name");
    }
    std::string const name = pattern.substr(n + 1, end - n - 1);
    n = end;
    if (name == "deck") {
      folder += std::filesystem::path(deck).stem().string();
    } else if (name == "job") {
      folder += value_of(name, job_variables, variables);
    } else if (name == "task") {
      folder += value_of(name, task_variables, variables);
    } else {
      throw InputError("--output: {" + name + "}: unknown; " +
                       advice_for(name, std::array<std::string, 3>{"deck", "job", "task"}));
    }
  }
  return folder;
}

}  // namespace halocline
