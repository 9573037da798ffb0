#include "drivers/halocline/output_folder.hpp"

#include <system_error>

#include "drivers/halocline/commands.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

/// The file that says that a folder holds a run.
constexpr char const* record_of_a_run = "summary.json";

/// The nearest folder above `path` that exists.
fs::path existing_parent(fs::path const& path) {
  fs::path parent = fs::absolute(path).parent_path();
  while (!fs::exists(parent) && parent.has_relative_path()) parent = parent.parent_path();
  return parent;
}

void judge(fs::path const& folder, bool overwrite) {
  std::string const name = "`" + folder.string() + "`: ";
  if (fs::exists(folder) && !fs::is_directory(folder)) throw InputError(name + "is a file; --output names a folder");
  if (!fs::exists(folder) && !fs::is_directory(existing_parent(folder))) {
    throw InputError(name + "cannot be made, " + existing_parent(folder).string() + " is a file");
  }
  if (!overwrite && fs::exists(folder / record_of_a_run)) {
    throw InputError(name + "holds a run; --overwrite replaces it, --output names another folder");
  }
}

/// Runs `work` on rank 0; what it throws reaches all ranks.
template <class Work>
void on_rank_0(Communicator const& communicator, Work const& work) {
  std::exception_ptr failure;
  try {
    if (communicator.rank() == 0) work();
  } catch (...) {
    failure = std::current_exception();
  }
  communicator.agree(failure);
}

}  // namespace

fs::path judged_output_folder(RunCommand const& command, Communicator const& communicator) {
  fs::path folder = command.output;
  if (folder.empty()) folder = fs::path(command.deck).stem().string() + ".out";
  on_rank_0(communicator, [&] { judge(folder, command.overwrite); });
  return folder;
}

void make_output_folder(fs::path const& folder, Communicator const& communicator) {
  on_rank_0(communicator, [&] {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw InputOutputError("`" + folder.string() + "`: cannot be made: " + error.message());
  });
}

}  // namespace halocline
