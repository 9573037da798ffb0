#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

class Checksum;

/// State of a table, from which a continued run appends to it.
struct TableState {
  std::string name;  ///< of the file
  Index bytes = 0;
  std::string checksum;  ///< of these bytes: XXH3, 128 bits

  friend bool operator==(TableState const&, TableState const&) = default;
};

/// Throws InputError if a table has other columns, InputOutputError if it cannot be read.
void require_columns(std::filesystem::path const& path, std::span<std::string const> columns);
/// Truncates a table in `folder` to an earlier state. Throws InputOutputError.
void cut_table(std::filesystem::path const& folder, TableState const& from);
/// Why a table in `folder` does not begin as in an earlier state; empty if it does.
[[nodiscard]] std::string damage_of_start(std::filesystem::path const& folder, TableState const& from);

/// Writes a table of a run as CSV, on one rank: a line of names, then a line for each row. Numbers have enough digits
/// to read back as the same number.
class TableWriter {
 public:
  using Value = std::variant<Index, double, std::string>;

  /// A row as a line of a table, including its line end: for tables that are written at once.
  [[nodiscard]] static std::string line_of(std::span<Value const> row);

  /// Creates the file. Throws InputOutputError with the file and the reason, for example that it exists.
  TableWriter(std::filesystem::path path, std::vector<std::string> const& columns);
  /// Continues a table from an earlier state and deletes later rows. Throws InputOutputError if the file does not begin
  /// as in that state.
  TableWriter(std::filesystem::path path, std::vector<std::string> const& columns, TableState const& from);
  ~TableWriter();
  TableWriter(TableWriter const&) = delete;
  TableWriter& operator=(TableWriter const&) = delete;

  /// Adds a row; rows since the last `flush` are lost if the program is killed. Throws DefectError if the number of
  /// values is not that of the columns.
  void add(std::span<Value const> row);
  void add(std::initializer_list<Value> row) { add(std::span(row.begin(), row.size())); }
  /// Passes all rows to the operating system. Throws InputOutputError; the file then ends with the rows of the last
  /// successful flush.
  void flush();

  /// State at the last flush.
  [[nodiscard]] TableState state() const;

 private:
  void read_to(TableState const& from);

  std::filesystem::path path_;
  std::size_t columns_;
  Descriptor file_;
  std::string rows_;                ///< rows not yet flushed
  off_t size_ = 0;                  ///< of the file, in bytes
  std::unique_ptr<Checksum> hash_;  ///< of the same bytes
};

}  // namespace halocline
