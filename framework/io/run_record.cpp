#include "framework/io/run_record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "framework/io/checksum.hpp"
#include "framework/io/json_number.hpp"
#include "framework/io/json_text.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/io/state_file.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/launcher.hpp"
#include "framework/runtime/provenance.hpp"
#include "framework/runtime/region_times.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "framework/runtime/shown_text.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {

namespace {

using Json = nlohmann::ordered_json;

constexpr char const* summary_name = "summary.json";
constexpr char const* status_running = "running";
/// Bytes for additions to the last summary compared with the first: quantities, timings, sweeps, a message; without the
/// list of solves.
constexpr std::size_t room_for_the_end = 32 << 10;

Json by_name(std::vector<NamedValue> const& values) {
  Json object = Json::object();
  for (NamedValue const& value : values) object[value.name] = json_number(value.value);
  return object;
}

Json described(std::vector<ConservedQuantity> const& conserved) {
  Json object = Json::object();
  for (ConservedQuantity const& quantity : conserved) {
    object[quantity.name] = {{"initial", json_number(quantity.initial)},
                             {"final", json_number(quantity.final)},
                             {"largest_relative_drift", json_number(quantity.largest_drift)},
                             {"explained_relative_drift", json_number(quantity.explained_drift)}};
  }
  return object;
}

Json described(NotFinite const& bad) {
  Json object{{bad.point ? "field" : "number", bad.name}};
  if (bad.point) {
    object["component"] = bad.point->component;
    object["centring"] = bad.point->centring;
    object["index"] = bad.point->index;
    object["position"] = bad.point->position;
    object["count"] = bad.point->count;
  }
  object["value"] = json_number(bad.value);
  object["step"] = bad.step;
  object["time"] = bad.time;
  object["last_finite_step"] = bad.last_finite_step ? Json(*bad.last_finite_step) : Json();
  return object;
}

Json described(RankSeconds const& seconds) {
  return {{"least", seconds.least}, {"mean", seconds.mean}, {"most", seconds.most}};
}

Json described(std::vector<RegionTime> const& regions) {
  Json list = Json::array();
  for (RegionTime const& region : regions) {
    // An integer if all ranks have the same number of calls.
    auto const whole = static_cast<Index>(region.calls);
    Json const calls = static_cast<double>(whole) == region.calls ? Json(whole) : Json(region.calls);
    list.push_back({{"name", region.name}, {"calls", calls}, {"seconds", described(region.seconds)}});
  }
  return list;
}

Json described(std::vector<SweepForm> const& sweeps) {
  Json list = Json::array();
  for (SweepForm const& sweep : sweeps) {
    list.push_back(
        {{"functor", sweep.functor}, {"points", sweep.points}, {"form", sweep.form}, {"tuning", sweep.tuning}});
  }
  return list;
}

/// Sets how the run ended; nothing: it has not ended.
void set_end(Json& summary, std::optional<ExitCode> code, std::string const& message) {
  summary["status"] = code ? status_of(*code) : status_running;
  summary["exit_code"] = code ? Json(static_cast<int>(*code)) : Json();
  summary["message"] = message;
}

// Text that is not UTF-8 (such as a path) must not prevent the record.
std::string plain_text_of(Json const& summary) { return summary.dump(2, ' ', false, Json::error_handler_t::replace); }

constexpr char const* checksum_key = "xxh3_128";

/// The summary with a checksum of its contents as last entry.
std::string text_of(Json summary) {
  summary.erase(checksum_key);
  // Replaces invalid UTF-8 before the checksum.
  summary = Json::parse(plain_text_of(summary));
  summary[checksum_key] = checksum(plain_text_of(summary));
  return plain_text_of(summary) + '\n';
}

/// Not an object if the file does not exist or is not JSON. Throws InputOutputError if it is not a file.
Json read_summary(std::filesystem::path const& path) {
  std::optional<std::string> const text = text_of_file_if_any(path);
  return text ? json_of(*text) : Json();
}

/// What a RunRecord keeps of the run that it continues.
struct EarlierRecord {
  Index steps = 0;
  double time = 0;
  std::vector<NamedValue> quantities;
  double least_step = 0;
  double largest_step = 0;
  std::vector<TableState> tables;
  SolveList solves;
  std::string parts;
};

constexpr char const* scalars_name = "scalars.csv";
constexpr char const* residuals_name = "residuals.csv";
constexpr char const* traces_name = "traces.csv";

std::vector<std::string> columns_of_scalars(std::span<std::string const> quantities) {
  std::vector<std::string> columns{"step", "time"};
  columns.insert(columns.end(), quantities.begin(), quantities.end());
  return columns;
}

std::vector<std::string> columns_of_traces(std::span<std::string const> traces) {
  std::vector<std::string> columns{"time"};
  columns.insert(columns.end(), traces.begin(), traces.end());
  return columns;
}

/// Throws an exception for what RunRecord::serialized does not return.
EarlierRecord earlier_record(std::string const& serialized) {
  Json const json = Json::parse(serialized);
  EarlierRecord earlier{.steps = count_of(json.at("steps")),
                        .time = number_of(json.at("time")),
                        .quantities = {},
                        .least_step = number_of(json.at("step_sizes").at(0)),
                        .largest_step = number_of(json.at("step_sizes").at(1)),
                        .tables = {},
                        .solves = {},
                        .parts = json.at("parts").dump()};
  for (auto const& [name, value] : json.at("quantities").items())
    earlier.quantities.push_back({name, number_of(value)});
  earlier.solves.restore(json.at("solves").dump());
  for (char const* const list : {"parts", "tables"}) {
    if (!json.at(list).is_array()) throw std::runtime_error(std::string("`") + list + "` is not a list");
  }
  for (Json const& table : json.at("tables")) {
    earlier.tables.push_back({table.at("name"), count_of(table.at("bytes")), table.at("xxh3_128")});
    std::string const& name = earlier.tables.back().name;
    // Any other file would be cut as if it were a table.
    if (name != scalars_name && name != residuals_name && name != traces_name)
      throw std::runtime_error("`" + shown(name) + "` is not a table of a run");
  }
  return earlier;
}

Json described(HaloRecord const& halo) {
  Json measured = Json::array();
  for (TransportMeasurement const& measurement : halo.measured) {
    measured.push_back({{"to", measurement.across_hosts ? "other hosts" : "this host"},
                        {"bytes", measurement.bytes},
                        {"seconds", by_name(measurement.seconds)},
                        {"chosen", measurement.chosen}});
  }
  return {{"transport", halo.transport}, {"measured", std::move(measured)}, {"left_out", halo.left_out}};
}

Json described(BuildFacts const& build) {
  Json object{{"compiler", build.compiler}, {"flags", build.flags}};
  if (!build.device_compiler.empty()) object["device_compiler"] = build.device_compiler;
  object["kokkos"] = {{"version", build.kokkos}, {"options", build.kokkos_options}};
  object["mpi"] = mpi_name();
  return object;
}

Json described(BatchJob const& job) {
  Json object{{"system", job.system}, {"id", job.id}};
  if (!job.name.empty()) object["name"] = job.name;
  if (!job.task.empty()) object["task"] = job.task;
  return object;
}

/// Adds the names of the nodes, and the node of each rank.
void add_places(Json& all) {
  std::vector<std::string> nodes;
  Json binding = Json::array();
  for (RankPlace const& place : rank_places()) {
    if (std::find(nodes.begin(), nodes.end(), place.node) == nodes.end()) nodes.push_back(place.node);
    binding.push_back({{"node", place.node}, {"cores", place.cores}, {"threads", place.threads}});
  }
  if (nodes.empty()) return;
  all["nodes"] = nodes;
  all["binding"] = std::move(binding);
}

Json described(Provenance const& provenance, int ranks, int hosts, std::string const& started) {
  Json deck{
      {"path", provenance.deck_path}, {"xxh3_128", checksum(provenance.deck_text)}, {"text", provenance.deck_text}};
  if (!provenance.deck.empty()) deck["options"] = Json::parse(provenance.deck);
  Json all{{"version", version},
           {"revision", revision()},
           {"command", provenance.command},
           {"deck", std::move(deck)},
           {"started", started},
           {"machine", host_name()},
           {"hardware", backend_hardware()},
           {"backend", backend_name},
           {"ranks", ranks},
           {"hosts", hosts},
           {"threads", host_threads()},
           {"transport", provenance.halo.transport}};
  all["build"] = described(build_facts());
  add_places(all);
  if (auto const job = batch_job()) all["job"] = described(*job);
  if (!provenance.devices.empty()) all["devices"] = provenance.devices;
  if (!provenance.field_files.empty()) all["field_files"] = Json::parse(described_files(provenance.field_files));
  if (!provenance.plugins.empty()) all["plugins"] = Json::parse(described_files(provenance.plugins));
  if (provenance.io_ranks > 0) all["io_ranks"] = provenance.io_ranks;
  return all;
}

}  // namespace

