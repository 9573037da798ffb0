#include "drivers/halocline/tuning_cache.hpp"

#include <sys/file.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>

#include "framework/io/whole_file.hpp"
#include "framework/kernel/tune/tuning.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/kept_answer.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/small_file.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

/// The table in the cache; empty if there is none that is usable.
kernel::TuningTable read_cache() {
  std::filesystem::path const path = tuning_cache();
  if (path.empty()) return {};
  try {
    std::optional<std::string> const text = small_file(path);
    if (!text) return {};
    kernel::TuningTable table = kernel::TuningTable::parse(*text, path.string());
    if (table.made_with() == version) return table;
    log_debug(path.string() + ": made with version " + table.made_with() + ", not used");
  } catch (InputError const& error) {
    log_warning(std::string(error.what()) + "; it is not used");
  }
  return {};
}

/// Takes the lock, or continues without it after a while: a run must not be delayed by another process that holds it.
void wait_for(Descriptor const& lock) {
  constexpr std::chrono::milliseconds pause{20};
  for (int tries = 100; tries > 0 && flock(lock.number(), LOCK_EX | LOCK_NB) != 0; --tries) {
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

std::filesystem::path tuning_cache() {
  char const* const given = std::getenv("HALOCLINE_TUNING_CACHE");
  if (given != nullptr && *given != '\0') return given;
  std::filesystem::path const folder = cache_folder();
  return folder.empty() ? folder : folder / "tunings.json";
}

void begin_tuning(std::string const& mode) {
  using kernel::TuneMode;
  kernel::tuner::set_mode(mode == "off" ? TuneMode::off : mode == "search" ? TuneMode::search : TuneMode::read);
  if (mode != "off") kernel::tuner::set_cache(read_cache());
}

void keep_tunings() {
  kernel::TuningTable const found = kernel::tuner::found();
  if (found.size() == 0) return;
  std::filesystem::path const path = tuning_cache();
  if (path.empty()) return log_warning("tunings are not kept: set HALOCLINE_TUNING_CACHE to a file for them");
  try {
    std::error_code failure;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
    if (failure) throw_write_error(path, failure.message());
    // Another run may have added to the file meanwhile, or be about to. If files cannot be locked, the last writer
    // wins.
    Descriptor const lock(path.string() + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
    if (lock.number() >= 0) wait_for(lock);
    kernel::TuningTable table = read_cache();
    table.put(found);
    write_whole_file(path, table.text());
    log_debug("tunings are kept in " + path.string());
  } catch (InputOutputError const& error) {
    log_warning(std::string("tunings are not kept: ") + error.what());
  }
}

}  // namespace halocline
