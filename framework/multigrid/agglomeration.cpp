#include "framework/multigrid/agglomeration.hpp"

#include <algorithm>
#include <utility>

#include "framework/kernel/sweep_boxes.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {
namespace {

using Buffer = Kokkos::View<double*, Memory>;

IndexRange widened(IndexRange box, Extents const& extra) {
  for (std::size_t a = 0; a < 3; ++a) box.end[a] += extra[a];
  return box;
}

/// Box of the unknowns of the block at `place`, from the starts along each axis.
IndexRange box_at(std::array<std::vector<Index>, 3> const& starts, std::array<int, 3> const& place) {
  IndexRange box;
  for (std::size_t a = 0; a < 3; ++a) {
    auto const at = static_cast<std::size_t>(place[a]);
    box.begin[a] = starts[a][at];
    box.end[a] = starts[a][at + 1];
  }
  return box;
}

}  // namespace

template <class Real>
Agglomeration<Real>::Agglomeration(ControlVolumeGrid spread) : spread_(std::move(spread)) {
  Communicator const& all = spread_.mesh->communicator();
  whole_ = replicated(spread_, std::shared_ptr<Communicator>(all.split(all.rank())));
  Partition const& partition = spread_.mesh->partition();
  std::array<std::vector<Index>, 3> const starts{spread_.starts(0), spread_.starts(1), spread_.starts(2)};
  for (Index block = 0; block < partition.blocks(); ++block) {
    parts_.push_back({partition.rank(block), box_at(starts, partition.place(block))});
  }
}

template <class Real>
void Agglomeration<Real>::gather(Field<Real> const& spread, Field<Real>& whole, Extents const& extra) const {
  Communicator const& all = spread_.mesh->communicator();
  // All ranks send the same number of values: that of the rank with the largest blocks.
  std::vector<Index> sizes(static_cast<std::size_t>(all.size()));
  for (Part const& part : parts_) {
    if (!part.box.empty()) sizes[static_cast<std::size_t>(part.rank)] += widened(part.box, extra).size();
  }
  auto const largest = static_cast<std::size_t>(*std::max_element(sizes.begin(), sizes.end()));

  Buffer const packed("agglomeration", largest);
  Index used = 0;
  for (Block const& block : spread_.mesh->blocks()) {
    IndexRange const unknowns = spread_.unknowns(block);
    if (unknowns.empty()) continue;
    IndexRange const box = widened(unknowns, extra);
    for_box(execution(block), box, CopyPoint<double, Real>{spread.view(block), packed_view(packed.data() + used, box)});
    execution(block).fence();
    used += box.size();
  }
  auto const mine = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), packed);
  std::vector<double> const everything = all.all_gather(std::span<double const>(mine.data(), largest));

  Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(everything.data(),
                                                                                     everything.size());
  auto const values = Kokkos::create_mirror_view_and_copy(Memory(), host);
  Block const& block = whole_.mesh->blocks()[0];
  std::vector<Index> done(sizes.size());
  for (Part const& part : parts_) {
    if (part.box.empty()) continue;
    IndexRange const box = widened(part.box, extra);
    auto const rank = static_cast<std::size_t>(part.rank);
    Index const at = part.rank * static_cast<Index>(largest) + done[rank];
    for_box(execution(block), box,
            CopyPoint<Real, double>{packed_view<double const>(values.data() + at, box), whole.view(block)});
    done[rank] += box.size();
  }
  whole.mark_written(block, widened(whole_.unknowns(block), extra), "agglomeration");
  // Values beyond the last unknown were received too; on a periodic axis nothing is read before the first.
  if (extra != Extents{}) whole.mark_ghosts_valid(1);
  execution(block).fence();
}

template <class Real>
void Agglomeration<Real>::take(Field<Real> const& whole, Field<Real>& spread) const {
  BlockView<Real const> const all = whole.view(whole_.mesh->blocks()[0]);
  for (Block const& block : spread_.mesh->blocks()) {
    IndexRange const box = spread_.unknowns(block);
    Extents const first = spread_.first_unknown(block);
    Real const* const origin = all.at(first[0] - box.begin[0], first[1] - box.begin[1], first[2] - box.begin[2]);
    set_values(execution(block), box, spread.view(block), ConvertedValues<Real, Real>{{origin, all.row, all.plane}});
  }
}

template <class Real>
AgglomeratedCoarsening<Real>::AgglomeratedCoarsening(Agglomeration<Real> agglomeration, Operator const& fine,
                                                     std::unique_ptr<Operator> coarse)
    : Coarsening(LevelKind::moved),
      agglomeration_(std::move(agglomeration)),
      fine_(fine),
      coarse_(std::move(coarse)),
      scratch_(fine_.create_vector()) {}

template <class Real>
void AgglomeratedCoarsening<Real>::residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const {
  fine_.residual(b, x, *scratch_);
  restrict_to(*scratch_, coarse_b);
}

template <class Real>
void AgglomeratedCoarsening<Real>::restrict_to(Vector const& fine, Vector& coarse) const {
  agglomeration_.gather(as_field_vector<Real>(fine).field(), as_field_vector<Real>(coarse).field());
}

template <class Real>
void AgglomeratedCoarsening<Real>::prolong_add(Vector const& coarse_x, Vector& x) const {
  agglomeration_.take(as_field_vector<Real>(coarse_x).field(), as_field_vector<Real>(*scratch_).field());
  x.add(1, *scratch_);
}

template class Agglomeration<float>;
template class Agglomeration<double>;
template class AgglomeratedCoarsening<float>;
template class AgglomeratedCoarsening<double>;

}  // namespace halocline