char const* status_of(ExitCode code) noexcept {
  switch (code) {
    case ExitCode::done:
      return "done";
    case ExitCode::wrong_input:
      return "wrong input";
    case ExitCode::unsolved:
      return "unsolved";
    case ExitCode::input_output:
      return "input/output failed";
    case ExitCode::stopped:
      return "stopped";
    case ExitCode::defect:
      break;
  }
  return "defect";
}

std::string checksum(std::string const& text) {
  Checksum sum;
  sum.add(text);
  return sum.text();
}

RunRecord::RunRecord(std::filesystem::path folder, Communicator const& communicator, Provenance provenance,
                     std::string const& continued)
    : folder_(std::move(folder)),
      writes_(communicator.rank() == 0),
      provenance_(std::move(provenance)),
      ranks_(communicator.size()),
      hosts_(communicator.hosts()),
      started_(utc_now()) {
  if (!writes_) return;
  try {
    if (!continued.empty()) go_on_from(continued);
    begin();
  } catch (InputOutputError const& error) {
    record_failure(error);
    throw;
  }
}

RunRecord::~RunRecord() {
  // Reserved space remains if no summary was finished.
  if (writes_) unlink(reserved_name(folder_ / summary_name).c_str());
}

void RunRecord::begin() {
  std::string const first = summary(std::nullopt, "", true);
  reserve_whole_file(folder_ / summary_name, first.size() + room_for_the_end);
  std::vector<std::string> const columns{"step", "solve", "method", "iteration", "residual"};
  // Only now: if there is no room for the summary, the tables stay as they were.
  for (TableState const& table : earlier_tables_) cut_table(folder_, table);
  make_table(residuals_, residuals_name, columns);
  abrupt_.emplace(folder_ / summary_name, first, 0);
  write_whole_file(folder_ / summary_name, first);
}

