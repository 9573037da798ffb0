#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/deck/registry.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline::battery {

/// What came of a check.
struct Finding {
  enum class Verdict { held, failed, not_applicable };
  Verdict verdict = Verdict::held;
  std::string text;  ///< the numbers, or why it does not apply
};
[[nodiscard]] inline Finding held(std::string text) { return {Finding::Verdict::held, std::move(text)}; }
[[nodiscard]] inline Finding failed(std::string text) { return {Finding::Verdict::failed, std::move(text)}; }
[[nodiscard]] inline Finding not_applicable(std::string why) {
  return {Finding::Verdict::not_applicable, std::move(why)};
}

/// A physics with a deck that makes a problem of it.
struct Subject {
  PhysicsEntry const& entry;
  std::shared_ptr<deck::ResolvedSection const> declaration;
  Deck deck;
  std::vector<std::string> plugins;  ///< what a process of the driver is to load for it
  std::filesystem::path scratch;     ///< a folder for what a check writes
  std::string beside;                ///< the program of another build; empty: none

  /// The judged deck, changed by `changes` ("mesh.cells=[8, 8]"). Throws InputError.
  [[nodiscard]] Options read(std::vector<std::string> const& changes = {}) const {
    return deck.with(overrides_by_set(changes)).read(declaration);
  }
};

/// What a physics is held to. Checks throw what the physics throws: that is a failure, too.
struct Check {
  char const* name;
  char const* sentence;
  Finding (*run)(Subject const&);
};

/// \name A file each
/// @{
[[nodiscard]] Finding order_in_space(Subject const& subject);
[[nodiscard]] Finding order_in_time(Subject const& subject);
[[nodiscard]] Finding conservation(Subject const& subject);
[[nodiscard]] Finding mirror_symmetry(Subject const& subject);
[[nodiscard]] Finding axes_alike(Subject const& subject);
[[nodiscard]] Finding ranks(Subject const& subject);
[[nodiscard]] Finding builds(Subject const& subject);
[[nodiscard]] Finding blocks(Subject const& subject);
[[nodiscard]] Finding precisions(Subject const& subject);
[[nodiscard]] Finding ghosts(Subject const& subject);
[[nodiscard]] Finding stable_step(Subject const& subject);
[[nodiscard]] Finding options(Subject const& subject);
[[nodiscard]] Finding restart(Subject const& subject);
/// @}

}  // namespace halocline::battery
