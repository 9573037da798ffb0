#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/standard_output.hpp"
#include "framework/deck/tree.hpp"
#include "framework/io/difference.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

/// Results so far.
struct Findings {
  double tolerance = 0;
  bool same_bits = true;
  bool within = true;                  ///< the tolerance is met
  double largest = 0;                  ///< largest relative difference
  std::set<std::string> lacking = {};  ///< what one of the two has and the other lacks
  std::string text;

  void note(auto const& difference) {
    same_bits = same_bits && difference.same_bits();
    within = within && difference.within(tolerance);
  }
  void missing(std::string const& what) {
    lacking.insert(what);
    same_bits = within = false;
  }
};

std::string list_of(std::vector<std::string> const& names) {
  std::string text;
  for (std::string const& name : names) text += (text.empty() ? "" : ", ") + deck::printable(name);
  return text;
}

void report_alone(std::string const& what, std::vector<std::string> const& names, std::string const& where,
                  Findings& found) {
  if (names.empty()) return;
  found.text += "  " + what + " in " + where + " only: " + list_of(names) + "\n";
  found.missing(what);
}

/// "cell (3, 4, 0) at (0.35, 0.45)"
std::string place_of(FieldDifference const& field, SnapshotFile const& snapshot) {
  std::string indices;
  std::string position;
  std::size_t axes = field.place.size();
  while (axes > 1 && field.field.extents[axes - 1] == 1) --axes;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    auto const index = static_cast<std::size_t>(field.place[axis]);
    indices += (axis > 0 ? ", " : "") + std::to_string(index);
    if (field.field.kind == "point") continue;
    std::vector<double> const edges = snapshot.edges(static_cast<int>(axis));
    bool const on_cells = field.field.kind == "cell";
    if (edges.size() <= index + (on_cells ? 1 : 0)) continue;
    double const at = on_cells ? 0.5 * (edges[index] + edges[index + 1]) : edges[index];
    position += fmt::format("{}{:.4g}", position.empty() ? "" : ", ", at);
  }
  std::string text = field.field.kind + " (" + indices + ")";
  if (!position.empty()) text += " at (" + position + ")";
  if (field.field.components > 1) text += ", component " + std::to_string(field.component);
  return text;
}

