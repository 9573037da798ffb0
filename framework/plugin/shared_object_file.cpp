#include "framework/plugin/shared_object_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

namespace halocline {
namespace {

namespace fs = std::filesystem;

/// Reads an array of plain structures; empty if that fails.
template <class Entry>
std::vector<Entry> read_table(std::ifstream& file, std::uint64_t offset, std::size_t entries) {
  std::vector<Entry> table(entries);
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(table.data()), static_cast<std::streamsize>(entries * sizeof(Entry)));
  if (!file) table.clear();
  return table;
}

/// The end of a part of a file; the largest number on overflow.
std::uint64_t end_of(std::uint64_t offset, std::uint64_t size) {
  return size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
}

/// The size of an ELF file according to its tables; nothing if it is not ELF of this machine's word size.
std::optional<std::uint64_t> announced_size(std::ifstream& file) {
  std::vector<Elf64_Ehdr> const headers = read_table<Elf64_Ehdr>(file, 0, 1);
  if (headers.empty()) return std::nullopt;
  Elf64_Ehdr const& header = headers.front();
  bool const is_elf = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                      header.e_phentsize == sizeof(Elf64_Phdr);
  if (!is_elf) return std::nullopt;
  std::uint64_t size = std::max(end_of(header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize),
                                end_of(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize));
  for (Elf64_Phdr const& segment : read_table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum)) {
    size = std::max(size, end_of(segment.p_offset, segment.p_filesz));
  }
  return size;
}

bool everybody_writes(fs::path const& path) {
  std::error_code error;
  return (fs::status(path, error).permissions() & fs::perms::others_write) != fs::perms::none && !error;
}

}  // namespace

std::string shared_object_damage(fs::path const& file) {
  std::error_code error;
  fs::file_status const status = fs::status(file, error);
  if (!fs::exists(status)) return "no such plugin";
  if (fs::is_directory(status)) return "a folder, not a plugin";
  if (!fs::is_regular_file(status)) return "not a regular file";
  std::uint64_t const size = fs::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) return "cannot be read: " + std::string(std::strerror(errno));
  std::optional<std::uint64_t> const announced = announced_size(stream);
  if (!announced) return "cannot be loaded as a plugin: it is not a shared object (64-bit ELF)";
  if (*announced > size) {
    return "cannot be loaded as a plugin: the file is truncated, with " + std::to_string(size) + " of its " +
           std::to_string(*announced) + " bytes; build or copy it anew";
  }
  return "";
}

std::string writable_by_everybody(fs::path const& file) {
  std::error_code error;
  fs::path const real = fs::canonical(file, error);
  if (error) return "";
  if (everybody_writes(real)) return "every user may write to it";
  fs::path const folder = real.parent_path();
  bool const protects = (fs::status(folder, error).permissions() & fs::perms::sticky_bit) != fs::perms::none;
  return everybody_writes(folder) && !protects ? "every user may write to its folder `" + folder.string() + "`" : "";
}

}  // namespace halocline
