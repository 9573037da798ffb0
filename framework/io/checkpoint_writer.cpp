#include "framework/io/checkpoint_writer.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <utility>

#include "framework/io/whole_file.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Several ranks may create it concurrently.
void make_folder(fs::path const& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) throw_write_error(folder, error.message());
}

/// Blocks all signals except crashes in this thread: the computing threads handle them.
void leave_signals_to_others() {
  sigset_t all;
  sigfillset(&all);
  for (int const crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, crash);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

void remove_if_possible(fs::path const& checkpoint) {
  try {
    remove_checkpoint(checkpoint);
  } catch (InputOutputError const&) {
    // It is deleted when a run continues in its folder.
  }
}

}  // namespace

CheckpointWriter::CheckpointWriter(fs::path run, std::shared_ptr<Mesh const> mesh, Index keep)
    : run_(std::move(run)), mesh_(std::move(mesh)), keep_(keep) {}

CheckpointWriter::~CheckpointWriter() {
  if (thread_.joinable()) thread_.join();
}

bool CheckpointWriter::is_first_rank() const { return mesh_->communicator().rank() == 0; }

void CheckpointWriter::work(std::function<void()> task) {
  done_ = false;
  thread_ = std::thread([this, task = std::move(task)] {
    leave_signals_to_others();
    try {
      task();
    } catch (...) {
      failure_ = std::current_exception();
    }
    done_ = true;
  });
}

void CheckpointWriter::join() {
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void CheckpointWriter::reserve(std::function<void(StateArchive&)> const& serialize) {
  copy_.clear();
  serialize(copy_);
}

void CheckpointWriter::begin(Index step, double time, std::function<void(StateArchive&)> const& serialize,
                             std::string run, std::vector<std::string> needs) {
  if (is_under_way()) throw DefectError("a checkpoint begins while another one is written");
  ScopedRegion const region(copying_region);
  began_ = now();
  copy_.clear();
  serialize(copy_);
  step_ = step;
  time_ = time;
  kept_ = std::move(run);
  needs_ = std::move(needs);
  phase_ = Phase::files;
  work([this] {
    fs::path const folder = run_ / checkpoint_name(step_);
    make_folder(folder);
    file_ = write_state_file(folder / fmt::format("state_{:05}.h5", mesh_->communicator().rank()), copy_);
    file_.blocks.clear();
    for (Block const& block : mesh_->blocks()) file_.blocks.push_back(mesh_->global_owned(block.id, Centring::cell));
  });
}

void CheckpointWriter::proceed() {
  std::exception_ptr failure;
  try {
    join();
  } catch (...) {
    failure = std::current_exception();
  }
  Phase const ended = std::exchange(phase_, Phase::idle);
  Communicator const& communicator = mesh_->communicator();
  try {
    communicator.agree(failure);
  } catch (...) {
    // All ranks have stopped writing, and the partial checkpoint is useless.
    if (is_first_rank()) remove_if_possible(run_ / checkpoint_name(step_));
    throw;
  }
  if (ended == Phase::manifest) {
    seconds_ = now() - began_;
    return;
  }
  std::vector<std::string> const files = communicator.gather(packed(file_));
  phase_ = Phase::manifest;
  if (is_first_rank()) work([this, files] { complete(files); });
}

void CheckpointWriter::complete(std::vector<std::string> const& files) const {
  Checkpoint checkpoint = described();
  for (std::string const& file : files) checkpoint.files.push_back(unpacked(file));
  for (std::string const& name : needs_) sync_file(run_ / name);
  write_manifest(run_ / checkpoint_name(step_), checkpoint);
  // The name of the folder must be on the disk as well.
  sync_folder(run_);
  remove_older();
}

Checkpoint CheckpointWriter::described() const {
  Checkpoint checkpoint{.step = step_,
                        .time = time_,
                        .written = utc_now(),
                        .version = version,
                        .fields = {},
                        .numbers = {},
                        .counts = {},
                        .files = {},
                        .run = kept_};
  for (StateCopy::Item const& item : copy_.fields()) {
    checkpoint.fields.push_back({.name = item.name,
                                 .precision = item.stored.precision,
                                 .centring = to_string(item.stored.description.centring),
                                 .components = item.stored.description.components,
                                 .extents = item.extents});
  }
  for (NamedValue const& number : copy_.numbers()) checkpoint.numbers[number.name] = number.value;
  for (auto const& [name, count] : copy_.counts()) checkpoint.counts[name] = count;
  return checkpoint;
}

void CheckpointWriter::remove_older() const {
  Index kept = 1;  // this one
  for (fs::path const& checkpoint : checkpoints_in(run_)) {
    if (step_of_checkpoint(checkpoint.filename().string()) >= step_) continue;
    if (kept < keep_ && fs::exists(checkpoint / manifest_name)) {
      ++kept;
      continue;
    }
    if (kept < keep_) continue;
    // Another process may be reading it: the next checkpoint retries.
    remove_if_possible(checkpoint);
  }
}

void CheckpointWriter::finish() {
  if (!is_under_way()) return;
  ScopedRegion const region(waiting_region);
  while (is_under_way()) {
    // Progresses messages and detects failures of other ranks meanwhile.
    mesh_->communicator().wait_until([this] {
      if (done_) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return false;
    });
    proceed();
  }
}

}  // namespace halocline
