#include "solvers/time/time_section.hpp"

#include <string>
#include <utility>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"
#include "framework/deck/validation.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {

namespace {

/// One section for each integrator with options.
std::vector<Section> integrator_sections() {
  std::vector<Section> all;
  for (std::string const& name : integrators().names()) {
    Section section = integrators().find(name).declare();
    if (!section.options().empty() || !section.inner().empty()) all.push_back(std::move(section));
  }
  return all;
}

}  // namespace

Section time_section() {
  Section time("time", "Time integration of an evolving physics; not used by a stationary one.");
  time.choice("method", "Time integrator; if not given, the default of the physics.",
              [] { return integrators().names(); })
      .optional();
  time.sections("method", integrator_sections);
  time.real("start", "Time of the initial state.").defaults_to(0.0);
  time.real(
          "step",
          "Length of a time step; if the physics or an error estimate chooses the steps, length of the first one only.")
      .above(0)
      .optional();
  time.real("courant",
            "Length of each step as a fraction of the longest stable step of the current state; replaces `step`.")
      .above(0)
      .at_most(1)
      .optional();
  time.integer("steps", "Number of time steps.").at_least(0).optional();
  time.real("end", "Time at which the run ends; the last steps are shortened to end exactly there.").optional();
  time.check([](Options const& given, Mistakes& mistakes) {
    if (given.has("steps") && given.has("end")) {
      add_mistake(given, "end", "given together with `steps`", mistakes, "give one of them");
    }
    if (given.has("step") && given.has("courant")) {
      add_mistake(given, "courant", "given together with `step`", mistakes, "give one of them");
    }
    if (given.has("end") && given.real("end") < given.real("start")) {
      add_mistake(given, "end", "lies before `start`", mistakes);
    }
  });
  return time;
}

void validate_time(Options const& time, Mistakes& mistakes, bool suggests_steps, bool takes_courant) {
  if (!time.has("step") && !time.has("courant") && !suggests_steps) {
    mistakes.add(time.location(), time.full_name("step"), "missing",
                 takes_courant ? "give `step` or `courant`" : "it is the length of each step");
  }
  if (!time.has("steps") && !time.has("end")) {
    mistakes.add(time.location(), time.full_name("steps"), "missing", "give `steps` or `end`");
  }
  if (!time.has("step")) return;
  constexpr double most_steps = 9007199254740992;  // 2^53: doubles skip integers beyond
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
