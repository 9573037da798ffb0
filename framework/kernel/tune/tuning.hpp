#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/version.hpp"

// What is known of the best way to run a sweep: tables of measured tunings, and which of them this process uses. No
// tuning changes a bit of a result.

namespace halocline::kernel {

/// Where tunings come from.
enum class TuneMode {
  off,    ///< the rules built in
  read,   ///< tables, and the rules where these say nothing
  search  ///< as read, but what no table of this machine knows is measured when it first runs
};

/// What tells one tuned sweep from another.
struct SweepKey {
  std::string device;   ///< its name
  std::string functor;  ///< type of the functor, without namespaces of the framework
  std::string stencil;  ///< what the sweep reads and writes: "3D star; inputs 8 bytes reaching 1; 1 output; 0 sums"
  std::string points;   ///< size class, see size_class
};

/// A sweep and how it runs best.
struct TunedSweep {
  SweepKey key;
  std::string form;                         ///< "streaming" or "direct"
  std::map<std::string, Index> parameters;  ///< of the form, by name
  double seconds = 0;                       ///< of the sweep with them …
  double default_seconds = 0;               ///< … and by the built-in rules
};

/// "512 x 512 x 640": each extent, rounded to three binary digits.
[[nodiscard]] std::string size_class(IndexRange const& range);

/// Tuned sweeps, and the file they are kept in: JSON, readable and sorted.
class TuningTable {
 public:
  /// Throws InputError, naming `name`, for text that is no table.
  [[nodiscard]] static TuningTable parse(std::string const& text, std::string const& name);
  /// Version of Halocline that the table was made with: the kernels of another one may run best otherwise.
  [[nodiscard]] std::string const& made_with() const { return made_with_; }
  [[nodiscard]] std::string text() const;

  /// The entry of a key: of its functor, otherwise of any functor with the same stencil; null if there is none.
  [[nodiscard]] TunedSweep const* find(SweepKey const& key) const;
  /// Whether there is an entry of the key's own functor.
  [[nodiscard]] bool knows(SweepKey const& key) const;
  /// Adds an entry or replaces that of its key.
  void put(TunedSweep sweep);
  void put(TuningTable const& other);
  /// Adds the entries whose keys are new.
  void add(TuningTable const& other);
  [[nodiscard]] std::size_t size() const { return sweeps_.size(); }

 private:
  std::vector<TunedSweep> sweeps_;  ///< sorted by key
  std::string made_with_ = version;
};

/// A way that sweeps of this process took through the kernels.
struct SweepPath {
  std::string functor;
  std::string points;  ///< "512 x 512 x 512", or empty: any
  std::string form;    ///< "streaming, 256 x 2 threads, …"
  std::string source;  ///< of the tuning: "rule", "table", "cache" or "search"; empty where there is nothing to tune
};

/// The tunings that this process uses, and the paths that its sweeps took. Safe to use from several threads.
namespace tuner {

void set_mode(TuneMode mode);
[[nodiscard]] TuneMode mode();
/// What this machine is known to run best; it comes before the tables that Halocline brings along.
void set_cache(TuningTable cache);
/// Adds a table to those that Halocline brings along, as a plugin does for the functors of its own when it is loaded.
/// An entry that is there already stays.
void bring(TuningTable table);
/// The cache, and what searches have found since.
[[nodiscard]] TuningTable cache();
/// What searches have found.
[[nodiscard]] TuningTable found();

struct Found {
  TunedSweep sweep;
  std::string source;  ///< "table", "cache" or "search"
};
/// What is known of a key, by the mode: nothing for TuneMode::off.
[[nodiscard]] std::optional<Found> look_up(SweepKey const& key);
/// Whether a search is asked for and has not been made.
[[nodiscard]] bool wants_search(SweepKey const& key);
void keep(TunedSweep sweep);

void note(SweepPath path);
/// Sorted, each once.
[[nodiscard]] std::vector<SweepPath> paths();

}  // namespace tuner
}  // namespace halocline::kernel
