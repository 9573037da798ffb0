#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/field/finite_value.hpp"
#include "framework/field/initial_data_service.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

namespace {

/// Positions of the entries of a box, in global indices, by place along each axis.
struct Positions {
  std::vector<double> along[3];

  Positions(StructuredMesh const& mesh, Centring centring, IndexRange const& box) {
    for (int axis = 0; axis < 3; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      for (Index i = box.begin[a]; i < box.end[a]; ++i) along[axis].push_back(mesh.coordinate(axis, centring, i));
    }
  }
  [[nodiscard]] Index count(int axis) const { return static_cast<Index>(along[axis].size()); }
  [[nodiscard]] double at(int axis, Index place) const { return along[axis][static_cast<std::size_t>(place)]; }
};

/// Evaluates rows of entries, each thread with a copy of the expression of its own.
template <class Real>
void evaluate(Expression const& expression, double time, Positions const& positions, BlockView<Real> to) {
  Index const rows = positions.count(1) * positions.count(2);
  Index const shares = std::min<Index>(HostExecution().concurrency(), rows);
  std::vector<Expression> const copies(static_cast<std::size_t>(shares), expression);
  auto const evaluate_share = [&](Index share) {
    Expression const& mine = copies[static_cast<std::size_t>(share)];
    for (Index row = rows * share / shares; row < rows * (share + 1) / shares; ++row) {
      Index const j = row % positions.count(1);
      Index const k = row / positions.count(1);
      for (Index i = 0; i < positions.count(0); ++i) {
        to(i, j, k) = static_cast<Real>(mine(positions.at(0, i), positions.at(1, j), positions.at(2, k), time));
      }
    }
  };
  Kokkos::parallel_for("halocline expression", Kokkos::RangePolicy<HostExecution, Kokkos::IndexType<Index>>(0, shares),
                       evaluate_share);
  HostExecution().fence();
}

template <class Real>
void evaluate_as(StructuredMesh const& mesh, ExpressionRequest const& request, std::span<std::byte> to) {
  Extents const extents = request.box.extents();
  BlockView<Real> const view{reinterpret_cast<Real*>(to.data()), extents[0], extents[0] * extents[1]};
  evaluate(Expression(request.text), request.time, Positions(mesh, request.centring, request.box), view);
}

/// The same values by another rank.
template <class Real>
void have_evaluated(InitialDataService& service, ExpressionRequest const& request, BlockView<Real> to) {
  Extents const extents = request.box.extents();
  std::vector<Real> values(static_cast<std::size_t>(request.box.size()));
  service.evaluate(request, std::as_writable_bytes(std::span(values)));
  for (Index k = 0; k < extents[2]; ++k) {
    for (Index j = 0; j < extents[1]; ++j) {
      std::copy_n(&values[static_cast<std::size_t>(extents[0] * (j + extents[1] * k))], extents[0], &to(0, j, k));
    }
  }
}

/// Throws at the first entry of `inside` that is not a finite number. Ghosts may be: they lie outside of the domain.
template <class Real>
void require_finite(std::string const& called, Expression const& expression, double time, Positions const& positions,
                    IndexRange const& inside, BlockView<Real> values) {
  for (Index k = inside.begin[2]; k < inside.end[2]; ++k) {
    for (Index j = inside.begin[1]; j < inside.end[1]; ++j) {
      for (Index i = inside.begin[0]; i < inside.end[0]; ++i) {
        if (std::isfinite(values(i, j, k))) continue;
        throw_not_finite(called, expression.text(), {positions.at(0, i), positions.at(1, j), positions.at(2, k)}, time);
      }
    }
  }
}

}  // namespace

template <class Real>
void Field<Real>::fill(Expression const& expression, double time, int component, std::string const& called) {
  for (Block const& block : mesh().blocks()) {
    Storage const& storage = storage_[block.local];
    BlockLayout const& layout = storage.layout;
    IndexRange const all = with_ghosts(block);
    // One component with its ghosts is a stretch of memory that no other component touches.
    Index const first = layout.first + all.begin[0] + all.begin[1] * layout.row + all.begin[2] * layout.plane +
                        component * layout.component;
    auto const part = Kokkos::subview(storage.values, std::pair<Index, Index>(first, first + layout.component));
    auto const host = Kokkos::create_mirror_view(part);
    IndexRange const place = mesh().global_owned(block.id, centring());
    IndexRange const box = shifted(all, place.begin);
    Positions const positions(structured(mesh()), centring(), box);
    BlockView<Real> const view{host.data(), layout.row, layout.plane};
    execution(block).fence();
    InitialDataService* const service = InitialDataFrom::current();
    if (service != nullptr && !expression.is_constant()) {
      have_evaluated(*service, {expression.text(), time, centring(), box, precision()}, view);
    } else {
      evaluate(expression, time, positions, view);
    }
    IndexRange const inside = shifted(owned(block), {-all.begin[0], -all.begin[1], -all.begin[2]});
    require_finite(called.empty() ? "field `" + name() + "`" : called, expression, time, positions, inside, view);
    Kokkos::deep_copy(part, host);
    tell({.kind = GhostEvent::Kind::fill_function, .record = &ghost_record(block, component)});
  }
}

Index bytes_of(ExpressionRequest const& request) {
  Index const size = request.precision == Precision::single ? sizeof(float) : sizeof(double);
  return request.box.size() * size;
}

void evaluate(StructuredMesh const& mesh, ExpressionRequest const& request, std::span<std::byte> to) {
  request.precision == Precision::single ? evaluate_as<float>(mesh, request, to)
                                         : evaluate_as<double>(mesh, request, to);
}

namespace {

InitialDataService*& current_service() {
  static InitialDataService* current = nullptr;
  return current;
}

}  // namespace

InitialDataFrom::InitialDataFrom(InitialDataService* service) : before_(std::exchange(current_service(), service)) {}
InitialDataFrom::~InitialDataFrom() { current_service() = before_; }
InitialDataService* InitialDataFrom::current() { return current_service(); }

template void Field<float>::fill(Expression const&, double, int, std::string const&);
template void Field<double>::fill(Expression const&, double, int, std::string const&);

}  // namespace halocline
