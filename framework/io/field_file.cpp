#include "framework/io/field_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "framework/io/mesh_file.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

/// Entries of a file that are in memory at a time.
constexpr Index most_entries = Index{1} << 21;

/// Whether a number is NaN, infinite or not representable in the precision.
bool is_bad(double value, Precision precision) {
  return !std::isfinite(precision == Precision::single ? static_cast<double>(static_cast<float>(value)) : value);
}

/// The axes, slowest in the file first.
std::array<std::size_t, 3> slowest_first(int slowest) {
  return slowest == 0 ? std::array<std::size_t, 3>{0, 1, 2} : std::array<std::size_t, 3>{2, 1, 0};
}

/// Halves of a box along the first axis of `order` with more than one entry; there must be such an axis.
std::array<IndexRange, 2> halves(IndexRange const& box, std::array<std::size_t, 3> const& order) {
  auto const axis =
      *std::find_if(order.begin(), order.end(), [&](std::size_t a) { return box.end[a] - box.begin[a] > 1; });
  std::array<IndexRange, 2> both{box, box};
  both[0].end[axis] = both[1].begin[axis] = box.begin[axis] + (box.end[axis] - box.begin[axis]) / 2;
  return both;
}

/// Divides [begin, end) into parts that each lie within one period of `entries`.
std::vector<std::pair<Index, Index>> periods(Index begin, Index end, Index entries) {
  std::vector<std::pair<Index, Index>> parts;
  while (begin < end) {
    Index const period = begin < 0 ? (begin + 1) / entries - 1 : begin / entries;
    Index const next = std::min(end, (period + 1) * entries);
    parts.emplace_back(begin, next);
    begin = next;
  }
  return parts;
}

/// Index of an entry within its period.
Index wrapped(Index entry, Index entries) { return (entry % entries + entries) % entries; }

/// Whether edges are those of an axis, up to rounding.
bool are_edges_of(std::vector<double> const& edges, Axis const& axis) {
  if (static_cast<Index>(edges.size()) != axis.cells() + 1) return false;
  for (Index i = 0; i <= axis.cells(); ++i) {
    double const rounding = 1e-6 * axis.width(std::min(i, axis.cells() - 1));
    if (!(std::abs(edges[static_cast<std::size_t>(i)] - axis.edge(i)) <= rounding)) return false;
  }
  return true;
}

/// "16 x 8 x 4"
std::string grid_text(Extents const& extents, int dimensions) {
  std::string text;
  for (int axis = 0; axis < dimensions; ++axis) {
    text += (axis > 0 ? " x " : "") + std::to_string(extents[static_cast<std::size_t>(axis)]);
  }
  return text;
}

}  // namespace

InputError wrong_option(std::string const& option, FieldFile const& file, std::string const& why) {
  return InputError("`" + option + "`: " + why + " (" + file.location.text() + ")");
}

FieldShape FieldShape::of(Options const& mesh, Centring centring) {
  FieldShape shape;
  shape.centring = centring;
  std::vector<std::int64_t> const cells = mesh.integers("cells");
  std::vector<bool> const periodic = mesh.has("periodic") ? mesh.booleans("periodic") : std::vector<bool>{};
  shape.dimensions = static_cast<int>(cells.size());
  shape.mesh_axis = [mesh](int axis) { return axis_of(mesh, axis); };
  for (std::size_t axis = 0; axis < cells.size(); ++axis) {
    shape.cells[axis] = cells[axis];
    shape.periodic[axis] = axis < periodic.size() && periodic[axis];
  }
  return shape;
}

FieldShape FieldShape::of(StructuredMesh const& mesh, Centring centring) {
  FieldShape shape{mesh.dimensions(), mesh.extents(Centring::cell), {}, centring, {}};
  shape.mesh_axis = [axes = mesh.axes()](int axis) { return axes[static_cast<std::size_t>(axis)]; };
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    shape.periodic[static_cast<std::size_t>(axis)] = mesh.periodic(axis);
  }
  return shape;
}

Extents FieldShape::extents() const {
  Extents extents = cells;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
    if (on_edges(centring, static_cast<int>(axis)) && !periodic[axis]) ++extents[axis];
  }
  return extents;
}

FieldFileReader::FieldFileReader(FieldFile const& given, FieldShape const& shape)
    : given_(given), shape_(shape), array_(open_array(given, shape.dimensions)) {
  on_nodes_ = array_->on_nodes().value_or(shape.centring == Centring::node);
  require_component();
  require_extents();
  require_axes();
}

