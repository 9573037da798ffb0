#include "physics/wave/points.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/tree.hpp"
#include "framework/deck/validation.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "physics/wave/sweeps.hpp"

namespace halocline::wave {
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

double ricker(double frequency, double time) {
  double const a = std::numbers::pi * frequency * time;
  return (1 - 2 * a * a) * std::exp(-a * a);
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

template <class Real>
using Values = Kokkos::View<Real**, Kokkos::LayoutRight, Memory>;

}  // namespace

Section source_section() {
  Section source("sources", "Cells that emit waves, by a Ricker wavelet on the right-hand side.");
  source.reals("position", "Position; the cell that contains it is used.", 1, 3);
  source.real("frequency", "Peak frequency of the wavelet, per unit of time.").above(0);
  source.real("delay", "Time from the start of the run to the middle of the wavelet; if not given, 1.5 / frequency.")
      .optional();
  source.real("amplitude", "Integral of the source over its cell at the middle of the wavelet.").defaults_to(1.0);
  return source;
}

Section receiver_section() {
  Section receiver("receivers", "Cells whose u is recorded at every step in traces.csv.");
  receiver.reals("position", "Position; the cell that contains it is used.", 1, 3);
  receiver.text("name", "Name of the recording; if not given, receiver_1, receiver_2, …").optional();
  return receiver;
}

void validate_positions(std::vector<Options> const& points, Options const& mesh, Mistakes& mistakes) {
  std::size_t const axes = mesh.entries("cells");
  for (Options const& point : points) {
    std::vector<double> const position = point.reals("position");
    if (position.size() != axes) {
      add_mistake(point, "position", "has " + entries_text(position.size()), mistakes,
                  "the mesh has " + std::to_string(axes) + (axes == 1 ? " axis" : " axes"));
      continue;
    }
    std::vector<double> const lower = mesh.has("lower") ? mesh.reals("lower") : std::vector<double>(axes, 0);
    std::vector<double> const upper = mesh.has("upper") ? mesh.reals("upper") : std::vector<double>(axes, 1);
    for (std::size_t axis = 0; axis < std::min({axes, lower.size(), upper.size()}); ++axis) {
      if (position[axis] >= lower[axis] && position[axis] <= upper[axis]) continue;
      add_mistake(point, "position", std::string("lies outside of the mesh along ") + "xyz"[axis], mistakes);
    }
  }
}

void validate_names(std::vector<Options> const& receivers, Mistakes& mistakes) {
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

template <class Real>
Sources<Real>::Sources(std::vector<Options> const& sources, double start, StructuredMesh const& mesh,
                       Field<Real> const& like) {
  for (Options const& given : sources) {
    auto const cell = find_cell(mesh, like, given.reals("position"));
    if (!cell) continue;
    double const frequency = given.real("frequency");
    sources_.push_back({*cell, given.real("amplitude") / cell_volume(mesh), frequency,
                        start + (given.has("delay") ? given.real("delay") : 1.5 / frequency)});
  }
}

template <class Real>
void Sources<Real>::add(double factor, double time, Field<Real>& u) const {
  for (Source const& source : sources_) {
    double const value = factor * source.amplitude * ricker(source.frequency, time - source.middle);
    Real* const entry = static_cast<Real*>(u.data(*source.cell.block)) + source.cell.entry;
    Kokkos::parallel_for("halocline source", Kokkos::RangePolicy<Execution>(execution(*source.cell.block), 0, 1),
                         AddToEntry<Real>{entry, static_cast<Real>(value)});
  }
  // On all ranks, since no rank knows which cells others write.
  for (Block const& block : u.mesh().blocks()) u.mark_written(block, u.owned(block), "sources");
}

template <class Real>
Receivers<Real>::Receivers(std::vector<Options> const& receivers, std::shared_ptr<StructuredMesh const> mesh,
                           Field<Real> const& like)
    : mesh_(std::move(mesh)) {
  std::vector<std::vector<Index>> entries(mesh_->blocks().size());
  for (Block const& block : mesh_->blocks()) blocks_.push_back({&block, {}, {}, {}});
  for (std::size_t n = 0; n < receivers.size(); ++n) {
    Options const& given = receivers[n];
    names_.push_back(name_of(given, n));
    auto const cell = find_cell(*mesh_, like, given.reals("position"));
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
    Values<Real> const larger("traces", std::max<std::size_t>(256, 2 * times_.size()), mine.receivers.size());
    if (!times_.empty()) {
      std::pair<std::size_t, std::size_t> const known(0, times_.size());
      Kokkos::deep_copy(Kokkos::subview(larger, known, Kokkos::ALL), Kokkos::subview(mine.values, known, Kokkos::ALL));
    }
    mine.values = larger;
  }
}

template <class Real>
void Receivers<Real>::record(double time, Field<Real> const& u) {
  if (names_.empty()) return;
  make_room();
  for (OfBlock const& mine : blocks_) {
    if (mine.receivers.empty()) continue;
    auto const count = static_cast<Index>(mine.receivers.size());
    Real* const to = mine.values.data() + times_.size() * mine.receivers.size();
    Kokkos::parallel_for("halocline receivers",
                         Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(execution(*mine.block), 0, count),
                         TakeEntries<Real>{static_cast<Real const*>(u.data(*mine.block)), mine.entries.data(), to});
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
      for (std::size_t n = 0; n < mine.receivers.size(); ++n) {
        traces.values[step * names_.size() + mine.receivers[n]] = static_cast<double>(values(step, n));
      }
    }
  }
  // One rank owns each cell: the others add zero.
  mesh_->communicator().sum(traces.values);
  return traces;
}

template class Sources<float>;
template class Sources<double>;
template class Receivers<float>;
template class Receivers<double>;

}  // namespace halocline::wave
