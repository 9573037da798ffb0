#include "framework/io/solve_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "framework/io/json_number.hpp"

namespace halocline {
namespace {

using Json = nlohmann::ordered_json;

Json described(Verification const& verification) {
  Json object = Json::object();
  auto const add = [&object](char const* name, std::optional<double> const& value) {
    if (value) object[name] = json_number(*value);
  };
  add("error_estimate", verification.error_estimate);
  if (verification.error_estimate || !verification.doubt.empty()) object["trusted"] = verification.doubt.empty();
  if (!verification.doubt.empty()) object["doubt"] = verification.doubt;
  add("symmetry_defect", verification.symmetry_defect);
  add("smallest_ritz_value", verification.smallest_ritz_value);
  add("preconditioner_symmetry_defect", verification.preconditioner_symmetry_defect);
  return object;
}

Json described(Index step, SolveReport const& report) {
  Json solve{{"step", step},
             {"method", report.method},
             {"outcome", to_string(report.outcome)},
             {"iterations", report.iterations},
             {"initial_residual", json_number(report.initial_residual)},
             {"final_residual", json_number(report.final_residual)},
             {"true_residual", json_number(report.true_residual)},
             {"seconds", report.seconds}};
  if (!report.remark.empty()) solve["remark"] = report.remark;
  if (!report.fallbacks.empty()) solve["fallbacks"] = report.fallbacks;
  if (report.verification) solve["verification"] = described(*report.verification);
  return solve;
}

/// Texts of a plugin's solver need not be UTF-8.
std::string text_of(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class Solves>
Json array_of(Solves const& solves) {
  Json array = Json::array();
  for (auto const& solve : solves) array.push_back(Json::parse(solve.report));
  return array;
}

}  // namespace

void SolveList::add(Index step, SolveReport const& report) {
  ++outcomes_[to_string(report.outcome)];
  ++count_;
  iterations_ += report.iterations;
  seconds_ += report.seconds;
  bool const is_doubted = report.verification && !report.verification->doubt.empty();
  list({text_of(described(step, report)), report.iterations, is_doubted});
}

void SolveList::list(Solve solve) {
  if (first_.size() < first_listed) {
    first_.push_back(std::move(solve));
    return;
  }
  last_.push_back(std::move(solve));
  if (last_.size() <= last_listed) return;
  worst_.push_back(std::move(last_.front()));
  last_.pop_front();
  if (worst_.size() <= worst_listed) return;
  // Of equally bad ones the latest goes.
  auto const least = std::min_element(worst_.rbegin(), worst_.rend(),
                                      [](Solve const& a, Solve const& b) { return b.is_worse_than(a); });
  worst_.erase(std::prev(least.base()));
}

std::string SolveList::reports() const {
  Json all = array_of(first_);
  for (Json const& part : {array_of(worst_), array_of(last_)}) all.insert(all.end(), part.begin(), part.end());
  return all.dump();
}

std::string SolveList::totals() const {
  auto const listed = static_cast<Index>(first_.size() + worst_.size() + last_.size());
  Json outcomes = Json::object();
  for (auto const& [outcome, count] : outcomes_) outcomes[outcome] = count;
  return Json{{"count", count_},
              {"outcomes", std::move(outcomes)},
              {"iterations", iterations_},
              {"seconds", seconds_},
              {"left_out", count_ - listed}}
      .dump();
}

std::string SolveList::serialized() const {
  return Json{{"totals", Json::parse(totals())},
              {"first", array_of(first_)},
              {"worst", array_of(worst_)},
              {"last", array_of(last_)}}
      .dump();
}

SolveList::Solve SolveList::solve_of(std::string const& report) {
  Json const solve = Json::parse(report);
  bool const is_doubted = solve.contains("verification") && solve.at("verification").contains("doubt");
  return {report, count_of(solve.at("iterations")), is_doubted};
}

void SolveList::restore(std::string const& json) {
  *this = {};
  Json const solves = Json::parse(json);
  if (solves.is_array()) {
    for (Json const& solve : solves) {
      ++outcomes_[solve.at("outcome")];
      ++count_;
      iterations_ += count_of(solve.at("iterations"));
      seconds_ += finite_number_of(solve.at("seconds"));
      list(solve_of(solve.dump()));
    }
    return;
  }
  Json const& totals = solves.at("totals");
  count_ = count_of(totals.at("count"));
  iterations_ = count_of(totals.at("iterations"));
  seconds_ = finite_number_of(totals.at("seconds"));
  for (auto const& [outcome, count] : totals.at("outcomes").items()) outcomes_[outcome] = count_of(count);
  for (Json const& solve : solves.at("first")) first_.push_back(solve_of(solve.dump()));
  for (Json const& solve : solves.at("worst")) worst_.push_back(solve_of(solve.dump()));
  for (Json const& solve : solves.at("last")) last_.push_back(solve_of(solve.dump()));
}

}  // namespace halocline
