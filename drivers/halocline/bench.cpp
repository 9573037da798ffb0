#include "bench/benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "bench/timing.hpp"
#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "drivers/halocline/tuning_cache.hpp"
#include "framework/deck/nearest_name.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

/// The benchmarks of this build.
std::vector<benchmarking::Benchmark> possible_benchmarks() {
  std::vector<benchmarking::Benchmark> all = benchmarking::benchmarks();
  std::erase_if(all, [](benchmarking::Benchmark const& one) { return one.run == nullptr; });
  return all;
}

/// The requested benchmarks, or all if none is named; throws InputError for an unknown name.
std::vector<benchmarking::Benchmark> chosen(std::vector<std::string> const& names) {
  if (names.empty()) return possible_benchmarks();
  std::vector<std::string> known{"list"};
  for (benchmarking::Benchmark const& one : benchmarking::benchmarks()) known.push_back(one.name);
  std::vector<benchmarking::Benchmark> all;
  for (std::string const& name : names) {
    if (name == "list") throw InputError("`list`: no benchmark; `halocline bench list` alone lists them");
    auto const at = std::find_if(benchmarking::benchmarks().begin(), benchmarking::benchmarks().end(),
                                 [&](benchmarking::Benchmark const& one) { return one.name == name; });
    if (at == benchmarking::benchmarks().end()) {
      throw InputError("`" + name + "`: no such benchmark; " + advice_for(name, known));
    }
    if (at->run == nullptr) {
      throw InputError(
          fmt::format("`{}`: this build ({}) lacks this benchmark, which needs a build for CUDA", name, backend_name));
    }
    all.push_back(*at);
  }
  return all;
}

std::string names_and_sentences() {
  std::string text;
  for (benchmarking::Benchmark const& one : possible_benchmarks())
    text += fmt::format("{:<27} {}\n", one.name, one.sentence);
  return text;
}

bool is_bounded(benchmarking::Row const& row) { return row.in_memory && benchmarking::peak_bytes_per_second() > 0; }

/// Fraction of the bound that the memory bandwidth sets.
double of_peak(benchmarking::Row const& row) {
  return row.bytes / benchmarking::median(row.seconds) / benchmarking::peak_bytes_per_second();
}

nlohmann::json rate_as_json(benchmarking::Rate const& rate, double seconds) {
  nlohmann::json fields{{rate.unit, rate.count}, {rate.unit + "_per_second", rate.count / seconds}};
  if (rate.most_per_second > 0) {
    fields["most_" + rate.unit + "_per_second"] = rate.most_per_second;
    fields["of_bound"] = rate.count / seconds / rate.most_per_second;
  }
  if (rate.clock > 0) fields["clock_hertz"] = rate.clock;
  return fields;
}

nlohmann::json as_json(std::string const& name, benchmarking::Row const& row) {
  double const median = benchmarking::median(row.seconds);
  nlohmann::json fields{
      {"benchmark", name},
      {"problem", row.problem},
      {"form", row.form},
      {"verified", true},
      {"median_seconds", median},
      {"minimum_seconds", row.seconds.front()},
      {"quartiles_seconds", {benchmarking::quantile(row.seconds, 0.25), benchmarking::quantile(row.seconds, 0.75)}}};
  if (row.operations > 0) fields["operations"] = row.operations;
  if (!row.rate.unit.empty()) {
    fields.update(rate_as_json(row.rate, median));
    return fields;
  }
  fields.update({{"bytes", row.bytes},
                 {"bytes_per_second", row.bytes / median},
                 {"copy_bytes_per_second", row.bytes / row.copy_seconds},
                 {"of_copy", row.copy_seconds / median}});
  if (is_bounded(row)) fields["of_peak"] = of_peak(row);
  if (!row.peer.name.empty()) {
    fields["peer"] = {{"name", row.peer.name}, {"seconds", row.peer.seconds}, {"of_peer", row.peer.seconds / median}};
  }
  return fields;
}

/// The file of the record, if one is requested. Disk space for it is reserved before anything is measured.
class RecordFile {
 public:
  explicit RecordFile(std::string path) : path_(std::move(path)) {
    constexpr std::size_t room = 256 << 10U;
    if (!path_.empty()) reserve_whole_file(path_, room);
  }
  ~RecordFile() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(reserved_name(path_), ignored);
  }
  RecordFile(RecordFile const&) = delete;
  RecordFile& operator=(RecordFile const&) = delete;
  void write(std::string const& text) const {
    if (!path_.empty()) write_reserved_file(path_, text);
  }

 private:
  std::string path_;
};

std::string rate_words(benchmarking::Rate const& rate, double seconds) {
  std::string words = fmt::format("{:>9.2f} G {}/s", 1e-9 * rate.count / seconds, rate.unit);
  if (rate.most_per_second > 0) words += fmt::format(" {:>6.3f} of bound", rate.count / seconds / rate.most_per_second);
  if (rate.clock > 0) words += fmt::format(" at {:.0f} MHz", 1e-6 * rate.clock);
  return words;
}

std::string as_line(benchmarking::Row const& row) {
  double const median = benchmarking::median(row.seconds);
  double const spread = (row.seconds.back() - row.seconds.front()) / median;
  if (!row.rate.unit.empty()) {
    return fmt::format("{:<52} {:>10.4f} ms {:>5.1f} % {}   {}\n", row.problem, 1e3 * median, 100 * spread,
                       rate_words(row.rate, median), row.form);
  }
  std::string const bound = is_bounded(row) ? fmt::format(" {:>6.3f} of peak", of_peak(row)) : "";
  std::string const beside =
      row.peer.name.empty() ? "" : fmt::format(" {:>6.3f} of {}", row.peer.seconds / median, row.peer.name);
  return fmt::format("{:<52} {:>10.4f} ms {:>5.1f} % {:>9.1f} GB/s {:>6.3f} of copy{}{}   {}\n", row.problem,
                     1e3 * median, 100 * spread, 1e-9 * row.bytes / median, row.copy_seconds / median, bound, beside,
                     row.form);
}

}  // namespace

ExitCode bench(BenchCommand const& command, Environment& environment,
               std::shared_ptr<Communicator> const& communicator) {
  if (command.names == std::vector<std::string>{"list"}) {
    if (communicator->rank() == 0) say(names_and_sentences());
    return ExitCode::done;
  }
  if (communicator->size() > 1) throw InputError("halocline bench measures one rank: start it without mpirun");
  std::vector<benchmarking::Benchmark> const all = chosen(command.names);
  environment.start_kokkos();
  nlohmann::json record = {{"machine", host_name()},  {"hardware", backend_hardware()}, {"backend", backend_name},
                           {"version", version},      {"commit", revision()},           {"date", utc_now()},
                           {"command", command.typed}};
  std::string heading = backend_hardware() + " (" + backend_name + ")";
  for (benchmarking::Fact const& fact : benchmarking::device_facts()) {
    record["device"][fact.name] = fact.value;
    heading += fmt::format("; {}: {:.6g}", fact.name, fact.value);
  }
  record["tune"] = command.tune;
  RecordFile const file(command.json);
  begin_tuning(command.tune);
  say(heading + "\n");
  for (benchmarking::Benchmark const& one : all) {
    for (benchmarking::Row const& row : one.run({.size = command.size, .repetitions = command.repetitions})) {
      say(as_line(row));
      record["rows"].push_back(as_json(one.name, row));
    }
  }
  keep_tunings();
  file.write(record.dump(1) + '\n');
  return ExitCode::done;
}

}  // namespace halocline
