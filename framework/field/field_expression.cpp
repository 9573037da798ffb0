#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "framework/field/expression_values.hpp"
#include "framework/field/field.hpp"
#include "framework/field/finite_value.hpp"
#include "framework/field/initial_data_service.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

namespace {

/// Positions of a box in global indices.
BoxPositions positions_of(StructuredMesh const& mesh, Centring centring, IndexRange const& box) {
  BoxPositions positions;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (Index i = box.begin[axis]; i < box.end[axis]; ++i)
      positions.along[axis].push_back(mesh.coordinate(static_cast<int>(axis), centring, i));
  }
  return positions;
}

template <class Real>
void evaluate_as(StructuredMesh const& mesh, ExpressionRequest const& request, std::span<std::byte> to) {
  Extents const extents = request.box.extents();
  BlockView<Real> const view{reinterpret_cast<Real*>(to.data()), extents[0], extents[0] * extents[1]};
  BoxPositions const positions = positions_of(mesh, request.centring, request.box);
  // The requesting rank checks the values.
  static_cast<void>(
      evaluate_on_host(Expression(request.text), request.time, positions, positions.range(), IndexRange{}, view));
}

/// Requests the same values from another rank, into host memory.
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

/// The service that provides the values of an expression; null if there is none.
InitialDataService* service_for(Expression const& expression) {
  InitialDataService* const service = InitialDataFrom::current();
  if (service == nullptr || expression.is_constant()) return nullptr;
  // A device computes other bits than the host of an I/O rank, and is faster.
  bool const by_device = !memory_on_host && is_evaluated_in_place(expression) && !service->has_other_values();
  return by_device ? nullptr : service;
}

}  // namespace

template <class Real>
EntryPositions const& Field<Real>::positions(Block const& block) {
  std::shared_ptr<EntryPositions const>& positions = storage_[block.local].positions;
  if (!positions) {
    CurrentDevice const current(device_of(block));
    IndexRange const box = shifted(with_ghosts(block), mesh().global_owned(block.id, centring()).begin);
    positions =
        std::make_shared<EntryPositions const>(execution(block), positions_of(structured(mesh()), centring(), box));
  }
  return *positions;
}

template <class Real>
void Field<Real>::evaluate(Block const& block, Expression const& expression, double time, int component,
                           IndexRange const& range, std::string const& called) {
  CurrentDevice const current(device_of(block));
  Storage const& storage = storage_[block.local];
  BlockLayout const& layout = storage.layout;
  IndexRange const all = with_ghosts(block);
  Extents const to_places{-all.begin[0], -all.begin[1], -all.begin[2]};
  IndexRange const checked = shifted(owned(block), to_places);
  // One component, including its ghosts, is contiguous memory that no other component overlaps.
  Index const first = layout.first + all.begin[0] + all.begin[1] * layout.row + all.begin[2] * layout.plane +
                      component * layout.component;
  EntryPositions const& places = positions(block);
  std::optional<Extents> bad;
  if (InitialDataService* const service = service_for(expression)) {
    auto const part = Kokkos::subview(storage.values, std::pair<Index, Index>(first, first + layout.component));
    auto const host = Kokkos::create_mirror_view(part);
    BlockView<Real> const view{host.data(), layout.row, layout.plane};
    execution(block).fence();
    // Entries that must not change may lie between those of the range.
    if (range != all) Kokkos::deep_copy(host, part);
    IndexRange const box = shifted(range, mesh().global_owned(block.id, centring()).begin);
    IndexRange const inside = shifted(range, to_places);
    have_evaluated(*service, {expression.text(), time, centring(), box, precision()},
                   BlockView<Real>{view.at(inside.begin[0], inside.begin[1], inside.begin[2]), view.row, view.plane});
    bad = first_not_finite(checked, view);
    if (!bad) Kokkos::deep_copy(part, host);
  } else {
    bad = halocline::evaluate(execution(block), expression, time, places, shifted(range, to_places), checked,
                              BlockView<Real>{storage.values.data() + first, layout.row, layout.plane});
  }
  if (bad)
    throw_not_finite(called.empty() ? "field `" + name() + "`" : called, expression, places.on_host().at(*bad), time);
}

template <class Real>
void Field<Real>::fill(Expression const& expression, double time, int component, std::string const& called) {
  for (Block const& block : mesh().blocks()) {
    evaluate(block, expression, time, component, with_ghosts(block), called);
    notify({.kind = GhostEvent::Kind::fill_function, .record = &ghost_record(block, component)});
  }
}

template <class Real>
void Field<Real>::fill_owned(Expression const& expression, double time, int component, std::string const& called) {
  for (Block const& block : mesh().blocks()) {
    evaluate(block, expression, time, component, owned(block), called);
    mark_written(block, owned(block), "Field::fill_owned", component);
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

template EntryPositions const& Field<float>::positions(Block const&);
template EntryPositions const& Field<double>::positions(Block const&);
template void Field<float>::evaluate(Block const&, Expression const&, double, int, IndexRange const&,
                                     std::string const&);
template void Field<double>::evaluate(Block const&, Expression const&, double, int, IndexRange const&,
                                      std::string const&);
template void Field<float>::fill(Expression const&, double, int, std::string const&);
template void Field<double>::fill(Expression const&, double, int, std::string const&);
template void Field<float>::fill_owned(Expression const&, double, int, std::string const&);
template void Field<double>::fill_owned(Expression const&, double, int, std::string const&);

}  // namespace halocline
