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

/// How far a table had come: what it begins with where it is gone on with.
struct TableState {
  std::string name;  ///< of the file
  Index bytes = 0;
  std::string checksum;  ///< of these, XXH3, 128 bits

  friend bool operator==(TableState const&, TableState const&) = default;
};

/// Takes away what a table in `folder` has more than it had. Throws InputOutputError.
void cut_table(std::filesystem::path const& folder, TableState const& from);
/// Why a table in `folder` does not begin as it did; empty if it does.
[[nodiscard]] std::string damage_of_start(std::filesystem::path const& folder, TableState const& from);

/// A table of a run as CSV, for one rank to write: a line of names, then a line for each row. Numbers have as many
/// digits as it takes to read the same number back.
class TableWriter {
 public:
  using Value = std::variant<Index, double, std::string>;

  /// A row as the line of a table, its end included: for tables that are written whole.
  [[nodiscard]] static std::string line_of(std::span<Value const> row);

  /// Creates the file. Throws InputOutputError naming it and the reason, one of which is that it is there.
  TableWriter(std::filesystem::path path, std::vector<std::string> const& columns);
  /// Goes on with a table from a state of it; rows that came later are taken away. Throws InputOutputError if the file
  /// does not begin with what it had then.
  TableWriter(std::filesystem::path path, std::vector<std::string> const& columns, TableState const& from);
  ~TableWriter();
  TableWriter(TableWriter const&) = delete;
  TableWriter& operator=(TableWriter const&) = delete;

  /// Adds a row; what `flush` has not yet handed over is lost when the program dies. Throws DefectError if the number
  /// of values is not that of the columns.
  void add(std::span<Value const> row);
  void add(std::initializer_list<Value> row) { add(std::span(row.begin(), row.size())); }
  /// Hands all rows to the operating system. Throws InputOutputError; the file then ends with the rows of the last
  /// flush that went well.
  void flush();

  /// What has been handed over so far.
  [[nodiscard]] TableState state() const;

 private:
  void read_to(TableState const& from);

  std::filesystem::path path_;
  std::size_t columns_;
  Descriptor file_;
  std::string rows_;                ///< that flush has to hand over
  off_t size_ = 0;                  ///< of the file, in bytes
  std::unique_ptr<Checksum> hash_;  ///< of the same bytes
};

}  // namespace halocline
