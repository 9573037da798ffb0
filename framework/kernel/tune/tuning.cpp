#include "framework/kernel/tune/tuning.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "framework/kernel/tune/shipped_tunings.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::kernel {
namespace {

using Json = nlohmann::json;

/// Version of the file format.
constexpr int format = 1;
/// Largest nesting depth of arrays and objects; a table has four levels.
constexpr int deepest = 16;

auto order(SweepKey const& key) { return std::tie(key.device, key.stencil, key.points, key.functor); }
bool before(TunedSweep const& a, TunedSweep const& b) { return order(a.key) < order(b.key); }

Json as_json(TunedSweep const& sweep) {
  return {{"device", sweep.key.device},   {"functor", sweep.key.functor},
          {"stencil", sweep.key.stencil}, {"points", sweep.key.points},
          {"form", sweep.form},           {"parameters", sweep.parameters},
          {"seconds", sweep.seconds},     {"default_seconds", sweep.default_seconds}};
}

TunedSweep as_sweep(Json const& json) {
  return {{json.at("device"), json.at("functor"), json.at("stencil"), json.at("points")},
          json.at("form"),
          json.at("parameters"),
          json.at("seconds"),
          json.at("default_seconds")};
}

/// All tunings and paths that the process has.
struct State {
  std::mutex mutex;
  std::atomic<TuneMode> mode = TuneMode::read;
  TuningTable cache;
  TuningTable found;                 ///< by searches of this process
  std::vector<TuningTable> brought;  ///< by plugins, and not part of `shipped` yet
  std::optional<TuningTable> shipped;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> paths;
};
State& state() {
  static State state;
  return state;
}

/// The shipped tables, merged. Parsed when a tuning is first looked up, because most backends have none. The caller
/// holds the lock.
TuningTable const& shipped(State& known) {
  if (!known.shipped)
    known.shipped = TuningTable::parse(shipped_tunings(), "the table of tunings built into Halocline");
  for (TuningTable const& table : known.brought) known.shipped->add(table);
  known.brought.clear();
  return *known.shipped;
}

/// A table, and the name of the source reported for its tunings.
struct Source {
  TuningTable const* table;
  char const* name;
};

}  // namespace

std::string size_class(IndexRange const& range) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    Index const extent = std::max<Index>(1, range.extent(axis));
    Index unit = 1;
    while (extent / unit >= 8) unit *= 2;
    if (axis > 0) text += " x ";
    text += std::to_string((extent + unit / 2) / unit * unit);
  }
  return text;
}

TuningTable TuningTable::parse(std::string const& text, std::string const& name) {
  TuningTable table;
  try {
    Json const json = Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      if (depth > deepest) throw InputError(name + ": not a table of tunings: nested too deeply");
      return true;
    });
    if (json.at("format") != format) throw InputError(name + ": a table of tunings of another format");
    table.made_with_ = json.at("version");
    for (Json const& sweep : json.at("sweeps")) table.put(as_sweep(sweep));
  } catch (Json::exception const& error) {
    throw InputError(name + ": not a table of tunings: " + error.what());
  }
  return table;
}

std::string TuningTable::text() const {
  Json json{{"format", format}, {"version", made_with_}, {"sweeps", Json::array()}};
  for (TunedSweep const& sweep : sweeps_) json["sweeps"].push_back(as_json(sweep));
  return json.dump(1) + '\n';
}

TunedSweep const* TuningTable::find(SweepKey const& key) const {
  TunedSweep const* alike = nullptr;
  for (TunedSweep const& sweep : sweeps_) {
    if (sweep.key.device != key.device || sweep.key.stencil != key.stencil || sweep.key.points != key.points) continue;
    if (sweep.key.functor == key.functor) return &sweep;
    alike = &sweep;
  }
  return alike;
}

bool TuningTable::knows(SweepKey const& key) const {
  TunedSweep const* const known = find(key);
  return known != nullptr && known->key.functor == key.functor;
}

void TuningTable::put(TunedSweep sweep) {
  auto const at = std::lower_bound(sweeps_.begin(), sweeps_.end(), sweep, before);
  if (at != sweeps_.end() && order(at->key) == order(sweep.key)) {
    *at = std::move(sweep);
  } else {
    sweeps_.insert(at, std::move(sweep));
  }
}

void TuningTable::put(TuningTable const& other) {
  for (TunedSweep const& sweep : other.sweeps_) put(sweep);
}

void TuningTable::add(TuningTable const& other) {
  for (TunedSweep const& sweep : other.sweeps_) {
    if (!knows(sweep.key)) put(sweep);
  }
}

namespace tuner {

void set_mode(TuneMode mode) { state().mode = mode; }
TuneMode mode() { return state().mode; }

void set_cache(TuningTable cache) {
  std::scoped_lock const lock(state().mutex);
  state().cache = std::move(cache);
}

void bring(TuningTable table) {
  std::scoped_lock const lock(state().mutex);
  state().brought.push_back(std::move(table));
}

TuningTable cache() {
  std::scoped_lock const lock(state().mutex);
  TuningTable all = state().cache;
  all.put(state().found);
  return all;
}

TuningTable found() {
  std::scoped_lock const lock(state().mutex);
  return state().found;
}

std::optional<Found> look_up(SweepKey const& key) {
  State& known = state();
  std::scoped_lock const lock(known.mutex);
  if (known.mode == TuneMode::off) return std::nullopt;
  // An entry of the sweep itself in any table takes precedence over one of a sweep like it.
  for (bool const own : {true, false}) {
    for (auto const& [table, source] :
         {Source{&known.found, "search"}, Source{&known.cache, "cache"}, Source{&shipped(known), "table"}}) {
      if (own && !table->knows(key)) continue;
      if (TunedSweep const* const sweep = table->find(key)) return Found{*sweep, source};
    }
  }
  return std::nullopt;
}

bool wants_search(SweepKey const& key) {
  State& known = state();
  std::scoped_lock const lock(known.mutex);
  return known.mode == TuneMode::search && !known.found.knows(key) && !known.cache.knows(key);
}

void keep(TunedSweep sweep) {
  std::scoped_lock const lock(state().mutex);
  state().found.put(std::move(sweep));
}

void note(SweepPath path) {
  std::scoped_lock const lock(state().mutex);
  state().paths.insert({std::move(path.functor), std::move(path.points), std::move(path.form), std::move(path.source)});
}

std::vector<SweepPath> paths() {
  std::scoped_lock const lock(state().mutex);
  std::vector<SweepPath> all;
  for (auto const& [functor, points, form, source] : state().paths) all.push_back({functor, points, form, source});
  return all;
}

}  // namespace tuner
}  // namespace halocline::kernel