/// Columns side by side, each as wide as needed; all but the first and the last are right-aligned.
std::string table_of(std::vector<std::vector<std::string>> const& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (auto const& row : rows) {
    for (std::size_t n = 0; n < row.size(); ++n) widths[n] = std::max(widths[n], row[n].size());
  }
  std::string text;
  for (auto const& row : rows) {
    std::string line = "   ";
    for (std::size_t n = 0; n < row.size(); ++n) {
      bool const to_the_left = n == 0 || n + 1 == row.size();
      line += to_the_left ? fmt::format(" {:<{}} ", row[n], widths[n]) : fmt::format(" {:>{}} ", row[n], widths[n]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string number(double value) { return fmt::format("{:.3g}", value); }

void report_snapshot(SnapshotDifference const& difference, SnapshotFile const& first, Findings& found) {
  std::vector<std::vector<std::string>> rows{
      {"field", "numbers that differ", "largest difference", "of the largest value", "2-norm", "where"}};
  for (FieldDifference const& field : difference.fields) {
    std::string const name = deck::printable(field.field.name);
    if (field.difference.same_bits()) {
      rows.push_back({name, "0", "", "", "", field.other_precision ? "in another precision" : "same bits"});
      continue;
    }
    Difference const& values = field.difference;
    rows.push_back({name, fmt::format("{} of {}", values.differing, values.numbers), number(values.largest),
                    number(values.relative()), number(values.norm), place_of(field, first)});
  }
  if (rows.size() > 1) found.text += table_of(rows);
}

void note(SnapshotDifference const& difference, Findings& found) {
  found.note(difference);
  for (FieldDifference const& field : difference.fields) {
    found.largest = std::max(found.largest, field.difference.relative());
  }
}

void compare_snapshots(fs::path const& first, fs::path const& second, Findings& found) {
  SnapshotFile const a(first);
  SnapshotFile const b(second);
  SnapshotDifference const difference = halocline::difference(a, b);
  note(difference, found);
  if (difference.same_bits()) return;
  found.text += fmt::format("step {}, time {}", difference.step, shortest_text(difference.time));
  if (b.step() != a.step() || difference.offset != 0) {
    found.text += fmt::format(" and step {}, time {}", b.step(), shortest_text(b.time()));
  }
  found.text += "\n";
  report_alone("fields", difference.only_first, shown(first.string()), found);
  report_alone("fields", difference.only_second, shown(second.string()), found);
  report_snapshot(difference, a, found);
}

std::map<Index, fs::path> snapshots_of(fs::path const& folder) {
  std::map<Index, fs::path> snapshots;
  for (fs::directory_entry const& entry : fs::directory_iterator(folder)) {
    Index const step = step_of_snapshot(entry.path().filename().string());
    if (step >= 0) snapshots[step] = entry.path();
  }
  return snapshots;
}

/// Whether a file is in both folders. Reports a file that is in only one.
bool is_in_both(fs::path const& first, fs::path const& second, std::string const& name, Findings& found) {
  std::error_code error;
  bool const in_first = fs::exists(fs::symlink_status(first / name, error));
  bool const in_second = fs::exists(fs::symlink_status(second / name, error));
  if (in_first != in_second) {
    found.text += name + ": in " + shown((in_first ? first : second).string()) + " only\n";
    found.missing("tables");
  }
  return in_first && in_second;
}

void compare_tables(fs::path const& first, fs::path const& second, std::string const& name, Findings& found) {
  TableDifference const difference = table_difference(first / name, second / name);
  found.note(difference);
  for (ColumnDifference const& column : difference.columns) {
    found.largest = std::max(found.largest, column.difference.relative());
  }
  if (difference.first_rows != difference.second_rows) found.missing("rows");
  std::string const rows = difference.first_rows == difference.second_rows
                               ? fmt::format("{} rows", difference.first_rows)
                               : fmt::format("{} and {} rows", difference.first_rows, difference.second_rows);
  if (difference.same_bits()) {
    found.text += fmt::format("{}: {}, same bits\n", name, rows);
    return;
  }
  found.text += fmt::format("{}: {}", name, rows);
  if (Index const row = difference.row(); row >= 0) {
    found.text += fmt::format(", first difference in row {}", row + 1);
    std::string place;
    for (auto const& [what, value] : difference.place)
      place += fmt::format("{}{} {}", place.empty() ? "" : ", ", what, value);
    if (!place.empty()) found.text += " (" + place + ")";
  }
  found.text += "\n";
  report_alone("columns", difference.only_first, shown(first.string()), found);
  report_alone("columns", difference.only_second, shown(second.string()), found);
  std::vector<std::vector<std::string>> lines{
      {"quantity", "rows that differ", "largest difference", "of the largest value", "first at"}};
  for (ColumnDifference const& column : difference.columns) {
    if (column.difference.same_bits()) continue;
    lines.push_back({deck::printable(column.name),
                     fmt::format("{} of {}", column.difference.differing, column.difference.numbers),
                     number(column.difference.largest), number(column.difference.relative()),
                     fmt::format("row {}: {} and {}", column.row + 1, deck::printable(column.first_value),
                                 deck::printable(column.second_value))});
  }
  if (lines.size() > 1) found.text += table_of(lines);
}

std::vector<std::string> steps_without(std::map<Index, fs::path> const& snapshots,
                                       std::map<Index, fs::path> const& others) {
  std::vector<std::string> steps;
  for (auto const& [step, path] : snapshots) {
    if (!others.contains(step)) steps.push_back(std::to_string(step));
  }
  return steps;
}

/// Reports the first snapshots that differ, and the last ones if they are different from those.
void compare_series(fs::path const& first, fs::path const& second, Findings& found) {
  std::map<Index, fs::path> const mine = snapshots_of(first);
  std::map<Index, fs::path> const theirs = snapshots_of(second);
  std::vector<Index> common;
  for (auto const& [step, path] : mine) {
    if (theirs.contains(step)) common.push_back(step);
  }
  Index differing = 0;
  std::string tables;
  for (Index const step : common) {
    Findings one{.tolerance = found.tolerance, .text = {}};
    compare_snapshots(mine.at(step), theirs.at(step), one);
    found.same_bits = found.same_bits && one.same_bits;
    found.within = found.within && one.within;
    found.largest = std::max(found.largest, one.largest);
    found.lacking.merge(one.lacking);
    if (one.same_bits) continue;
    ++differing;
    if (differing == 1 || step == common.back()) tables += (differing == 1 ? "first at " : "last at ") + one.text;
  }
  if (!common.empty()) {
    found.text += fmt::format("snapshots: {} of the same steps, {}\n", common.size(),
                              differing == 0 ? "same bits" : fmt::format("{} differ", differing));
  }
  report_alone("steps", steps_without(mine, theirs), shown(first.string()), found);
  report_alone("steps", steps_without(theirs, mine), shown(second.string()), found);
  found.text += tables;
}

void compare_runs(fs::path const& first, fs::path const& second, Findings& found) {
  bool compared = false;
  for (char const* const name : {"scalars.csv", "traces.csv"}) {
    if (!is_in_both(first, second, name, found)) continue;
    compared = true;
    compare_tables(first, second, name, found);
  }
  compare_series(first, second, found);
  if (compared || !snapshots_of(first).empty() || !snapshots_of(second).empty()) return;
  throw InputError("cannot compare " + shown(first.string()) + " and " + shown(second.string()) +
                   ": neither has tables or snapshots of a run");
}

/// "the largest relative difference is 0.5, and one has rows and steps that the other lacks"
std::string how_they_differ(Findings const& found) {
  if (found.lacking.empty() && found.largest == 0)
    return "the largest relative difference is 0, but not the precision, the time or all bits are the same";
  if (found.lacking.empty()) return "the largest relative difference is " + number(found.largest);
  std::string const lacking = fmt::format("one has {} that the other lacks", fmt::join(found.lacking, " and "));
  return found.largest == 0 ? lacking
                            : "the largest relative difference is " + number(found.largest) + ", and " + lacking;
}

fs::path existing(std::string const& name) {
  std::error_code error;
  if (!fs::exists(name, error) && !error) throw unreadable(name, "there is no such file or folder");
  if (error) throw unreadable(name, error.message());
  return name;
}

}  // namespace

ExitCode diff(DiffCommand const& command) {
  fs::path const first = existing(command.first);
  fs::path const second = existing(command.second);
  if (fs::is_directory(first) != fs::is_directory(second)) {
    throw InputError("diff: one of " + shown(command.first) + " and " + shown(command.second) +
                     " is a folder, and the other a file: give two runs, or two snapshots");
  }
  Findings found{.tolerance = command.tolerance, .text = {}};
  try {
    if (fs::is_directory(first)) {
      compare_runs(first, second, found);
    } else {
      compare_snapshots(first, second, found);
    }
  } catch (fs::filesystem_error const& error) {
    throw InputOutputError("diff: " + std::string(error.what()));
  }
  if (found.same_bits) {
    found.text += "same bits\n";
  } else if (found.within) {
    found.text += fmt::format("within {}: the largest relative difference is {}\n", shortest_text(command.tolerance),
                              number(found.largest));
  } else {
    found.text += "they differ: " + how_they_differ(found) + "\n";
  }
  say(found.text);
  return found.within ? ExitCode::done : ExitCode::unsolved;
}

}  // namespace halocline