void RunRecord::make_table(std::optional<TableWriter>& table, std::string const& name,
                           std::vector<std::string> const& columns) {
  auto const earlier = std::find_if(earlier_tables_.begin(), earlier_tables_.end(),
                                    [&](TableState const& state) { return state.name == name; });
  if (earlier == earlier_tables_.end()) {
    table.emplace(folder_ / name, columns);
  } else {
    table.emplace(folder_ / name, columns, *earlier);
  }
}

std::vector<TableState> RunRecord::tables() const {
  // Tables without a new row keep their earlier state.
  std::vector<TableState> all = earlier_tables_;
  for (std::optional<TableWriter> const* const table : {&scalars_, &residuals_, &traces_}) {
    if (!*table) continue;
    TableState const state = (*table)->state();
    std::erase_if(all, [&](TableState const& earlier) { return earlier.name == state.name; });
    all.push_back(state);
  }
  return all;
}

std::string RunRecord::serialized(Index step) const {
  Json json;
  json["steps"] = steps_;
  json["time"] = json_number(time_);
  json["quantities"] = by_name(quantities_);
  json["step_sizes"] = {json_number(least_step_), json_number(largest_step_)};
  json["tables"] = Json::array();
  for (TableState const& state : tables())
    json["tables"].push_back({{"name", state.name}, {"bytes", state.bytes}, {"xxh3_128", state.checksum}});
  json["solves"] = Json::parse(solves_.serialized());
  Json parts = Json::parse(earlier_parts_);
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - provenance_.start).count();
  parts.push_back({{"to_step", step},
                   {"seconds", seconds},
                   {"version", version},
                   {"revision", revision()},
                   {"command", provenance_.command},
                   {"started", started_},
                   {"machine", host_name()},
                   {"backend", backend_name},
                   {"ranks", ranks_}});
  json["parts"] = std::move(parts);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void RunRecord::go_on_from(std::string const& continued) {
  EarlierRecord earlier = earlier_record(continued);
  steps_ = earlier.steps;
  time_ = earlier.time;
  quantities_ = std::move(earlier.quantities);
  least_step_ = earlier.least_step;
  largest_step_ = earlier.largest_step;
  earlier_tables_ = std::move(earlier.tables);
  solves_ = std::move(earlier.solves);
  earlier_parts_ = std::move(earlier.parts);
}

