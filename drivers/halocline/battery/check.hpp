#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "framework/deck/deck.hpp"
#include "framework/deck/registry.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline::battery {

/// The result of a check.
struct Finding {
  enum class Verdict { held, failed, not_applicable, inconclusive };
  Verdict verdict = Verdict::held;
  std::string text;  ///< the numbers, or why the check does not apply
};
[[nodiscard]] inline Finding held(std::string text) { return {Finding::Verdict::held, std::move(text)}; }
[[nodiscard]] inline Finding failed(std::string text) { return {Finding::Verdict::failed, std::move(text)}; }
[[nodiscard]] inline Finding not_applicable(std::string why) {
  return {Finding::Verdict::not_applicable, std::move(why)};
}

/// A physics and a deck for it.
struct Subject {
  PhysicsEntry const& entry;
  std::shared_ptr<deck::ResolvedSection const> declaration;
  Deck deck;
  std::vector<std::string> plugins;  ///< shared objects that a process of the driver must load for it
  std::filesystem::path scratch;     ///< a folder for the check's files
  std::string beside;                ///< the program of another build; empty: none

  /// The validated deck, changed by `changes` ("mesh.cells=[8, 8]"). Throws InputError.
  [[nodiscard]] Options read(std::vector<std::string> const& changes = {}) const {
    return deck.with(overrides_by_set(changes)).read(declaration);
  }
};

/// A check of a physics. Checks let the physics' exceptions pass: they count as failures, too.
struct Check {
  char const* name;
  char const* sentence;
  Finding (*run)(Subject const&);
};

/// \name One file each
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
