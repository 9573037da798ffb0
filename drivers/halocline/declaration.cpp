#include "drivers/halocline/declaration.hpp"

#include "drivers/halocline/checkpoints.hpp"
#include "drivers/halocline/device_validation.hpp"
#include "drivers/halocline/io_validation.hpp"
#include "drivers/halocline/mesh_validation.hpp"
#include "drivers/halocline/output.hpp"
#include "drivers/halocline/plot.hpp"
#include "drivers/halocline/progress.hpp"
#include "drivers/halocline/state_guard.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/halo/settings.hpp"
#include "framework/io/field_file_validation.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/plugin/loader.hpp"
#include "framework/runtime/error.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/time/integrators_made.hpp"
#include "solvers/time/time_integrator.hpp"
#include "solvers/time/time_section.hpp"

namespace halocline {
namespace {

std::vector<Section> sections_of(Registry<PhysicsEntry> const& physics) {
  std::vector<Section> sections;
  for (std::string const& name : physics.names()) sections.push_back(physics.find(name).options);
  return sections;
}

/// The memory of a mesh is determined later (rehearsal.hpp).
void validate_points(PhysicsEntry const& entry, MemoryBudget const& budget, Options const& deck, Mistakes& mistakes) {
  Options const section = deck.section(entry.name);
  // Otherwise the physics' own validation has reported the mistake.
  if (!entry.points || mistakes.contains(section.full_name())) return;
  try {
    validate_memory(deck, entry, std::nullopt, budget, mistakes);
  } catch (InputError const& error) {
    mistakes.add(section.location(), section.full_name(), error.what());
  } catch (InputOutputError const& error) {
    mistakes.add(section.location(), section.full_name(), error.what());
  }
}

/// Whether the physics' own method or the integrator chooses steps by an error estimate.
bool suggests_steps(PhysicsEntry const& entry, Options const& deck) {
  if (entry.suggests_steps && entry.suggests_steps(deck)) return true;
  IntegratorEntry const* const integrator = integrator_of(entry, deck);
  return integrator != nullptr && integrator->controls_error;
}

std::string not_used_by(PhysicsEntry const& entry) {
  return "not used by " + entry.name + ", which has its own time integrator";
}

/// For a physics that steps by itself.
void refuse_integrator(PhysicsEntry const& entry, Options const& deck, Mistakes& mistakes) {
  Options const time = deck.section("time");
  if (time.given("method")) add_mistake(time, "method", not_used_by(entry), mistakes, "leave it out");
}

/// Checks that span sections of a deck: time, precision and memory of points against the physics, and the physics' own
/// rules. They are separate, so that one that cannot be made does not prevent the others.
void add_checks(Section& deck, Registry<PhysicsEntry> const& physics, std::optional<MemoryBudget> const& budget) {
  auto const add = [&](auto const& validate) {
    deck.check([&physics, validate](Options const& given, Mistakes& mistakes) {
      validate(physics.find(given.choice("physics")), given, mistakes);
    });
  };
  add([](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    if (evolves(entry, given)) {
      Options const time = given.section("time");
      validate_time(time, mistakes, suggests_steps(entry, given), entry.takes_courant);
      if (!entry.takes_courant && time.has("courant") && !time.has("step"))
        add_mistake(time, "courant", "not used by " + entry.name, mistakes, "give `step` instead");
      validate_output_times(given.section("output"), given.section("time"), mistakes);
    }
  });
  add([](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    validate_checkpoints(given.section("checkpoint"), evolves(entry, given), mistakes);
  });
  add([](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    if (!entry.steps_by_itself) return;
    refuse_integrator(entry, given, mistakes);
    if (given.given("solver")) mistakes.add(given.location("solver"), "solver", not_used_by(entry), "leave it out");
  });
  add([](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    if (evolves(entry, given) && !entry.steps_by_itself)
      validate_integrator(given.section("time"), entry.rate_parts, mistakes);
  });
  add([](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    std::string const obstacle = precision_obstacle(entry, precision_of(given));
    if (!obstacle.empty()) add_mistake(given, "precision", obstacle, mistakes);
  });
  add(validate_mesh);
  add([](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    if (entry.validate) entry.validate(given, mistakes);
  });
  add([](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    if (!entry.points) validate_field_files(given.section(entry.name), field_shape(entry, given), mistakes);
  });
  if (!budget) return;
  add([budget](PhysicsEntry const&, Options const& given, Mistakes& mistakes) {
    validate_io_ranks(given, *budget, mistakes);
  });
  add([budget](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    validate_points(entry, *budget, given, mistakes);
  });
  add([budget](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    validate_blocks(entry, given, budget->ranks, mistakes);
  });
  add([budget](PhysicsEntry const& entry, Options const& given, Mistakes& mistakes) {
    validate_devices(entry, given, *budget, mistakes);
  });
}

/// Physics of points, which have no mesh.
std::vector<std::string> physics_of_points(Registry<PhysicsEntry> const& physics) {
  std::vector<std::string> names = physics.names();
  std::erase_if(names, [&](std::string const& name) { return !physics.find(name).points; });
  return names;
}

/// Names of the deck's options and sections, without those of physics.
std::vector<std::string> names_of_the_deck() {
  Registry<PhysicsEntry> const none("physics");
  Section const deck = declare_deck(none);
  std::vector<std::string> names;
  for (Option const& option : deck.options()) names.push_back(option.name());
  for (Section const& section : deck.sections()) names.push_back(section.name());
  return names;
}

}  // namespace

Registry<PhysicsEntry> load_physics(std::vector<std::string> const& plugins) {
  Registry<PhysicsEntry> physics("physics");
  PluginLoader loader(physics, names_of_the_deck());
  loader.load_folder(PluginLoader::folder_of_this_program());
  for (std::string const& plugin : plugins) loader.load(plugin);
  return physics;
}

std::vector<DeckFormat> deck_formats(Registry<PhysicsEntry> const& physics) {
  std::vector<DeckFormat> formats;
  for (std::string const& name : physics.names_in_order()) {
    std::vector<DeckFormat> const& own = physics.find(name).deck_formats;
    formats.insert(formats.end(), own.begin(), own.end());
  }
  return formats;
}

Section declare_deck(Registry<PhysicsEntry> const& physics, std::optional<MemoryBudget> const& budget) {
  Section deck("", "A run: what is solved, where, how, and what is written.");
  deck.choice("physics", "Name of the physics to solve.", physics.names())
      .more_names("`--plugin FILE.so` loads one of your own");
  deck.choice("precision", "Floating-point precision of all fields.", std::vector<std::string>{"double", "single"})
      .defaults_to(std::string("double"));
  deck.choice(
          "tune",
          "Source of the tuning parameters of sweeps. off: built-in rules; read: tuning tables and the user's "
          "cache, and the rules where these have no entry; search: as read, but a sweep without an entry in the user's "
          "cache is measured when it first runs and added to it. Results are bitwise the same with all three.",
          std::vector<std::string>{"off", "read", "search"})
      .defaults_to(std::string("read"));
  declare_devices(deck);
  deck.section(declare_mesh_section().optional_where("physics", physics_of_points(physics)));
  deck.section(halo_section());
  deck.section(time_section());
  deck.section(solver_section());
  deck.section(output_section());
  deck.section(checkpoint_section());
  deck.section(io_section());
  deck.section(guard_section());
  deck.section(plot_section());
  deck.section(progress_section());
  deck.sections("physics", [&physics] { return sections_of(physics); });
  add_checks(deck, physics, budget);
  return deck;
}

FieldShape field_shape(PhysicsEntry const& entry, Options const& deck) {
  return FieldShape::of(deck.section("mesh"), entry.centring ? entry.centring(deck) : Centring::cell);
}

IntegratorEntry const* integrator_of(PhysicsEntry const& entry, Options const& deck) {
  if (!evolves(entry, deck) || entry.steps_by_itself) return nullptr;
  return chosen_integrator(deck.section("time"), entry.integrator);
}

std::unique_ptr<Physics> make_physics(PhysicsEntry const& entry, PhysicsContext const& context) {
  std::size_t const before = integrators_made();
  std::unique_ptr<Physics> physics = entry.create(context);
  if (evolves(entry, context.deck) && integrators_made() == before) {
    Mistakes mistakes;
    refuse_integrator(entry, context.deck, mistakes);
    mistakes.report();
  }
  return physics;
}

Precision precision_of(Options const& deck) {
  return deck.choice("precision") == "single" ? Precision::single : Precision::double_;
}

}  // namespace halocline
