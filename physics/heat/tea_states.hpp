#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"
#include "physics/heat/tea_words.hpp"

namespace halocline::heat {

/// A value of a tea.in in YAML's notation: Fortran's 1.0d-3 as 1.0e-3.
[[nodiscard]] deck::Node number(TeaWord const& value);

/// The states of a tea.in ("state 2 density=.. energy=.. geometry=rectangle xmin=..") and the regions that they define.
class TeaStates {
 public:
  explicit TeaStates(Mistakes& mistakes) : mistakes_(mistakes) {}

  /// Reads one line, including the word `state`.
  void read(std::span<TeaWord const> words);

  /// The list of regions, ordered by number. State 1, the background, is required, and numbers must be consecutive.
  [[nodiscard]] deck::Node regions(Location const& at);

 private:
  using Values = std::map<std::string, TeaWord>;

  [[nodiscard]] Values read_values(std::span<TeaWord const> words);
  [[nodiscard]] deck::Node region(std::int64_t state, Location const& at, Values const& values);
  void write_shape(deck::Node& region, std::string const& subject, Values const& values);
  /// Adds a mistake for each value whose name is not in `words`.
  void expect_only(std::vector<std::string> const& words, Values const& values, std::string const& subject,
                   std::string const& what);

  struct State {
    Location location;
    deck::Node region;
  };
  std::map<std::int64_t, State> states_;
  Mistakes& mistakes_;
};

}  // namespace halocline::heat
