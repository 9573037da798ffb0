#include <cmath>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/declaration.hpp"
#include "drivers/halocline/launch.hpp"
#include "drivers/halocline/output_folder.hpp"
#include "drivers/halocline/progress.hpp"
#include "drivers/halocline/schedule.hpp"
#include "framework/deck/deck.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/stop.hpp"

#include <fmt/core.h>

namespace halocline {

ExitCode run(RunCommand const& command, std::shared_ptr<Communicator> const& communicator) {
  Registry<PhysicsEntry> const known = load_physics(command.plugins);
  Deck const deck = Deck::load(command.deck, command.overrides, *communicator);
  Options const options = deck.read(declare_deck(known));
  PhysicsEntry const& entry = known.find(options.choice("physics"));
  std::filesystem::path const folder = judged_output_folder(command, *communicator);

  bool const speaks = communicator->rank() == 0 && !command.quiet;
  Schedule const schedule = entry.time_dependence == TimeDependence::stationary
                                ? Schedule::stationary()
                                : Schedule::evolving(options.section("time"));
  Progress progress({.speaks = speaks, .columns = terminal_columns(), .steps = schedule.steps()});
  auto const mesh = make_structured_mesh(options.section("mesh"), communicator);
  auto const physics = entry.create({options, mesh, precision_of(options),
                                     [&](Index number, double residual) { progress.iteration(number, residual); }});
  for (Index n = 1; n <= schedule.steps(); ++n) {
    Step const step = schedule.step(n);
    progress.begin_step(step);
    auto const reports = physics->advance(step);
    progress.end_step(step, reports.empty() ? 0 : reports.back().true_residual);
  }
  progress.finish();
  for (auto const& q : physics->quantities()) {
    if (speaks) fmt::print("{:20} {:.15g}\n", q.name, q.value);
  }
  return ExitCode::done;
}

}  // namespace halocline
