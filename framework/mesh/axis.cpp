#include "framework/mesh/axis.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

namespace {

void require_bounds(double lower, double upper) {
  if (!std::isfinite(lower) || !std::isfinite(upper)) {
    throw InputError("an axis from " + shortest_text(lower) + " to " + shortest_text(upper) +
                     ": both ends must be finite numbers");
  }
  if (!(lower < upper) || !std::isfinite(upper - lower)) {
    throw InputError("an axis from " + shortest_text(lower) + " to " + shortest_text(upper) +
                     ": the upper end must lie above the lower one, at a finite distance");
  }
}

}  // namespace

Axis Axis::uniform(Index cells, double lower, double upper) {
  if (cells < 1) throw InputError("an axis of " + std::to_string(cells) + " cells: at least one is needed");
  require_bounds(lower, upper);
  Axis axis;
  axis.cells_ = cells;
  axis.lower_ = lower;
  axis.upper_ = upper;
  axis.spacing_ = (upper - lower) / static_cast<double>(cells);
  if (!(lower + axis.spacing_ > lower) || !(upper - axis.spacing_ < upper)) {
    throw InputError("an axis of " + std::to_string(cells) + " cells from " + shortest_text(lower) + " to " +
                     shortest_text(upper) + ": the cells are too thin for double precision");
  }
  return axis;
}

Axis Axis::stretched(std::vector<double> edges) {
  if (edges.size() < 2) throw InputError("a stretched axis needs at least two edges");
  require_bounds(edges.front(), edges.back());
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (!(edges[i - 1] < edges[i])) {
      throw InputError("the edges of a stretched axis must increase: edge " + std::to_string(i) + " is " +
                       shortest_text(edges[i]) + ", the one before it " + shortest_text(edges[i - 1]));
    }
  }
  Axis axis;
  axis.cells_ = static_cast<Index>(edges.size()) - 1;
  axis.lower_ = edges.front();
  axis.upper_ = edges.back();
  axis.spacing_ = axis.length() / static_cast<double>(axis.cells_);
  axis.edges_ = std::make_shared<std::vector<double> const>(std::move(edges));
  return axis;
}

double Axis::edge(Index i) const {
  if (edges_ != nullptr) return (*edges_)[static_cast<std::size_t>(i)];
  return i == cells_ ? upper_ : lower_ + spacing_ * static_cast<double>(i);
}

double Axis::centre(Index i) const {
  if (edges_ != nullptr) return 0.5 * (edge(i) + edge(i + 1));
  return lower_ + spacing_ * (static_cast<double>(i) + 0.5);
}

double Axis::width(Index i) const { return edges_ != nullptr ? edge(i + 1) - edge(i) : spacing_; }

bool operator==(Axis const& a, Axis const& b) {
  if (a.cells_ != b.cells_ || a.lower_ != b.lower_ || a.upper_ != b.upper_) return false;
  if (a.is_uniform() || b.is_uniform()) return a.is_uniform() == b.is_uniform();
  return a.edges_ == b.edges_ || *a.edges_ == *b.edges_;
}

}  // namespace halocline
