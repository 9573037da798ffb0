#include "framework/io/field_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/io/field_file.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/right_hand_side.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

/// Collective. Opens a file on all ranks; each reads its part by `work`. Throws unless all have read the same file and
/// valid values only; the message has the first invalid entry, whichever rank has read it.
template <class Work>
void read_together(FieldFile const& file, std::string const& called, FieldShape const& shape, Precision precision,
                   Communicator const& communicator, Work const& work) {
  BadEntry bad;
  auto const attempt = [&](auto const& part) {
    std::exception_ptr failure;
    try {
      part();
    } catch (InputError const& error) {
      failure = std::make_exception_ptr(wrong_option(called, file, error.what()));
    } catch (...) {
      failure = std::current_exception();
    }
    communicator.agree(failure);
  };
  std::unique_ptr<FieldFileReader> reader;
  attempt([&] {
    require_as_validated(InputFile(file.path));  // check first: further errors would follow from a change
    reader = std::make_unique<FieldFileReader>(file, shape);
    require_as_validated(reader->file());
    work(*reader, bad);
    reader->file().require_unchanged();
  });
  FileIdentity const mine = reader->file().identity();
  std::array<Index, 3> least{mine.bytes, mine.modified, bad.place};
  std::array<Index, 2> most{mine.bytes, mine.modified};
  communicator.min(least);
  communicator.max(most);
  if (least[0] != most[0] || least[1] != most[1])
    throw wrong_option(called, file,
                       wrong_file(file.path, "is not the same file on all ranks; check its path on each host").what());
  if (least[2] == BadEntry::none) return;
  bool const has_read_it = bad.place == least[2];
  std::vector<std::string> const said =
      communicator.gather(has_read_it ? reader->refusal(bad, precision).what() : std::string());
  attempt([&] {
    auto const first = std::find_if(said.begin(), said.end(), [](std::string const& text) { return !text.empty(); });
    if (first != said.end()) throw InputError(*first);
  });
}

/// Calls `visit` with each row of `box`: the index of its first entry in an array of `whole`, x fastest, and its
/// values.
template <class Visit>
void for_rows(IndexRange const& box, IndexRange const& whole, double const* values, Visit const& visit) {
  Extents const extents = whole.extents();
  for (Index k = box.begin[2] - whole.begin[2]; k < box.end[2] - whole.begin[2]; ++k) {
    for (Index j = box.begin[1] - whole.begin[1]; j < box.end[1] - whole.begin[1]; ++j) {
      visit(box.begin[0] - whole.begin[0] + extents[0] * (j + extents[1] * k),
            std::span(values, static_cast<std::size_t>(box.extent(0))));
      values += box.extent(0);
    }
  }
}

template <class Real>
constexpr Precision precision_of = sizeof(Real) == sizeof(float) ? Precision::single : Precision::double_;

/// Returns the largest absolute value in double precision over all ranks.
template <class Real>
double fill_from_file(FieldFile const& file, std::string const& called, Field<Real>& field) {
  StructuredMesh const& mesh = structured(field.mesh());
  double largest = 0;
  auto const read = [&](FieldFileReader const& reader, BadEntry& bad) {
    std::array<FileAxis, 3> const axes = reader.axes();
    for (Block const& block : mesh.blocks()) {
      IndexRange const owned = mesh.global_owned(block.id, field.centring());
      std::vector<Real> values(static_cast<std::size_t>(owned.size()));
      auto const stencil = [&](int axis, Index entry) -> LinearStencil {
        if (reader.is_of_the_same_grid() || axis >= mesh.dimensions()) return {entry, 0};
        return axes[static_cast<std::size_t>(axis)].at(mesh.coordinate(axis, field.centring(), entry));
      };
      auto const keep = [&](IndexRange const& box, double const* from) {
        for_rows(box, owned, from, [&](Index place, std::span<double const> row) {
          for (double const value : row) {
            values[static_cast<std::size_t>(place++)] = static_cast<Real>(value);
            largest = std::max(largest, std::abs(value));
          }
        });
      };
      reader.read(owned, stencil, precision_of<Real>, keep, bad);
      field.set_owned(block, 0, std::as_bytes(std::span(values)));
    }
  };
  read_together(file, called, FieldShape::of(mesh, field.centring()), precision_of<Real>, mesh.communicator(), read);
  return mesh.communicator().max(largest);
}

/// Warns, once for each name, if nonzero values all become zero in single precision.
void warn_if_lost(FieldFile const& file, std::string const& called, double largest, Vector const& x) {
  if (largest == 0 || x.maximum() != 0) return;
  static std::set<std::string> warned;
  if (!warned.insert(called).second) return;
  log_warning("`" + called + "`: no value of `" + file.path + "` is above " + shortest_text(largest) +
              ", and in single precision all are 0; scale the problem, or use `precision: double`");
}

/// Returns the largest absolute value.
template <class Real>
double evaluate_file(FieldFile const& file, std::string const& called, Vector& x) {
  // Through another vector: filling a field writes more than the unknowns.
  auto const everywhere = x.create();
  double const largest = fill_from_file(file, called, as_field_vector<Real>(*everywhere).field());
  x.copy(*everywhere);
  warn_if_lost(file, called, largest, x);
  return largest;
}

}  // namespace

