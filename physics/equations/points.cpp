#include "physics/equations/points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"
#include "framework/deck/validation.hpp"
#include "framework/field/finite_value.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

/// The global index along an axis of the cell that contains `x`.
Index cell_at(Axis const& axis, double x) {
  Index low = 0;
  Index high = axis.cells();
  while (high - low > 1) {
    Index const middle = (low + high) / 2;
    (axis.edge(middle) <= x ? low : high) = middle;
  }
  return low;
}

/// The cell at a position, if this rank owns it.
std::optional<OwnedCell> find_cell(StructuredMesh const& mesh, FieldBase const& field,
                                   std::vector<double> const& position) {
  Extents cell{0, 0, 0};
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    cell[axis] = cell_at(mesh.axis(static_cast<int>(axis)), position[axis]);
  }
  for (Block const& block : mesh.blocks()) {
    bool inside = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      inside = inside && cell[axis] >= block.cells.begin[axis] && cell[axis] < block.cells.end[axis];
    }
    if (!inside) continue;
    BlockLayout const& layout = field.layout(block);
    Extents const& first = block.cells.begin;
    return OwnedCell{&block, layout.first + (cell[0] - first[0]) + (cell[1] - first[1]) * layout.row +
                                 (cell[2] - first[2]) * layout.plane};
  }
  return std::nullopt;
}

std::string name_of(Options const& receiver, std::size_t number) {
  return receiver.has("name") ? receiver.text("name") : "receiver_" + std::to_string(number + 1);
}

template <class Real>
struct AddToEntry {
  Real* entry;
  Real value;
  KOKKOS_FUNCTION void operator()(int) const { *entry += value; }
};

template <class Real>
struct TakeEntries {
  Real const* from;
  Index const* entries;
  Real* to;
  KOKKOS_FUNCTION void operator()(Index n) const { to[n] = from[entries[n]]; }
};

}  // namespace

double cell_volume(StructuredMesh const& mesh) {
  double volume = 1;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) volume *= mesh.axis(axis).spacing();
  return volume;
}

double cell_volume(StructuredMesh const& mesh, std::vector<double> const& position) {
  double volume = 1;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    Axis const& line = mesh.axis(axis);
    volume *= line.width(cell_at(line, position[static_cast<std::size_t>(axis)]));
  }
  return volume;
}

void declare_position(Section& section) {
  section.reals("position", "Position; the cell that contains it is used.", 1, 3);
}

Section receiver_section(std::string const& recorded) {
  Section receiver("receivers", "Cells in which " + recorded + " is recorded at every step, in traces.csv.");
  declare_position(receiver);
  receiver.text("name", "Name of the recording; if not given, receiver_1, receiver_2, …").optional();
  return receiver;
}

void validate_positions(std::vector<Options> const& points, Options const& mesh, Mistakes& mistakes) {
  std::size_t const axes = mesh.entries("cells");
  for (Options const& given : points) {
    std::vector<double> const position = given.reals("position");
    if (position.size() != axes) {
      add_mistake(given, "position", "has " + entries_text(position.size()), mistakes,
                  "the mesh has " + std::to_string(axes) + (axes == 1 ? " axis" : " axes"));
      continue;
    }
    std::vector<double> const lower = mesh.has("lower") ? mesh.reals("lower") : std::vector<double>(axes, 0);
    std::vector<double> const upper = mesh.has("upper") ? mesh.reals("upper") : std::vector<double>(axes, 1);
    for (std::size_t axis = 0; axis < std::min({axes, lower.size(), upper.size()}); ++axis) {
      if (position[axis] >= lower[axis] && position[axis] <= upper[axis]) continue;
      add_mistake(given, "position", std::string("lies outside of the mesh along ") + "xyz"[axis], mistakes);
    }
  }
}

void validate_receivers(std::vector<Options> const& receivers, Options const& mesh, Mistakes& mistakes) {
  validate_positions(receivers, mesh, mistakes);
  std::set<std::string> known{"time"};
  for (std::size_t n = 0; n < receivers.size(); ++n) {
    std::string const name = name_of(receivers[n], n);
    if (name.empty() || name.find_first_of(",\"\r\n") != std::string::npos) {
      add_mistake(receivers[n], "name", "'" + deck::printable(name) + "' cannot head a column of a table", mistakes,
                  "leave out commas, quotes and line breaks");
    } else if (!known.insert(name).second) {
      mistakes.add(receivers[n].location(), receivers[n].full_name("name"),
                   "'" + deck::printable(name) + "' already heads another column",
                   "give each receiver a name of its own");
    }
  }
}

std::function<double(double)> point_strength(Options const& source) {
  std::array<double, 3> at{};
  std::vector<double> const position = source.reals("position");
  std::copy(position.begin(), position.end(), at.begin());
  return [at, strength = source.expression("strength"), called = source.full_name("strength")](double time) {
    double const value = strength(at[0], at[1], at[2], time);
    if (!std::isfinite(value)) throw_not_finite(called, strength, at, time);
    return value;
  };
}

