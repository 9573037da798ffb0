#include "drivers/halocline/solve_warnings.hpp"

#include "framework/runtime/log.hpp"

namespace halocline {

void SolveWarnings::add(std::vector<SolveReport> const& solves) {
  for (SolveReport const& solve : solves) {
    ++solves_;
    for (std::string const& fallback : solve.fallbacks) {
      if (++fallbacks_[fallback] == 1) log_warning(fallback);
    }
    if (!solve.caution.empty() && ++cautions_ == 1) log_warning(solve.method + ": " + solve.caution);
    if (!solve.verification || solve.verification->complaint.empty()) continue;
    if (++complaints_ == 1) log_warning(solve.method + ": " + solve.verification->complaint);
  }
}

void SolveWarnings::finish() const {
  if (complaints_ < 2) return;
  log_warning(std::to_string(complaints_) + " of " + std::to_string(solves_) +
              " solves have an error that is too large, unknown or unreliable: summary.json lists them all");
}

}  // namespace halocline
