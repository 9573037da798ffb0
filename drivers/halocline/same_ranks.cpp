#include "drivers/halocline/same_ranks.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "framework/io/run_record.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/first_rank.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

/// Half of the checksum, as a number for exchange between ranks.
Index digest_of(std::string const& text) {
  constexpr int base = 16;
  return static_cast<Index>(std::stoull(checksum(text).substr(0, base), nullptr, base));
}

/// Throws the message of rank 0 about all ranks' texts, on all ranks.
void require_same(Communicator const& communicator, std::string const& mine, auto const& message) {
  int const other = first_that_differs(communicator, mine);
  if (other == 0) return;
  std::vector<std::string> const texts = communicator.gather(mine);
  on_first_rank(communicator,
                [&] { throw InputError(message(texts.front(), texts[static_cast<std::size_t>(other)], other)); });
}

}  // namespace

int first_that_differs(Communicator const& communicator, std::string const& mine) {
  Index const digest = digest_of(mine);
  std::vector<Index> const all = communicator.all_gather(std::span(&digest, 1));
  auto const other = std::find_if(all.begin(), all.end(), [&](Index each) { return each != all.front(); });
  return other == all.end() ? 0 : static_cast<int>(other - all.begin());
}

std::string this_build() {
  return std::string(version) + " (" + std::string(backend_name) + ", " + std::string(revision()) + ")";
}

void require_same_command(Communicator const& communicator, std::string const& command, std::string const& build) {
  auto const rank = [](int number, std::string const& what) { return "rank " + std::to_string(number) + " " + what; };
  require_same(communicator, command, [&](std::string const& first, std::string const& second, int other) {
    return "the ranks have different commands, " + rank(0, "`" + first + "`, ") + rank(other, "`" + second + "`") +
           "; start all ranks of a run with the same one";
  });
  require_same(communicator, build, [&](std::string const& first, std::string const& second, int other) {
    return "the ranks run different builds of halocline, " + rank(0, "of " + first + ", ") +
           rank(other, "of " + second) + "; start all ranks of a run with the same one";
  });
}

void require_same_deck(Communicator const& communicator, std::string const& validated) {
  require_same(communicator, validated, [](std::string const&, std::string const&, int other) {
    return "rank " + std::to_string(other) +
           " reads the deck differently from rank 0: its host has other plugins, or another build of halocline";
  });
}

}  // namespace halocline