void FieldFileReader::require_component() const {
  Index const components = array_->components();
  if (components > 0 && !given_.component) {
    throw wrong_file(file().path(),
                     "has an array of shape " + shape_text(array_->shape()) + ", with " + std::to_string(components) +
                         " numbers an entry for " + std::to_string(shape_.dimensions) +
                         (shape_.dimensions == 1 ? " axis" : " axes") +
                         "; choose one with `component`, from 0, or give an array with as many axes as the mesh");
  }
  if (components == 0 && given_.component) {
    throw wrong_file(file().path(), "has an array of shape " + shape_text(array_->shape()) +
                                        ", without a last axis for `component`; leave `component` out");
  }
  if (given_.component && *given_.component >= components) {
    throw wrong_file(file().path(), "has " + std::to_string(components) + " numbers an entry, but no component " +
                                        std::to_string(*given_.component) + ": components count from 0");
  }
}

void FieldFileReader::require_extents() {
  entries_ = array_->extents();
  if (std::count(entries_.begin(), entries_.end(), 0) > 0) throw wrong_file(file().path(), "holds no values");
  // Our own files repeat the first node of a periodic axis at its end.
  if (array_->on_nodes().value_or(false)) {
    for (std::size_t axis = 0; axis < 3; ++axis) entries_[axis] -= shape_.periodic[axis] ? 1 : 0;
  }
  bool const wants_nodes = shape_.centring == Centring::node;
  same_grid_ = entries_ == shape_.extents() && on_nodes_ == wants_nodes;
  if (same_grid_ || given_.interpolate) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(shape_.dimensions); ++axis) {
      bool const too_few = on_nodes_ && !shape_.periodic[axis] && entries_[axis] < 2;
      if (too_few || entries_[axis] < 1)
        throw wrong_file(file().path(), "has one node along an axis, but needs at least two");
    }
    return;
  }
  std::string const has = array_->on_nodes() ? (on_nodes_ ? " nodes" : " cells") : " values";
  throw wrong_file(file().path(),
                   "has " + grid_text(entries_, shape_.dimensions) + has + " along " +
                       std::string("x, y, z").substr(0, static_cast<std::size_t>(3 * shape_.dimensions - 2)) +
                       " (shape " + shape_text(array_->shape()) + "), and the mesh has " +
                       grid_text(shape_.extents(), shape_.dimensions) + (wants_nodes ? " nodes" : " cells") +
                       "; `interpolate: true` accepts another resolution");
}

/// A grid with the same number of entries is another grid if its known cell edges differ.
void FieldFileReader::require_axes() {
  for (int axis = 0; axis < shape_.dimensions && same_grid_; ++axis) {
    std::vector<double> const edges = array_->edges(axis);
    if (edges.empty() || are_edges_of(edges, shape_.mesh_axis(axis))) continue;
    if (!given_.interpolate) {
      throw wrong_file(file().path(), "is from another mesh, with other cells along " + std::string(1, "xyz"[axis]) +
                                          "; `interpolate: true` interpolates its values");
    }
    same_grid_ = false;
  }
}

/// The cells of the file's grid.
Axis FieldFileReader::cells_along(int axis) const {
  auto const a = static_cast<std::size_t>(axis);
  Axis mesh = shape_.mesh_axis(axis);
  if (same_grid_) return mesh;
  std::vector<double> edges = array_->edges(axis);
  if (edges.empty() && array_->on_nodes())
    throw wrong_file(file().path(),
                     "has no " + std::string(mesh_file_name) + " beside it, which holds the positions of its cells");
  if (edges.empty()) {
    Index const cells = on_nodes_ && !shape_.periodic[a] ? entries_[a] - 1 : entries_[a];
    return Axis::uniform(cells, mesh.lower(), mesh.upper());
  }
  if (are_edges_of({edges.front(), edges.back()}, Axis::uniform(1, mesh.lower(), mesh.upper())))
    return Axis::stretched(std::move(edges));
  throw wrong_file(file().path(), "is from a mesh from " + shortest_text(edges.front()) + " to " +
                                      shortest_text(edges.back()) + " along " + std::string(1, "xyz"[axis]) +
                                      ", but this mesh reaches from " + shortest_text(mesh.lower()) + " to " +
                                      shortest_text(mesh.upper()));
}

std::array<FileAxis, 3> FieldFileReader::axes() const {
  std::array<FileAxis, 3> all;
  for (int axis = 0; axis < shape_.dimensions; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    all[a] = FileAxis(cells_along(axis), entries_[a], on_nodes_, shape_.periodic[a]);
  }
  return all;
}

void FieldFileReader::note(IndexRange const& box, Precision precision, double const* values, BadEntry& bad) const {
  Extents const extents = box.extents();
  for (Index n = 0; n < box.size(); ++n) {
    if (!is_bad(values[n], precision)) continue;
    Index const i = box.begin[0] + n % extents[0];
    Index const j = box.begin[1] + n / extents[0] % extents[1];
    Index const k = box.begin[2] + n / (extents[0] * extents[1]);
    Extents const all = array_->extents();
    Index const place = i + all[0] * (j + all[1] * k);
    if (place < bad.place) bad = {place, values[n]};
  }
}

