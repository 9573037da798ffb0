#include "framework/kernel/finite_check.hpp"

#include <memory>

#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"

namespace halocline {

namespace {

/// 1 for a value that is not finite (only then does value - value differ from 0), otherwise 0.
template <class Real>
struct NotFinite {
  static constexpr Shape shape = point;
  template <class P, class U>
  KOKKOS_FUNCTION Result<Real, 0, 1> operator()(P const&, U const& u) const {
    return {{}, {select(u[here] - u[here] == Real{0}, Real{0}, Real{1})}};
  }
};

template <class Real>
void count(FieldBase const& field, Block const& block, int component, Reduction<Execution>& count) {
  BlockLayout const& layout = field.layout(block);
  auto const* const values = static_cast<Real const*>(field.data(block));
  BlockView<Real const> const view{values + layout.first + component * layout.component, layout.row, layout.plane};
  sweep_reduce(execution(block), field.owned(block), Geometry<Real>{}, count, no_outputs, NotFinite<Real>{}, view);
}

}  // namespace

struct FiniteCheck::Work {
  std::vector<std::unique_ptr<Reduction<Execution>>> counts;  ///< by field, component and block
  std::size_t used = 0;
  std::size_t blocks = 1;
  std::size_t components = 0;  ///< of all fields together
};

FiniteCheck::FiniteCheck() : work_(std::make_unique<Work>()) {}
FiniteCheck::~FiniteCheck() = default;

void FiniteCheck::start(std::span<FieldBase const* const> fields) {
  work_->used = 0;
  work_->components = 0;
  for (FieldBase const* const field : fields) {
    work_->blocks = field->mesh().blocks().size();
    work_->components += static_cast<std::size_t>(field->components());
    for (int component = 0; component < field->components(); ++component) {
      for (Block const& block : field->mesh().blocks()) {
        if (work_->used == work_->counts.size()) work_->counts.push_back(std::make_unique<Reduction<Execution>>());
        Reduction<Execution>& into = *work_->counts[work_->used++];
        field->precision() == Precision::single ? count<float>(*field, block, component, into)
                                                : count<double>(*field, block, component, into);
      }
    }
  }
}

std::vector<Index> FiniteCheck::counts() const {
  std::vector<Index> counts(work_->components, 0);
  for (std::size_t n = 0; n < work_->used; ++n) {
    counts[n / work_->blocks] += static_cast<Index>(work_->counts[n]->value());
  }
  return counts;
}

}  // namespace halocline
