#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/io/snapshot_file.hpp"

namespace halocline {

/// How two lists of numbers differ. Two numbers are the same if all of their bits are.
struct Difference {
  Index numbers = 0;     ///< that were compared
  Index differing = 0;   ///< those that are not the same
  double largest = 0;    ///< largest |a - b|; infinite where one of both is no number, or only one is infinite
  double magnitude = 0;  ///< largest finite |a| or |b|
  double norm = 0;       ///< sqrt(sum (a - b)^2)

  [[nodiscard]] bool same_bits() const { return differing == 0; }
  /// `largest` as part of `magnitude`.
  [[nodiscard]] double relative() const { return largest == 0 ? 0 : largest / magnitude; }
  /// Whether they are the same, or no two differ by more than that part of `magnitude`; 0 takes the same bits alone.
  [[nodiscard]] bool within(double tolerance) const {
    return same_bits() || (tolerance > 0 && relative() <= tolerance);
  }
};

/// How a field differs in two snapshots.
struct FieldDifference {
  SnapshotEntry field;
  Difference difference;
  bool other_precision = false;  ///< single in one of them, and double in the other
  std::vector<Index> place;      ///< of the largest difference: indices along x, y and z, or of the point
  Index component = 0;           ///< likewise
};

/// How two snapshots differ.
struct SnapshotDifference {
  Index step = 0;                       ///< of the first
  double time = 0;                      ///< likewise
  double offset = 0;                    ///< time of the second, less that
  std::vector<std::string> only_first;  ///< names of fields
  std::vector<std::string> only_second;
  std::vector<FieldDifference> fields;

  [[nodiscard]] bool same_bits() const;
  [[nodiscard]] bool within(double tolerance) const;
};

/// Reads both, a part at a time. Throws InputError for fields of different sizes, InputOutputError for what cannot be
/// read.
[[nodiscard]] SnapshotDifference difference(SnapshotFile const& first, SnapshotFile const& second);

/// How a column of two tables differs.
struct ColumnDifference {
  std::string name;
  Difference difference;
  Index row = 0;  ///< the first that differs, from 0
  std::string first_value;
  std::string second_value;  ///< there
};

/// How two tables of runs differ.
struct TableDifference {
  Index first_rows = 0;
  Index second_rows = 0;
  std::vector<std::string> only_first;  ///< names of columns
  std::vector<std::string> only_second;
  std::vector<ColumnDifference> columns;
  std::map<std::string, std::string> place;  ///< step and time, as far as there are, of the first row that differs

  /// The first row that differs, or that one table alone has; -1 where there is none.
  [[nodiscard]] Index row() const;
  [[nodiscard]] bool same_bits() const;
  [[nodiscard]] bool within(double tolerance) const;
};

/// Throws InputOutputError for what cannot be read and what is no table.
[[nodiscard]] TableDifference table_difference(std::filesystem::path const& first, std::filesystem::path const& second);

}  // namespace halocline
