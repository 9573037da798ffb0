#include "drivers/halocline/declaration.hpp"

#include "drivers/halocline/output.hpp"
#include "drivers/halocline/progress.hpp"
#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/plugin/loader.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {
namespace {

std::vector<Section> sections_of(Registry<PhysicsEntry> const& physics) {
  std::vector<Section> sections;
  for (std::string const& name : physics.names()) sections.push_back(physics.find(name).options);
  return sections;
}

/// What spans the sections of a deck: precision and time against the physics, and the physics' own rules.
void judge_deck(Registry<PhysicsEntry> const& physics, Options const& deck, Mistakes& mistakes) {
  PhysicsEntry const& entry = physics.find(deck.choice("physics"));
  if (entry.time_dependence == TimeDependence::evolving) judge_time(deck.section("time"), mistakes);
  std::string const obstacle = precision_obstacle(entry, precision_of(deck));
  if (!obstacle.empty()) add_mistake(deck, "precision", obstacle, mistakes);
  if (entry.judge) entry.judge(deck, mistakes);
}

}  // namespace

Registry<PhysicsEntry> load_physics(std::vector<std::string> const& plugins) {
  Registry<PhysicsEntry> physics("physics");
  PluginLoader loader(physics);
  loader.load_folder(PluginLoader::folder_of_this_program());
  for (std::string const& plugin : plugins) loader.load(plugin);
  return physics;
}

Section declare_deck(Registry<PhysicsEntry> const& physics) {
  Section deck("", "A run: what is solved, where, how, and what is written.");
  deck.choice("physics", "What is solved.", physics.names());
  deck.choice("precision", "Floating-point numbers of all fields.", std::vector<std::string>{"double", "single"})
      .defaults_to(std::string("double"));
  deck.section(declare_mesh_section());
  deck.section(time_section());
  deck.section(solver_section());
  deck.section(output_section());
  deck.section(progress_section());
  deck.sections("physics", [&physics] { return sections_of(physics); });
  deck.check([&physics](Options const& given, Mistakes& mistakes) { judge_deck(physics, given, mistakes); });
  return deck;
}

Precision precision_of(Options const& deck) {
  return deck.choice("precision") == "single" ? Precision::single : Precision::double_;
}

}  // namespace halocline
