#include "framework/io/output_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "framework/io/checkpoint.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/runtime/abrupt_end.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/first_rank.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {

namespace {

namespace fs = std::filesystem;

/// Whether a run writes files with this name.
bool belongs_to_a_run(std::string const& name) {
  constexpr std::array<std::string_view, 13> names{
      "summary.json",  "scalars.csv", "traces.csv", "residuals.csv", "sweep.csv",  "mesh.h5",    series_name,
      "residuals.png", "traces.png",  "trace.json", "bodies.png",    "energy.png", "scalars.png"};
  for (std::string_view const own : names) {
    if (name == own || name == std::string(own) + ".partial" || name == std::string(own) + ".reserved") return true;
  }
  // Reserved space, and partial files of ranks that end abruptly.
  if (name.starts_with("summary.json.")) return true;
  if (is_checkpoint_name(name)) return true;
  constexpr std::string_view partial = ".partial";
  std::string const whole = name.ends_with(partial) ? name.substr(0, name.size() - partial.size()) : name;
  if (is_snapshot_name(whole)) return true;
  if (name.starts_with("animation_")) return name.ends_with(".gif");
  return name.starts_with("slice_") && name.ends_with(".png");
}

bool holds_a_run(fs::path const& folder) {
  for (fs::directory_entry const& entry : fs::directory_iterator(folder)) {
    if (belongs_to_a_run(entry.path().filename().string())) return true;
  }
  return false;
}

/// `folder` or its nearest existing parent.
fs::path nearest_existing(fs::path const& folder) {
  fs::path nearest = fs::absolute(folder).lexically_normal();
  while (!fs::exists(fs::symlink_status(nearest))) nearest = nearest.parent_path();
  return nearest;
}

void clear(fs::path const& folder) {
  try {
    for (fs::directory_entry const& entry : fs::directory_iterator(folder)) {
      std::string const name = entry.path().filename().string();
      if (is_checkpoint_name(name) && fs::is_directory(entry.symlink_status())) {
        remove_checkpoint(entry.path());
      } else if (belongs_to_a_run(name)) {
        fs::remove(entry.path());
      }
    }
  } catch (fs::filesystem_error const& error) {
    throw InputOutputError("cannot prepare the output folder " + shown(folder.string()) + ": " +
                           error.code().message());
  }
}

}  // namespace

fs::path default_output_folder(fs::path const& deck) { return deck.stem().string() + ".out"; }

void validate_output_folder(fs::path const& folder, bool overwrite) {
  std::string const name = shown(folder.string());
  try {
    fs::path const nearest = nearest_existing(folder);
    if (!fs::is_directory(nearest))
      throw InputError(name + " cannot be the output folder: " + shown(nearest.string()) + " is not a folder");
    if (access(nearest.c_str(), W_OK | X_OK) != 0)
      throw InputError("cannot write to the output folder " + name + ": no permission in " + shown(nearest.string()));
    if (!overwrite && fs::exists(folder) && holds_a_run(folder)) {
      throw InputError(name + " holds a run already; --overwrite replaces it, --output chooses another folder");
    }
  } catch (fs::filesystem_error const& error) {
    throw InputError("cannot use the output folder " + name + ": " + error.code().message());
  }
}

/// Deletes the lock file and the created folders if the process crashes.
class FolderClaim::Retreat final : public AbruptRecord {
 public:
  Retreat(fs::path const& folder, std::vector<fs::path> made)
      : lock_((folder / lock_name).string()), made_(std::move(made)) {
    set_abrupt_retreat(this);
  }
  ~Retreat() override { set_abrupt_retreat(nullptr); }
  Retreat(Retreat const&) = delete;
  Retreat& operator=(Retreat const&) = delete;

  void close(ExitCode, std::string_view) noexcept override {
    unlink(lock_.c_str());
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) rmdir(folder->c_str());
  }

 private:
  std::string lock_;
  std::vector<fs::path> made_;
};

FolderClaim::FolderClaim() = default;

FolderClaim::FolderClaim(fs::path const& folder, bool overwrite, LockFunction const& lock) : FolderClaim() {
  validate_output_folder(folder, overwrite);
  for (int attempts = 1; !lock_; ++attempts) {
    try {
      make(folder);
      lock_.emplace(folder, lock);
    } catch (fs::filesystem_error const& error) {
      // Another run that did not begin has just removed it.
      if (error.code() == std::errc::no_such_file_or_directory && attempts < 100) continue;
      throw InputOutputError("cannot prepare the output folder " + shown(folder.string()) + ": " +
                             error.code().message());
    }
  }
  // Another run may have ended in it meanwhile.
  validate_output_folder(folder, overwrite);
  retreat_ = std::make_unique<Retreat>(folder, made_);
}

FolderClaim::FolderClaim(fs::path const& folder, LockHolder const& starter, LockFunction const& lock) : FolderClaim() {
  lock_.emplace(folder, starter, lock);
}

void FolderClaim::leave_to_ranks() {
  retreat_.reset();
  lock_->leave_to_ranks();
}

FolderClaim::~FolderClaim() {
  retreat_.reset();
  lock_.reset();
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) rmdir(folder->c_str());
}

void FolderClaim::make(fs::path const& folder) {
  fs::path each;
  for (fs::path const& part : folder) {
    each /= part;
    if (!fs::exists(each) && fs::create_directory(each)) made_.push_back(each);
  }
}

std::vector<fs::path> later_files(fs::path const& folder, std::vector<std::string> const& files) {
  std::vector<fs::path> later;
  try {
    for (fs::directory_entry const& entry : fs::directory_iterator(folder)) {
      std::string const name = entry.path().filename().string();
      bool const stays = is_checkpoint_name(name) || !belongs_to_a_run(name) ||
                         std::find(files.begin(), files.end(), name) != files.end();
      if (stays) continue;
      if (fs::is_directory(entry.symlink_status())) {
        throw InputOutputError(shown(entry.path().string()) +
                               " is a folder, but has the name of a file of a run; rename it");
      }
      later.push_back(entry.path());
    }
  } catch (fs::filesystem_error const& error) {
    throw InputOutputError("cannot read the output folder " + shown(folder.string()) + ": " + error.code().message());
  }
  return later;
}

void return_to_checkpoint(fs::path const& folder, Index step, std::vector<fs::path> const& later) {
  try {
    for (fs::path const& checkpoint : checkpoints_in(folder)) {
      if (step_of_checkpoint(checkpoint.filename().string()) > step) remove_checkpoint(checkpoint);
    }
    bool series_is_old = false;
    for (fs::path const& path : later) {
      fs::remove(path);
      series_is_old = series_is_old || is_snapshot_name(path.filename().string());
    }
    // It lists deleted snapshots; the next snapshot writes it again.
    if (series_is_old) fs::remove(folder / series_name);
  } catch (fs::filesystem_error const& error) {
    throw InputOutputError("cannot prepare the output folder " + shown(folder.string()) + ": " +
                           error.code().message());
  }
}

bool folder_holds_a_run(fs::path const& folder) {
  std::error_code missing;
  return fs::is_directory(folder, missing) && holds_a_run(folder);
}

void clear_output_folder(Communicator const& communicator, fs::path const& folder) {
  on_first_rank(communicator, [&] { clear(folder); });
}

}  // namespace halocline