void RunRecord::record_failure(InputOutputError const& error) {
  try {
    finish(error.exit_code(), error.what());
  } catch (InputOutputError const&) {
    // The original error matters more.
  }
}

void RunRecord::prepare_for_abrupt_end(Communicator const& communicator) {
  std::string start = writes_ ? summary(std::nullopt, "", true) : std::string();
  communicator.broadcast(start, 0);
  if (!writes_) abrupt_.emplace(folder_ / summary_name, start, communicator.rank());
}

std::unique_ptr<AbruptSummary> join_abrupt_end(Communicator const& communicator, std::filesystem::path const& folder) {
  std::string start;
  communicator.broadcast(start, 0);
  return std::make_unique<AbruptSummary>(folder / summary_name, start, communicator.rank());
}

void RunRecord::add_step(Index number, double time, std::span<NamedValue const> quantities,
                         std::span<SolveReport const> solves) {
  if (abrupt_) abrupt_->set_state(number, time);
  if (!writes_) return;
  if (!scalars_) {
    std::vector<std::string> names;
    for (NamedValue const& quantity : quantities) names.push_back(quantity.name);
    make_table(scalars_, scalars_name, columns_of_scalars(names));
  }
  std::vector<TableWriter::Value> row{number, time};
  for (NamedValue const& quantity : quantities) row.emplace_back(quantity.value);
  scalars_->add(row);
  scalars_->flush();
  add_solves(number, solves);
  steps_ = number;
  time_ = time;
  quantities_.assign(quantities.begin(), quantities.end());
}

void RunRecord::add_step_size(double size) {
  least_step_ = largest_step_ > 0 ? std::min(least_step_, size) : size;
  largest_step_ = std::max(largest_step_, size);
}

void RunRecord::add_solves(Index step, std::span<SolveReport const> solves) {
  if (!writes_) return;
  Index solve = 0;
  for (SolveReport const& report : solves) {
    ++solve;
    add_rows(step, solve, report.method, report.measured, report.history);
    solves_.add(step, report);
  }
  if (solve > 0) residuals_->flush();
}

void RunRecord::add_residuals(Index step, Index solve, std::string const& method, std::span<Index const> iterations,
                              std::span<double const> residuals) {
  if (!writes_) return;
  add_rows(step, solve, method, iterations, residuals);
  residuals_->flush();
}

void RunRecord::add_rows(Index step, Index solve, std::string const& method, std::span<Index const> iterations,
                         std::span<double const> residuals) {
  for (std::size_t n = 0; n < residuals.size(); ++n) {
    Index const iteration = n < iterations.size() ? iterations[n] : static_cast<Index>(n);
    residuals_->add({step, solve, method, iteration, residuals[n]});
  }
}

void RunRecord::add_traces(std::span<std::string const> names, std::span<double const> times,
                           std::span<double const> values) {
  if (!writes_ || names.empty()) return;
  if (!traces_) {
    make_table(traces_, traces_name, columns_of_traces(names));
  }
  for (std::size_t n = 0; n < times.size(); ++n) {
    std::vector<TableWriter::Value> row{times[n]};
    for (double const value : values.subspan(n * names.size(), names.size())) row.emplace_back(value);
    traces_->add(row);
  }
  traces_->flush();
}

void RunRecord::add_timing(std::string const& name, double seconds) { timings_.push_back({name, seconds}); }

void RunRecord::add_timing(std::string const& name, RankSeconds const& seconds) {
  rank_timings_.emplace_back(name, seconds);
}

void RunRecord::finish(ExitCode code, std::string const& message) {
  if (writes_) {
    if (abrupt_) abrupt_->take_over();
    write_summary(code, message);
  }
  abrupt_.reset();
}

void RunRecord::write_summary(ExitCode code, std::string const& message) const {
  try {
    write_reserved_file(folder_ / summary_name, summary(code, message, true));
  } catch (InputOutputError const&) {
    if (code == ExitCode::done) throw;
    write_reserved_file(folder_ / summary_name, summary(code, message, false));
  }
}

