#include "framework/deck/deck_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "framework/deck/validation.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"
#include "framework/runtime/stop.hpp"

namespace halocline::deck {
namespace {

/// Length of the UTF-8 sequence at `at` (RFC 3629); 0 if there is none.
std::size_t sequence_length(std::string const& text, std::size_t at) {
  auto const byte = [&](std::size_t n) { return n < text.size() ? static_cast<unsigned char>(text[n]) : 0U; };
  unsigned const first = byte(at);
  if (first < 0x80) return 1;
  std::size_t const length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t n = 1; n < length; ++n) {
    if ((byte(at + n) & 0xC0U) != 0x80U) return 0;
  }
  bool const too_long = (first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xF0 && byte(at + 1) < 0x90);
  bool const surrogate = first == 0xED && byte(at + 1) > 0x9F;
  bool const too_large = first == 0xF4 && byte(at + 1) > 0x8F;
  return too_long || surrogate || too_large ? 0 : length;
}

bool is_control(char c) {
  auto const byte = static_cast<unsigned char>(c);
  return (byte < 32 && c != '\n' && c != '\r' && c != '\t') || byte == 127;
}

/// Position of the first byte that cannot occur in text; the text's size if there is none.
std::size_t first_binary(std::string const& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t const length = is_control(text[at]) ? 0 : sequence_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return text.size();
}

Location place_of(std::string const& name, std::string const& text, std::size_t at) {
  auto const begin = text.begin();
  auto const end = begin + static_cast<std::ptrdiff_t>(at);
  auto const line = std::count(begin, end, '\n');
  std::size_t const newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  std::size_t const column = newline == std::string::npos ? at : at - newline - 1;
  return {name, static_cast<int>(line) + 1, static_cast<int>(column) + 1};
}

/// Waits until a pipe has data; throws StoppedError if a signal asks for a stop meanwhile.
void wait_for_text(int file) {
  constexpr int milliseconds = 50;
  pollfd wanted{file, POLLIN, 0};
  while (poll(&wanted, 1, milliseconds) <= 0) {
    if (stop_signal() != 0) throw StoppedError("stopped by a signal before the run began");
  }
}

}  // namespace

std::string file_text(std::string const& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError("`" + shown(path) + "`: this is a folder, not a deck");
  Descriptor const file(path, O_RDONLY | O_NONBLOCK);
  if (file.number() < 0) throw InputError("`" + shown(path) + "`: cannot be read: " + std::strerror(errno));
  // Read in pieces: a device or a pipe has no size, and decks are small.
  std::string text;
  std::array<char, 65536> piece{};
  ssize_t count = 0;
  do {
    wait_for_text(file.number());
    count = read(file.number(), piece.data(), piece.size());
    if (count > 0) text.append(piece.data(), static_cast<std::size_t>(count));
  } while (text.size() <= largest_deck && (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))));
  if (count < 0) throw InputError("`" + shown(path) + "`: cannot be read: " + std::strerror(errno));
  if (text.size() > largest_deck)
    throw InputError("`" + shown(path) + "`: larger than " + readable_bytes(double{largest_deck}) +
                     ", the most a deck may be");
  return text;
}

void check_text(std::string const& name, std::string& text, Mistakes& mistakes) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::size_t const binary = first_binary(text);
  if (binary != text.size()) {
    mistakes.add(place_of(name, text, binary), shown(name), "not a text file (UTF-8)");
  } else if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    mistakes.add({name, 1, 1}, shown(name), "the deck is empty");
  }
}

}  // namespace halocline::deck
