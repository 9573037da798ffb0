#include "framework/io/difference.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "framework/deck/tree.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {

namespace {

/// Numbers of each file that are in memory at a time.
constexpr Index most_numbers = Index{1} << 20;

bool same_number(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

/// |a - b| of two different numbers.
double distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  double const apart = std::abs(a - b);
  return std::isfinite(apart) ? apart : std::numeric_limits<double>::infinity();
}

/// Adds a pair of numbers to a difference, whose norm is the sum of squares so far. Returns whether this is the largest
/// difference so far.
bool add(double a, double b, Difference& to) {
  ++to.numbers;
  if (std::isfinite(a)) to.magnitude = std::max(to.magnitude, std::abs(a));
  if (std::isfinite(b)) to.magnitude = std::max(to.magnitude, std::abs(b));
  if (same_number(a, b)) return false;
  double const apart = distance(a, b);
  bool const is_largest = to.differing == 0 || apart > to.largest;
  ++to.differing;
  to.largest = std::max(to.largest, apart);
  to.norm += apart * apart;
  return is_largest;
}

std::string size_text(SnapshotEntry const& field) {
  std::string text;
  for (Index const extent : field.extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text + " " + field.kind + "s" +
         (field.components > 1 ? " of " + std::to_string(field.components) + " components" : "");
}

FieldDifference difference_of(SnapshotFile const& first, SnapshotEntry const& mine, SnapshotFile const& second,
                              SnapshotEntry const& theirs) {
  if (mine.kind != theirs.kind || mine.extents != theirs.extents || mine.components != theirs.components) {
    throw InputError("`" + shown(mine.name) + "` has " + size_text(mine) + " in " + shown(first.path().string()) +
                     " and " + size_text(theirs) + " in " + shown(second.path().string()) +
                     ": only fields of one size can be compared");
  }
  FieldDifference found{mine, {}, mine.is_single != theirs.is_single, {}, 0};
  Index numbers = mine.components;
  for (Index const extent : mine.extents) numbers *= extent;
  Index worst = 0;
  std::vector<double> a;
  std::vector<double> b;
  for (Index begin = 0; begin < numbers; begin += most_numbers) {
    Index const count = std::min(most_numbers, numbers - begin);
    first.read(mine, begin, count, a);
    second.read(theirs, begin, count, b);
    for (std::size_t n = 0; n < a.size(); ++n) {
      if (add(a[n], b[n], found.difference)) worst = begin + static_cast<Index>(n);
    }
  }
  found.difference.norm = std::sqrt(found.difference.norm);
  found.component = worst % mine.components;
  worst /= mine.components;
  for (Index const extent : mine.extents) {
    found.place.push_back(worst % extent);
    worst /= extent;
  }
  return found;
}

SnapshotEntry const* find(std::vector<SnapshotEntry> const& fields, SnapshotEntry const& like) {
  auto const found =
      std::ranges::find_if(fields, [&](SnapshotEntry const& field) { return field.dataset == like.dataset; });
  return found == fields.end() ? nullptr : &*found;
}

/// A table as read from its file.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

/// The number that a word is as a whole: "0.5", "nan", "-inf".
std::optional<double> number_of(std::string_view word) {
  double value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// A number that read_table has read.
double number(std::string const& word) { return number_of(word).value(); }

/// Reads a table letter by letter. Names may be in quotation marks (RFC 4180), values are numbers.
class TableReader {
 public:
  explicit TableReader(std::filesystem::path const& path) : path_(path) {}

  void add(char letter) {
    if (letter == '"') {
      // A quotation mark within quotation marks is doubled.
      if (!quoted_ && was_quoted_) word_ += '"';
      quoted_ = !quoted_;
      was_quoted_ = true;
    } else if (quoted_ || (letter != ',' && letter != '\n')) {
      word_ += letter;
    } else {
      words_.push_back(std::exchange(word_, {}));
      was_quoted_ = false;
      if (letter == '\n') end_line();
    }
  }

  Table take() {
    if (!word_.empty() || !words_.empty() || quoted_) throw unreadable(path_, "it does not end with a complete line");
    if (table_.names.empty()) throw unreadable(path_, "it is not a table");
    return std::move(table_);
  }

 private:
  void end_line() {
    ++line_;
    if (line_ == 1) {
      table_.names = std::exchange(words_, {});
      return;
    }
    std::string const place = "line " + std::to_string(line_);
    if (words_.size() != table_.names.size())
      throw unreadable(path_, place + " has a different number of entries than the first");
    for (std::size_t column = 0; column < words_.size(); ++column) {
      if (number_of(words_[column])) continue;
      throw unreadable(path_, place + ": `" + deck::printable(words_[column]) + "` in the column `" +
                                  deck::printable(table_.names[column]) + "` is not a number");
    }
    table_.rows.push_back(std::exchange(words_, {}));
  }

  std::filesystem::path const& path_;
  Table table_;
  std::vector<std::string> words_;
  std::string word_;
  bool quoted_ = false;
  bool was_quoted_ = false;  ///< the word began in quotation marks
  Index line_ = 0;
};

Table read_table(std::filesystem::path const& path) {
  TableReader reader(path);
  read_parts(path, Links::followed, [&](std::string_view part) {
    for (char const letter : part) reader.add(letter);
    return true;
  });
  return reader.take();
}

ColumnDifference column_difference(std::string const& name, Table const& first, std::size_t mine, Table const& second,
                                   std::size_t theirs) {
  ColumnDifference found{name, {}, -1, {}, {}};
  std::size_t const rows = std::min(first.rows.size(), second.rows.size());
  for (std::size_t row = 0; row < rows; ++row) {
    std::string const& a = first.rows[row][mine];
    std::string const& b = second.rows[row][theirs];
    Index const before = found.difference.differing;
    add(number(a), number(b), found.difference);
    if (found.difference.differing == before || found.row >= 0) continue;
    found.row = static_cast<Index>(row);
    found.first_value = a;
    found.second_value = b;
  }
  found.difference.norm = std::sqrt(found.difference.norm);
  return found;
}

std::vector<std::string> missing_from(std::vector<std::string> const& known, std::vector<std::string> const& names) {
  std::vector<std::string> missing;
  std::ranges::copy_if(names, std::back_inserter(missing),
                       [&](std::string const& name) { return std::ranges::find(known, name) == known.end(); });
  return missing;
}

}  // namespace

bool SnapshotDifference::same_bits() const {
  return offset == 0 && only_first.empty() && only_second.empty() && std::ranges::all_of(fields, [](auto const& field) {
           return field.difference.same_bits() && !field.other_precision;
         });
}

bool SnapshotDifference::within(double tolerance) const {
  return same_bits() ||
         (tolerance > 0 && std::abs(offset) <= tolerance * std::abs(time) && only_first.empty() &&
          only_second.empty() &&
          std::ranges::all_of(fields, [&](auto const& field) { return field.difference.within(tolerance); }));
}

SnapshotDifference difference(SnapshotFile const& first, SnapshotFile const& second) {
  SnapshotDifference found{first.step(), first.time(), second.time() - first.time(), {}, {}, {}};
  for (SnapshotEntry const& field : second.fields()) {
    if (find(first.fields(), field) == nullptr) found.only_second.push_back(field.name);
  }
  for (SnapshotEntry const& field : first.fields()) {
    SnapshotEntry const* const other = find(second.fields(), field);
    if (other == nullptr) {
      found.only_first.push_back(field.name);
    } else {
      found.fields.push_back(difference_of(first, field, second, *other));
    }
  }
  return found;
}

Index TableDifference::row() const {
  Index first = first_rows == second_rows ? std::numeric_limits<Index>::max() : std::min(first_rows, second_rows);
  for (ColumnDifference const& column : columns) {
    if (column.row >= 0) first = std::min(first, column.row);
  }
  return first == std::numeric_limits<Index>::max() ? -1 : first;
}

bool TableDifference::same_bits() const { return row() < 0 && only_first.empty() && only_second.empty(); }

bool TableDifference::within(double tolerance) const {
  return first_rows == second_rows && only_first.empty() && only_second.empty() &&
         std::ranges::all_of(columns, [&](auto const& column) { return column.difference.within(tolerance); });
}

TableDifference table_difference(std::filesystem::path const& first, std::filesystem::path const& second) {
  Table const a = read_table(first);
  Table const b = read_table(second);
  TableDifference found;
  found.first_rows = static_cast<Index>(a.rows.size());
  found.second_rows = static_cast<Index>(b.rows.size());
  found.only_first = missing_from(b.names, a.names);
  found.only_second = missing_from(a.names, b.names);
  for (std::size_t column = 0; column < a.names.size(); ++column) {
    auto const other = std::ranges::find(b.names, a.names[column]);
    if (other == b.names.end()) continue;
    found.columns.push_back(
        column_difference(a.names[column], a, column, b, static_cast<std::size_t>(other - b.names.begin())));
  }
  Index const row = found.row();
  Table const& longer = a.rows.size() >= b.rows.size() ? a : b;
  for (std::size_t column = 0; row >= 0 && column < longer.names.size(); ++column) {
    if (longer.names[column] != "step" && longer.names[column] != "time") continue;
    found.place[longer.names[column]] = longer.rows[static_cast<std::size_t>(row)][column];
  }
  return found;
}

}  // namespace halocline
