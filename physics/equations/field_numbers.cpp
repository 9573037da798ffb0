#include "physics/equations/field_numbers.hpp"

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline {
namespace {

/// u and |u|, times the volume if that is an input.
struct SumTerms {
  static constexpr Shape shape = point;
  template <class P, class U>
  KOKKOS_FUNCTION Result<double, 0, 2> operator()(P const&, U const& u) const {
    return terms(static_cast<double>(u[here]));
  }
  template <class P, class U, class V>
  KOKKOS_FUNCTION Result<double, 0, 2> operator()(P const&, U const& u, V const& volume) const {
    return terms(static_cast<double>(u[here]) * static_cast<double>(volume[here]));
  }

 private:
  KOKKOS_FUNCTION static Result<double, 0, 2> terms(double value) { return {{}, {value, value < 0 ? -value : value}}; }
};

/// -u and u, of which the largest are found.
struct ExtremeTerms {
  static constexpr Shape shape = point;
  template <class P, class U>
  KOKKOS_FUNCTION Result<double, 0, 2> operator()(P const&, U const& u) const {
    double const value = static_cast<double>(u[here]);
    return {{}, {-value, value}};
  }
};

/// What is under way for one field on one block.
struct UnderWay {
  std::size_t field;
  std::unique_ptr<Reduction<Execution, CompensatedSum>> sums{};
  std::unique_ptr<Reduction<Execution, Greatest>> extremes{};
};

}  // namespace

template <class Real>
std::vector<FieldNumbers> measure(Fields<Real> const& fields, std::vector<FieldNeeds> const& needs,
                                  Field<Real> const* volume) {
  Mesh const& mesh = fields.front()->mesh();
  std::vector<UnderWay> all;
  for (std::size_t n = 0; n < fields.size(); ++n) {
    Field<Real> const& u = *fields[n];
    for (Block const& block : mesh.blocks()) {
      UnderWay& one = all.emplace_back(UnderWay{n});
      auto const enqueue = [&](auto& outcome, auto const& functor, auto const&... more) {
        outcome = std::make_unique<std::remove_reference_t<decltype(*outcome)>>();
        sweep_reduce(execution(block), u.owned(block), Geometry<Real>{}, *outcome, no_outputs, functor, u.view(block),
                     more...);
      };
      if (needs[n].sums && volume != nullptr) enqueue(one.sums, SumTerms{}, volume->view(block));
      if (needs[n].sums && volume == nullptr) enqueue(one.sums, SumTerms{});
      if (needs[n].extremes) enqueue(one.extremes, ExtremeTerms{});
    }
  }
  std::vector<double> sums(2 * fields.size());
  std::vector<double> extremes(2 * fields.size(), -std::numeric_limits<double>::infinity());
  for (UnderWay const& one : all) {
    for (std::size_t k = 0; k < 2; ++k) {
      std::size_t const at = 2 * one.field + k;
      if (one.sums) sums[at] += one.sums->value(static_cast<int>(k));
      if (one.extremes) extremes[at] = larger(extremes[at], one.extremes->value(static_cast<int>(k)));
    }
  }
  mesh.communicator().sum(sums);
  mesh.communicator().max(extremes);
  std::vector<FieldNumbers> numbers;
  for (std::size_t at = 0; at < sums.size(); at += 2) {
    numbers.push_back({sums[at], sums[at + 1], -extremes[at], extremes[at + 1]});
  }
  return numbers;
}

template std::vector<FieldNumbers> measure(Fields<float> const&, std::vector<FieldNeeds> const&, Field<float> const*);
template std::vector<FieldNumbers> measure(Fields<double> const&, std::vector<FieldNeeds> const&, Field<double> const*);

}  // namespace halocline
