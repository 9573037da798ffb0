#include "drivers/halocline/result.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "drivers/halocline/standard_output.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

/// "10 converged to rounding, 2310 iterations, 0.52 s".
std::string solves_text(SolveTotals const& solves) {
  std::string text;
  for (auto const& [outcome, count] : solves.outcomes) text += fmt::format("{} {}, ", count, outcome);
  return text +
         fmt::format("{} iteration{}, {:.2f} s", solves.iterations, solves.iterations == 1 ? "" : "s", solves.seconds);
}

}  // namespace

std::string failed_solve(Step const& step, SolveReport const& report) {
  std::string const when =
      step.size > 0 ? fmt::format("step {}, time {:g}: ", step.number, step.time + step.size) : std::string();
  std::string const remark = report.remark.empty() ? "" : "; " + report.remark;
  return fmt::format("{}{} ended with {} after {} iteration{}, true residual {:.2e}{}", when, report.method,
                     to_string(report.outcome), report.iterations, report.iterations == 1 ? "" : "s",
                     report.true_residual, remark);
}

void print_result(Output const& output, std::filesystem::path const& folder, double seconds) {
  std::size_t width = 9;
  for (NamedValue const& quantity : output.quantities()) width = std::max(width, quantity.name.size());
  for (NamedValue const& quantity : output.quantities()) {
    say(fmt::format("{:<{}}  {:.15g}\n", quantity.name, width, quantity.value));
  }
  for (ConservedQuantity const& conserved : output.conservation()->quantities()) {
    say(fmt::format("{:<{}}  {}: largest drift {:.1e} (rounding and solves explain {:.1e})\n", "conserved", width,
                    conserved.name, conserved.largest_drift, conserved.explained_drift));
  }
  if (output.step_count()) {
    say(fmt::format("{:<{}}  {} accepted by error control, {} rejected\n", "steps", width, output.step_count()->taken,
                    output.step_count()->rejected));
  }
  if (!output.solves().outcomes.empty())
    say(fmt::format("{:<{}}  {}\n", "solves", width, solves_text(output.solves())));
  say(fmt::format("{:<{}}  {:.2f} s\n", "time", width, seconds));
  say(fmt::format("{:<{}}  {}\n", "output", width, shown(folder.string())));
}

}  // namespace halocline
