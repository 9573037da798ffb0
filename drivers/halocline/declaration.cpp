#include "drivers/halocline/declaration.hpp"

#include <limits>

#include "drivers/halocline/output.hpp"
#include "drivers/halocline/progress.hpp"
#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/plugin/loader.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {
namespace {

std::vector<Section> sections_of(Registry<PhysicsEntry> const& physics) {
  std::vector<Section> sections;
  for (std::string const& name : physics.names()) sections.push_back(physics.find(name).options);
  return sections;
}

void judge_memory(PhysicsEntry const& entry, MemoryBudget const& budget, Options const& deck, Mistakes& mistakes) {
  Options const mesh = deck.section("mesh");
  if (!product(mesh.integers("cells"))) return;  // the mesh says so
  try {
    check_memory(mesh.location("cells"), mesh.full_name("cells"), memory_need(deck, entry, budget), budget.bytes,
                 mistakes);
  } catch (InputError const& error) {
    add_mistake(mesh, "cells", error.what(), mistakes);
  }
}

/// What spans the sections of a deck: precision and time against the physics, and the physics' own rules.
void judge_deck(Registry<PhysicsEntry> const& physics, std::optional<MemoryBudget> const& budget, Options const& deck,
                Mistakes& mistakes) {
  PhysicsEntry const& entry = physics.find(deck.choice("physics"));
  if (entry.time_dependence == TimeDependence::evolving) judge_time(deck.section("time"), mistakes);
  std::string const obstacle = precision_obstacle(entry, precision_of(deck));
  if (!obstacle.empty()) add_mistake(deck, "precision", obstacle, mistakes);
  if (entry.judge) entry.judge(deck, mistakes);
  if (budget) judge_memory(entry, *budget, deck, mistakes);
}

}  // namespace

Registry<PhysicsEntry> load_physics(std::vector<std::string> const& plugins) {
  Registry<PhysicsEntry> physics("physics");
  PluginLoader loader(physics);
  loader.load_folder(PluginLoader::folder_of_this_program());
  for (std::string const& plugin : plugins) loader.load(plugin);
  return physics;
}

Section declare_deck(Registry<PhysicsEntry> const& physics, std::optional<MemoryBudget> const& budget) {
  Section deck("", "A run: what is solved, where, how, and what is written.");
  deck.choice("physics", "What is solved.", physics.names());
  deck.choice("precision", "Floating-point numbers of all fields.", std::vector<std::string>{"double", "single"})
      .defaults_to(std::string("double"));
  // A field alone is no measure here: the whole run is judged.
  deck.section(declare_mesh_section(std::numeric_limits<double>::infinity()));
  deck.section(time_section());
  deck.section(solver_section());
  deck.section(output_section());
  deck.section(progress_section());
  deck.sections("physics", [&physics] { return sections_of(physics); });
  deck.check(
      [&physics, budget](Options const& given, Mistakes& mistakes) { judge_deck(physics, budget, given, mistakes); });
  return deck;
}

Precision precision_of(Options const& deck) {
  return deck.choice("precision") == "single" ? Precision::single : Precision::double_;
}

}  // namespace halocline
