#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/version.hpp"

// Tables of measured tunings of sweeps, and which of them this process uses. No tuning changes a bit of a result.

namespace halocline::kernel {

/// Where tunings come from.
enum class TuneMode {
  off,    ///< the built-in rules
  read,   ///< tables, and the rules for sweeps that no table has
  search  ///< as read, but a sweep that no table of this machine has is measured when it first runs
};

/// Key of a tuned sweep.
struct SweepKey {
  std::string device;   ///< its name
  std::string functor;  ///< type of the functor, without namespaces of the framework
  std::string stencil;  ///< what the sweep reads and writes: "3D star; inputs 8 bytes reaching 1; 1 output; 0 sums"
  std::string points;   ///< size class, see size_class
};

/// A sweep and its best tuning.
struct TunedSweep {
  SweepKey key;
  std::string form;                         ///< "streaming" or "direct"
  std::map<std::string, Index> parameters;  ///< of the form, by name
  double seconds = 0;                       ///< of the sweep with this tuning …
  double default_seconds = 0;               ///< … and with the built-in rules
};

/// "512 x 512 x 640": each extent, rounded to three binary digits.
[[nodiscard]] std::string size_class(IndexRange const& range);

/// Tuned sweeps, and their file format: JSON, readable and sorted.
class TuningTable {
 public:
  /// Throws InputError, naming `name`, for text that is not a table.
  [[nodiscard]] static TuningTable parse(std::string const& text, std::string const& name);
  /// Version of Halocline that made the table: the kernels of another version may have other best tunings.
  [[nodiscard]] std::string const& made_with() const { return made_with_; }
  [[nodiscard]] std::string text() const;

  /// The entry of a key: with its functor, otherwise of any functor with the same stencil; null if there is none.
  [[nodiscard]] TunedSweep const* find(SweepKey const& key) const;
  /// Whether there is an entry with the key's own functor.
  [[nodiscard]] bool knows(SweepKey const& key) const;
  /// Adds an entry, or replaces the one with its key.
  void put(TunedSweep sweep);
  void put(TuningTable const& other);
  /// Adds the entries whose keys are new.
  void add(TuningTable const& other);
  [[nodiscard]] std::size_t size() const { return sweeps_.size(); }

 private:
  std::vector<TunedSweep> sweeps_;  ///< sorted by key
  std::string made_with_ = version;
};

/// The form that sweeps of this process used.
struct SweepPath {
  std::string functor;
  std::string points;  ///< "512 x 512 x 512", or empty: any
  std::string form;    ///< "streaming, 256 x 2 threads, …"
  std::string source;  ///< of the tuning: "rule", "table", "cache" or "search"; empty where there is nothing to tune
};

/// The tunings that this process uses, and the forms that its sweeps used. Thread-safe.
namespace tuner {

void set_mode(TuneMode mode);
[[nodiscard]] TuneMode mode();
/// Tunings measured on this machine; they take precedence over the shipped tables.
void set_cache(TuningTable cache);
/// Adds a table to the shipped ones, as a plugin does for its own functors when it is loaded. Existing entries stay.
void bring(TuningTable table);
/// The cache, and what searches have found since it was set.
[[nodiscard]] TuningTable cache();
/// What searches have found.
[[nodiscard]] TuningTable found();

struct Found {
  TunedSweep sweep;
  std::string source;  ///< "table", "cache" or "search"
};
/// The entry for a key according to the mode: none for TuneMode::off.
[[nodiscard]] std::optional<Found> look_up(SweepKey const& key);
/// Whether a search is requested and has not been made.
[[nodiscard]] bool wants_search(SweepKey const& key);
void keep(TunedSweep sweep);

void note(SweepPath path);
/// Sorted, without duplicates.
[[nodiscard]] std::vector<SweepPath> paths();

}  // namespace tuner
}  // namespace halocline::kernel
