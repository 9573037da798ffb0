#include "framework/io/table_writer.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "framework/io/checksum.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {

namespace {

/// Puts text with commas, quotation marks or line ends in quotation marks (RFC 4180).
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

TableWriter::~TableWriter() = default;

TableWriter::TableWriter(std::filesystem::path path, std::vector<std::string> const& columns, TableState const& from)
    : path_(std::move(path)),
      columns_(columns.size()),
      file_(path_, O_RDWR | O_NOFOLLOW),
      hash_(std::make_unique<Checksum>()) {
  if (file_.number() < 0) throw_write_error(path_, errno);
  read_to(from);
  require_columns(path_, columns);
  lseek(file_.number(), static_cast<off_t>(from.bytes), SEEK_SET);
  if (ftruncate(file_.number(), static_cast<off_t>(from.bytes)) != 0) throw_write_error(path_, errno);
  size_ = static_cast<off_t>(from.bytes);
}

void TableWriter::read_to(TableState const& from) {
  std::string part(std::size_t{1} << 16, '\0');
  Index left = from.bytes;
  while (left > 0) {
    auto const wanted = std::min<std::size_t>(part.size(), static_cast<std::size_t>(left));
    ssize_t const got = read(file_.number(), part.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw unreadable(path_, std::strerror(errno));
    if (got == 0) break;
    hash_->add(std::string_view(part).substr(0, static_cast<std::size_t>(got)));
    left -= got;
  }
  if (left > 0 || hash_->text() != from.checksum) {
    throw InputOutputError(shown(path_.string()) + " does not begin with the " + std::to_string(from.bytes) +
                           " bytes recorded in the checkpoint: it is damaged or was changed");
  }
}

std::string damage_of_start(std::filesystem::path const& folder, TableState const& from) {
  std::filesystem::path const path = folder / from.name;
  Checksum begins;
  Index left = from.bytes;
  try {
    read_parts(path, Links::refused, [&](std::string_view part) {
      std::string_view const wanted = part.substr(0, static_cast<std::size_t>(left));
      begins.add(wanted);
      left -= static_cast<Index>(wanted.size());
      return left > 0;
    });
  } catch (InputOutputError const& error) {
    return error.what();
  }
  bool const is_whole = left == 0 && begins.text() == from.checksum;
  return is_whole ? ""
                  : fmt::format(
                        "{} does not begin with the {} bytes recorded in the checkpoint: it is damaged or was changed",
                        shown(path.string()), from.bytes);
}

void cut_table(std::filesystem::path const& folder, TableState const& from) {
  std::filesystem::path const path = folder / from.name;
  Descriptor const file(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) throw_write_error(path, errno);
  if (!S_ISREG(status.st_mode)) throw_write_error(path, "it is not a file");
  if (status.st_nlink == 1) {
    if (ftruncate(file.number(), static_cast<off_t>(from.bytes)) != 0) throw_write_error(path, errno);
    return;
  }
  // A file with a second name, as in a copy of the folder by hard links, stays as it is under that name.
  std::string text;
  read_parts(path, Links::refused, [&](std::string_view part) {
    text += part.substr(0, static_cast<std::size_t>(from.bytes) - text.size());
    return text.size() < static_cast<std::size_t>(from.bytes);
  });
  write_whole_file(path, text);
}

void require_columns(std::filesystem::path const& path, std::span<std::string const> columns) {
  std::vector<TableWriter::Value> const names(columns.begin(), columns.end());
  std::string const header = TableWriter::line_of(names);
  std::string first;
  read_parts(path, Links::refused, [&](std::string_view part) {
    first += part.substr(0, header.size() - first.size());
    return first.size() < header.size();
  });
  if (first != header) throw InputError(shown(path.string()) + " has other columns than the run that continues it");
}

TableState TableWriter::state() const {
  return {.name = path_.filename().string(), .bytes = static_cast<Index>(size_), .checksum = hash_->text()};
}

TableWriter::TableWriter(std::filesystem::path path, std::vector<std::string> const& columns)
    : path_(std::move(path)),
      columns_(columns.size()),
      file_(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW),
      hash_(std::make_unique<Checksum>()) {
  if (file_.number() < 0) throw_write_error(path_, errno);
  std::vector<Value> const names(columns.begin(), columns.end());
  add(names);
  try {
    flush();
  } catch (...) {
    unlink(path_.c_str());
    throw;
  }
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
    // A truncated row could be read as a complete one with other numbers.
    if (ftruncate(file_.number(), size_) == 0) lseek(file_.number(), size_, SEEK_SET);
    throw_write_error(path_, reason);
  }
  size_ += static_cast<off_t>(rows_.size());
  hash_->add(rows_);
  rows_.clear();
}

}  // namespace halocline