std::string RunRecord::summary(std::optional<ExitCode> end, std::string const& message, bool with_solves) const {
  double const total = std::chrono::duration<double>(std::chrono::steady_clock::now() - provenance_.start).count();
  Json summary;
  set_end(summary, end, message);
  if (not_finite_) {
    if (end == ExitCode::unsolved) summary["status"] = "not a number";
    summary["not_finite"] = described(*not_finite_);
  }
  summary["steps"] = steps_;
  if (largest_step_ > 0) summary["step_sizes"] = {{"least", least_step_}, {"largest", largest_step_}};
  if (step_count_)
    summary["error_control"] = {{"steps_taken", step_count_->taken}, {"steps_rejected", step_count_->rejected}};
  summary["time"] = time_;
  summary["quantities"] = by_name(quantities_);
  summary["conserved"] = described(conserved_);
  summary["solves"] = with_solves ? Json::parse(solves_.reports()) : Json::array();
  summary["solve_totals"] = Json::parse(solves_.totals());
  if (!with_solves) summary["solve_totals"]["left_out"] = summary["solve_totals"]["count"];
  summary["timings"] = by_name(timings_);
  for (auto const& [name, seconds] : rank_timings_) summary["timings"][name] = described(seconds);
  summary["timings"]["total"] = total;
  summary["timings"]["regions"] = described(regions_ ? *regions_ : region_times());
  summary["sweeps"] = described(sweeps_);
  summary["halo"] = described(provenance_.halo);
  summary["provenance"] = described(provenance_, ranks_, hosts_, started_);
  if (end) {
    summary["files"] = Json::array();
    for (TableState const& state : tables())
      summary["files"].push_back({{"name", state.name}, {"bytes", state.bytes}, {"xxh3_128", state.checksum}});
    std::error_code missing;
    if (std::filesystem::exists(folder_ / series_name, missing)) {
      StateFile const series = measured_file(folder_ / series_name);
      summary["files"].push_back({{"name", series.name}, {"bytes", series.bytes}, {"xxh3_128", series.checksum}});
    }
  }
  if (earlier_parts_ != "[]") summary["provenance"]["earlier_parts"] = Json::parse(earlier_parts_);
  return text_of(summary);
}

std::string described_files(std::vector<FieldFileRecord> const& files) {
  Json list = Json::array();
  for (FieldFileRecord const& file : files) {
    list.push_back({{"option", file.option},
                    {"path", file.path},
                    {"bytes", file.bytes},
                    {"xxh3_128", file.checksum.empty() ? Json() : Json(file.checksum)}});
  }
  // Paths need not be UTF-8.
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<TableState> tables_of_record(std::string const& serialized) { return earlier_record(serialized).tables; }

void require_same_tables(std::filesystem::path const& folder, std::span<TableState const> tables,
                         std::span<std::string const> quantities, std::span<std::string const> traces) {
  for (TableState const& table : tables) {
    if (table.name == scalars_name) require_columns(folder / table.name, columns_of_scalars(quantities));
    if (table.name == traces_name && !traces.empty()) require_columns(folder / table.name, columns_of_traces(traces));
  }
}

void close_summary(std::filesystem::path const& folder, std::filesystem::file_time_type since, ExitCode code,
                   std::string const& message) {
  std::filesystem::path const path = folder / summary_name;
  std::error_code missing;
  auto const written = std::filesystem::last_write_time(path, missing);
  if (missing || written < since) return;
  Json summary = read_summary(path);
  if (!summary.is_object()) return;
  // What a rank wrote when it was asked to stop may not be the final end.
  auto const has = [&](char const* name, Json const& value) {
    return summary.contains(name) && summary[name] == value;
  };
  if (!has("status", status_running) && !has("abrupt", true)) return;
  set_end(summary, code, message);
  // From here on its checksum is right again.
  summary.erase("abrupt");
  write_reserved_file(path, text_of(summary));
}

void reopen_summary(std::filesystem::path const& folder) {
  std::filesystem::path const path = folder / summary_name;
  Json summary = read_summary(path);
  if (!summary.is_object()) return;
  set_end(summary, std::nullopt, "");
  summary.erase("files");
  summary.erase("abrupt");
  write_whole_file(path, text_of(summary));
}

std::vector<std::string> damage_of_summary_text(std::string const& text) {
  Json const summary = json_of(text);
  if (!summary.is_object()) return {"is not a complete JSON object"};
  // Signal handlers write it without a checksum.
  if (summary.contains("abrupt") && summary["abrupt"] == true) return {};
  if (!summary.contains(checksum_key) || !summary[checksum_key].is_string()) return {"has no checksum"};
  // Spaces and line ends, too, are those that were written.
  if (text_of(summary) != text) return {"does not match its checksum"};
  return {};
}

}  // namespace halocline
