#include "drivers/halocline/sweep_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "framework/deck/tree.hpp"
#include "framework/io/json_text.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/io/table_writer.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using Value = TableWriter::Value;

/// A number that JSON cannot represent is stored as text.
double number_of(nlohmann::ordered_json const& value) {
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? std::strtod(value.get_ref<std::string const&>().c_str(), nullptr) : 0;
}

std::optional<double> value_of(std::string const& name, RunEnd const& end) {
  auto const found = std::find_if(end.quantities.begin(), end.quantities.end(),
                                  [&](NamedValue const& quantity) { return quantity.name == name; });
  return found == end.quantities.end() ? std::nullopt : std::optional(found->value);
}

std::string in_columns(std::vector<std::vector<std::string>> const& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (auto const& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  }
  std::string text;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column)
      line += fmt::format("{:<{}}", row[column], widths[column] + 2);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace

RunEnd read_end(fs::path const& folder, fs::file_time_type start, ExitCode code) {
  RunEnd end{code, status_of(code)};
  fs::path const path = folder / "summary.json";
  std::error_code missing;
  fs::file_time_type const written = fs::last_write_time(path, missing);
  if (missing || written < start) return end;
  try {
    nlohmann::ordered_json const summary = json_of(text_of_file(path));
    RunEnd said = end;
    if (summary.at("exit_code") == static_cast<int>(code)) {
      said.status = summary.at("status");
      said.message = summary.at("message");
    }
    for (auto const& [name, value] : summary.at("quantities").items())
      said.quantities.push_back({name, number_of(value)});
    return said;
  } catch (std::exception const&) {
    // It is not what a run writes.
    return end;
  }
}

void SweepTable::add(RunEnd end) {
  for (NamedValue const& quantity : end.quantities) {
    if (std::find(quantities_.begin(), quantities_.end(), quantity.name) == quantities_.end())
      quantities_.push_back(quantity.name);
  }
  ends_.push_back(std::move(end));
}

std::string SweepTable::csv() const {
  std::vector<Value> header{"folder"};
  for (SweptOption const& option : options_) header.emplace_back(option.name);
  header.insert(header.end(), {"status", "exit_code"});
  header.insert(header.end(), quantities_.begin(), quantities_.end());
  std::string text = TableWriter::line_of(header);
  for (std::size_t n = 0; n < ends_.size(); ++n) {
    std::vector<Value> row{runs_[n].folder};
    row.insert(row.end(), runs_[n].values.begin(), runs_[n].values.end());
    row.emplace_back(ends_[n].status);
    row.emplace_back(static_cast<Index>(ends_[n].code));
    for (std::string const& name : quantities_) {
      std::optional<double> const value = value_of(name, ends_[n]);
      if (value) {
        row.emplace_back(*value);
      } else {
        row.emplace_back(std::string());
      }
    }
    text += TableWriter::line_of(row);
  }
  return text;
}

std::string SweepTable::text() const {
  std::vector<std::vector<std::string>> rows(1);
  for (SweptOption const& option : options_) rows[0].push_back(deck::printable(option.name));
  rows[0].emplace_back("status");
  rows[0].insert(rows[0].end(), quantities_.begin(), quantities_.end());
  for (std::size_t n = 0; n < ends_.size(); ++n) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::string const& value : runs_[n].values) row.push_back(deck::printable(value));
    row.push_back(ends_[n].status);
    for (std::string const& name : quantities_) {
      std::optional<double> const value = value_of(name, ends_[n]);
      row.push_back(value ? fmt::format("{:.8g}", *value) : "-");
    }
  }
  return in_columns(rows);
}

}  // namespace halocline