template <class Real>
void PointSources<Real>::add(StructuredMesh const& mesh, Field<Real> const& like, std::vector<double> const& position,
                             double amplitude, std::function<double(double)> shape) {
  ++count_;
  if (auto const cell = find_cell(mesh, like, position)) sources_.push_back({*cell, amplitude, std::move(shape)});
}

template <class Real>
void PointSources<Real>::add_to(Field<Real>& u, double factor, double time) const {
  if (empty()) return;
  for (Source const& source : sources_) {
    double const value = factor * source.amplitude * source.shape(time);
    Real* const entry = static_cast<Real*>(u.data(*source.cell.block)) + source.cell.entry;
    Kokkos::parallel_for("halocline source", Kokkos::RangePolicy<Execution>(execution(*source.cell.block), 0, 1),
                         AddToEntry<Real>{entry, static_cast<Real>(value)});
  }
  // On all ranks, since no rank knows which cells others write.
  for (Block const& block : u.mesh().blocks()) u.mark_written(block, u.owned(block), "sources");
}

template <class Real>
Receivers<Real>::Receivers(std::vector<Options> const& receivers, std::shared_ptr<StructuredMesh const> mesh,
                           Fields<Real> const& like)
    : mesh_(std::move(mesh)), fields_(like.size()) {
  std::vector<std::vector<Index>> entries(mesh_->blocks().size());
  for (Block const& block : mesh_->blocks()) blocks_.push_back({&block, {}, {}, {}});
  for (std::size_t n = 0; n < receivers.size(); ++n) {
    Options const& given = receivers[n];
    for (auto const& field : like) {
      names_.push_back(fields_ == 1 ? name_of(given, n) : name_of(given, n) + "." + field->name());
    }
    auto const cell = find_cell(*mesh_, *like.front(), given.reals("position"));
    if (!cell) continue;
    entries[cell->block->local].push_back(cell->entry);
    blocks_[cell->block->local].receivers.push_back(n);
  }
  for (OfBlock& mine : blocks_) {
    std::vector<Index> const& taken = entries[mine.block->local];
    mine.entries = Kokkos::View<Index*, Memory>("receivers", taken.size());
    Kokkos::deep_copy(mine.entries, Kokkos::View<Index const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                        taken.data(), taken.size()));
  }
}

template <class Real>
void Receivers<Real>::make_room() {
  for (OfBlock& mine : blocks_) {
    if (times_.size() < mine.values.extent(0)) continue;
    decltype(mine.values)
        const larger("traces", std::max<std::size_t>(256, 2 * times_.size()), fields_ * mine.receivers.size());
    if (!times_.empty()) {
      std::pair<std::size_t, std::size_t> const known(0, times_.size());
      Kokkos::deep_copy(Kokkos::subview(larger, known, Kokkos::ALL), Kokkos::subview(mine.values, known, Kokkos::ALL));
    }
    mine.values = larger;
  }
}

template <class Real>
void Receivers<Real>::record(double time, Fields<Real> const& fields) {
  if (names_.empty()) return;
  make_room();
  for (OfBlock const& mine : blocks_) {
    std::size_t const cells = mine.receivers.size();
    if (cells == 0) continue;
    Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>> const each(execution(*mine.block), 0,
                                                                        static_cast<Index>(cells));
    for (std::size_t n = 0; n < fields_; ++n) {
      Field<Real> const& field = *fields[n];
      Real* const to = mine.values.data() + (times_.size() * fields_ + n) * cells;
      Kokkos::parallel_for(
          "halocline receivers", each,
          TakeEntries<Real>{static_cast<Real const*>(field.data(*mine.block)), mine.entries.data(), to});
    }
  }
  times_.push_back(time);
}

template <class Real>
Traces Receivers<Real>::take() {
  Traces traces{names_, std::exchange(times_, {}), {}};
  std::size_t const steps = traces.times.size();
  traces.values.assign(steps * names_.size(), 0.0);
  for (OfBlock const& mine : blocks_) {
    if (mine.receivers.empty() || steps == 0) continue;
    execution(*mine.block).fence("halocline: traces");
    auto const values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, mine.values);
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t field = 0; field < fields_; ++field) {
        for (std::size_t n = 0; n < mine.receivers.size(); ++n) {
          traces.values[step * names_.size() + mine.receivers[n] * fields_ + field] =
              static_cast<double>(values(step, field * mine.receivers.size() + n));
        }
      }
    }
  }
  // One rank owns each cell: the others add zero.
  mesh_->communicator().sum(traces.values);
  return traces;
}

template class PointSources<float>;
template class PointSources<double>;
template class Receivers<float>;
template class Receivers<double>;

}  // namespace halocline