template <class Real>
void fill(FieldSource const& source, std::string const& called, double time, Field<Real>& field) {
  if (Expression const* const expression = source.expression()) {
    field.fill(*expression, time, 0, "`" + called + "`");
  } else {
    fill_from_file(*source.file(), called, field);
  }
}

template <class Real>
void evaluate(FieldSource const& source, std::string const& called, double time, Vector& x) {
  if (Expression const* const expression = source.expression()) {
    evaluate<Real>(*expression, called, time, x);
  } else {
    evaluate_file<Real>(*source.file(), called, x);
  }
}

template <class Real>
void integrate_source(FieldSource const& source, std::string const& called, double time, Vector const& volume,
                      Vector& b) {
  if (Expression const* const expression = source.expression()) {
    integrate_source<Real>(*expression, called, time, volume, b);
  } else {
    double const largest = evaluate_file<Real>(*source.file(), called, b);
    integrate_values(called, largest == 0, volume, b);
  }
}

struct PointValues::Part {
  std::array<FileAxis, 3> axes;
  int dimensions = 1;
  IndexRange box;  ///< of the file's entries, which repeat on periodic axes
  std::vector<double> values;

  [[nodiscard]] double at(Extents const& entry) const {
    Extents const extents = box.extents();
    Extents local{0, 0, 0};
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
      Index const period = axes[axis].entries();
      local[axis] = entry[axis] - box.begin[axis];
      if (local[axis] < 0) local[axis] += period;
      if (local[axis] >= extents[axis]) local[axis] -= period;
    }
    return values[static_cast<std::size_t>(local[0] + extents[0] * (local[1] + extents[1] * local[2]))];
  }
};

PointValues::PointValues(FieldSource source, std::string const& called,
                         std::shared_ptr<StructuredMesh const> const& mesh, Precision precision)
    : source_(std::move(source)) {
  if (source_.file() == nullptr) return;
  auto const part = std::make_shared<Part>();
  part->dimensions = mesh->dimensions();
  auto const read = [&](FieldFileReader const& reader, BadEntry& bad) {
    part->axes = reader.axes();
    part->box = {{0, 0, 0}, {1, 1, 1}};
    for (int axis = 0; axis < mesh->dimensions(); ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      Index begin = std::numeric_limits<Index>::max();
      Index end = std::numeric_limits<Index>::min();
      for (Block const& block : mesh->blocks()) {
        LinearStencil const lower = part->axes[a].at(mesh->axis(axis).edge(block.cells.begin[a]));
        LinearStencil const upper = part->axes[a].at(mesh->axis(axis).edge(block.cells.end[a]));
        begin = std::min(begin, lower.first);
        end = std::max(end, upper.first + (upper.weight != 0 ? 2 : 1));
      }
      part->box.begin[a] = begin;
      part->box.end[a] = end;
    }
    part->values.resize(static_cast<std::size_t>(part->box.size()));
    auto const keep = [&](IndexRange const& box, double const* from) {
      for_rows(box, part->box, from, [&](Index place, std::span<double const> row) {
        std::copy(row.begin(), row.end(), part->values.begin() + place);
      });
    };
    reader.read(
        part->box,
        [](int, Index entry) {
          return LinearStencil{entry, 0};
        },
        precision, keep, bad);
  };
  read_together(*source_.file(), called, FieldShape::of(*mesh, Centring::cell), precision, mesh->communicator(), read);
  part_ = part;
}

double PointValues::operator()(std::array<double, 3> const& at) const {
  if (Expression const* const expression = source_.expression()) return (*expression)(at[0], at[1], at[2], 0);
  std::array<LinearStencil, 3> stencils{};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(part_->dimensions); ++axis) {
    stencils[axis] = part_->axes[axis].at(at[axis]);
  }
  double value = 0;
  for (Index k = 0; k <= (stencils[2].weight != 0 ? 1 : 0); ++k) {
    for (Index j = 0; j <= (stencils[1].weight != 0 ? 1 : 0); ++j) {
      for (Index i = 0; i <= (stencils[0].weight != 0 ? 1 : 0); ++i) {
        std::array<Index, 3> const step{i, j, k};
        double weight = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          weight *= step[axis] == 1 ? stencils[axis].weight : 1 - stencils[axis].weight;
        }
        value += weight * part_->at({stencils[0].first + i, stencils[1].first + j, stencils[2].first + k});
      }
    }
  }
  return value;
}

template void fill(FieldSource const&, std::string const&, double, Field<float>&);
template void fill(FieldSource const&, std::string const&, double, Field<double>&);
template void evaluate<float>(FieldSource const&, std::string const&, double, Vector&);
template void evaluate<double>(FieldSource const&, std::string const&, double, Vector&);
template void integrate_source<float>(FieldSource const&, std::string const&, double, Vector const&, Vector&);
template void integrate_source<double>(FieldSource const&, std::string const&, double, Vector const&, Vector&);

}  // namespace halocline
