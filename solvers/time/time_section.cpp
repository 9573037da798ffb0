#include "solvers/time/time_section.hpp"

#include <string>
#include <vector>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {

Section time_section() {
  Section time("time", "How an evolving physics moves through time; of no use to a stationary one.");
  time.choice("method", "Time integrator; without it, what the physics is stepped by best.",
              [] { return integrators().names(); })
      .optional();
  time.sections("method", [] {
    std::vector<Section> all;
    for (std::string const& name : integrators().names()) all.push_back(integrators().find(name).declare());
    return all;
  });
  time.real("start", "Time of the initial state.").defaults_to(0.0);
  time.real("step", "Length of a time step.").above(0).optional();
  time.integer("steps", "Number of time steps.").at_least(0).optional();
  time.real("end", "Time at which the run ends; the last step is shortened to meet it.").optional();
  time.check([](Options const& given, Mistakes& mistakes) {
    if (given.has("steps") && given.has("end")) {
      add_mistake(given, "end", "given together with `steps`", mistakes, "give one of them");
    }
    if (given.has("end") && given.real("end") < given.real("start")) {
      add_mistake(given, "end", "lies before `start`", mistakes);
    }
  });
  return time;
}

void judge_time(Options const& time, Mistakes& mistakes) {
  if (!time.has("step")) mistakes.add(time.location(), time.full_name("step"), "missing", "it is required");
  if (!time.has("steps") && !time.has("end")) {
    mistakes.add(time.location(), time.full_name("steps"), "missing", "give `steps` or `end`");
  }
  if (!time.has("step")) return;
  constexpr double most_steps = 9007199254740992;  // 2^53: from there on doubles skip numbers
  double const start = time.real("start");
  double const step = time.real("step");
  std::string const too_short = shortest_text(step) + " is too short: ";
  if (time.has("end") && (time.real("end") - start) / step >= most_steps) {
    add_mistake(time, "step",
                too_short + "it takes 2^53 steps or more from " + shortest_text(start) + " to " +
                    shortest_text(time.real("end")),
                mistakes);
  } else if (start + step == start) {
    add_mistake(time, "step",
                too_short + "added to " + shortest_text(start) + ", where time starts, it changes nothing", mistakes);
  }
}

}  // namespace halocline