void FieldFileReader::read_entries(IndexRange const& box, Precision precision, double* values, BadEntry& bad) const {
  Index const component = given_.component.value_or(0);
  std::array<std::vector<std::pair<Index, Index>>, 3> parts;
  for (std::size_t axis = 0; axis < 3; ++axis) parts[axis] = periods(box.begin[axis], box.end[axis], entries_[axis]);
  bool const is_whole = parts[0].size() == 1 && parts[1].size() == 1 && parts[2].size() == 1;
  Extents const row{1, box.extent(0), box.extent(0) * box.extent(1)};
  std::vector<double> part;
  for (auto const& z : parts[2]) {
    for (auto const& y : parts[1]) {
      for (auto const& x : parts[0]) {
        std::array<std::pair<Index, Index>, 3> const given{x, y, z};
        IndexRange inside;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          inside.begin[axis] = wrapped(given[axis].first, entries_[axis]);
          inside.end[axis] = inside.begin[axis] + given[axis].second - given[axis].first;
        }
        part.resize(is_whole ? 0 : static_cast<std::size_t>(inside.size()));
        double* const to = is_whole ? values : part.data();
        array_->read(inside, component, to);
        note(inside, precision, to, bad);
        if (is_whole) continue;
        double const* from = to;
        for (Index k = z.first; k < z.second; ++k) {
          for (Index j = y.first; j < y.second; ++j) {
            Index const at = (x.first - box.begin[0]) + (j - box.begin[1]) * row[1] + (k - box.begin[2]) * row[2];
            std::copy(from, from + (x.second - x.first), values + at);
            from += x.second - x.first;
          }
        }
      }
    }
  }
}

void FieldFileReader::read(IndexRange const& targets, std::function<LinearStencil(int, Index)> const& stencil,
                           Precision precision, std::function<void(IndexRange const&, double const*)> const& visit,
                           BadEntry& bad) const {
  if (targets.empty()) return;
  std::array<InterpolatedLine, 3> lines;
  IndexRange box;
  bool const is_small = targets.size() <= most_entries;
  if (is_small) {
    for (int axis = 0; axis < 3; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      for (Index target = targets.begin[a]; target < targets.end[a]; ++target) lines[a].add(stencil(axis, target));
      box.begin[a] = lines[a].begin();
      box.end[a] = lines[a].end();
    }
  }
  if (!is_small || (box.size() > most_entries && targets.size() > 1)) {
    for (IndexRange const& half : halves(targets, slowest_first(array_->slowest_axis()))) {
      read(half, stencil, precision, visit, bad);
    }
    return;
  }
  std::vector<double> entries(static_cast<std::size_t>(box.size()));
  if (InitialDataService* const service = InitialDataFrom::current()) {
    BadEntry const theirs = service->read(
        {given_, file().identity().bytes, file().identity().modified, shape_.centring, box, precision}, entries);
    if (theirs.place < bad.place) bad = theirs;
  } else {
    read_entries(box, precision, entries.data(), bad);
  }
  if (box.size() == targets.size() && same_grid_) return visit(targets, entries.data());
  std::vector<double> values(static_cast<std::size_t>(targets.size()));
  interpolate(lines, entries, values);
  visit(targets, values.data());
}

BadEntry FieldFileReader::first_bad(Precision precision) const {
  BadEntry bad;
  read(
      {{0, 0, 0}, entries_},
      [](int, Index entry) {
        return LinearStencil{entry, 0};
      },
      precision, [](IndexRange const&, double const*) {}, bad);
  return bad;
}

InputError FieldFileReader::refusal(BadEntry const& bad, Precision precision) const {
  Extents const all = array_->extents();
  Extents const at{bad.place % all[0], bad.place / all[0] % all[1], bad.place / (all[0] * all[1])};
  std::vector<Index> indices;
  for (int axis = shape_.dimensions - 1; axis >= 0; --axis) indices.push_back(at[static_cast<std::size_t>(axis)]);
  std::string where;
  for (Index const index : indices) where += "[" + std::to_string(index) + "]";
  if (given_.component) where += "[" + std::to_string(*given_.component) + "]";
  std::string const order = shape_.dimensions == 1 ? "" : shape_.dimensions == 2 ? " ([y][x])" : " ([z][y][x])";
  std::string const what = "entry " + where + order + " is " + shortest_text(bad.value);
  bool const is_too_large = std::isfinite(bad.value) && precision == Precision::single;
  return wrong_file(file().path(), is_too_large ? "does not fit into single precision: " + what +
                                                      "; use `precision: double`, or scale it"
                                                : "holds a value that is not finite: " + what);
}

}  // namespace halocline
