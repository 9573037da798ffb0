#include "framework/io/table_writer.hpp"

#include <cerrno>
#include <utility>

#include "framework/io/whole_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

namespace {

/// Text with commas, quotation marks or line ends is put in quotation marks, as RFC 4180 has it.
std::string quoted(std::string const& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string safe = "\"";
  for (char const letter : text) {
    if (letter == '"') safe += '"';
    safe += letter;
  }
  return safe + '"';
}

std::string text_of(TableWriter::Value const& value) {
  if (auto const* const index = std::get_if<Index>(&value)) return std::to_string(*index);
  if (auto const* const number = std::get_if<double>(&value)) return shortest_text(*number);
  return quoted(std::get<std::string>(value));
}

}  // namespace

std::string TableWriter::line_of(std::span<Value const> row) {
  std::string line;
  for (std::size_t n = 0; n < row.size(); ++n) line += (n == 0 ? "" : ",") + text_of(row[n]);
  return line + '\n';
}

TableWriter::TableWriter(std::filesystem::path path, std::vector<std::string> const& columns)
    : path_(std::move(path)), columns_(columns.size()), file_(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) {
  if (file_.number() < 0) throw_write_error(path_, errno);
  std::vector<Value> const names(columns.begin(), columns.end());
  add(names);
  flush();
}

void TableWriter::add(std::span<Value const> row) {
  if (row.size() != columns_) {
    throw DefectError(path_.string() + " has " + std::to_string(columns_) + " columns; a row has " +
                      std::to_string(row.size()) + " values");
  }
  rows_ += line_of(row);
}

void TableWriter::flush() {
  FileSizeSignalIgnored const ignored;
  if (!write_all(file_.number(), rows_)) {
    int const reason = errno;
    // A row that was cut could be read as a whole one with other numbers.
    if (ftruncate(file_.number(), size_) == 0) lseek(file_.number(), size_, SEEK_SET);
    throw_write_error(path_, reason);
  }
  size_ += static_cast<off_t>(rows_.size());
  rows_.clear();
}

}  // namespace halocline
