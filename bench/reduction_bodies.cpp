#include "bench/reduction_bodies.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <type_traits>

#include "framework/kernel/spaces.hpp"
#include "framework/runtime/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "bench/cuda_reduction_bodies.hpp"
#endif

namespace halocline::reduce {
namespace {

/// The framework's own sums.
template <class Execution, class Real>
class OurSummation : public Summation<Real> {
 public:
  OurSummation(Execution const& execution, Form form, Segments const& segments)
      : execution_(execution), form_(form), segments_(segments) {
    outcome_.reserve(execution, segments);
  }
  void enqueue(Real const* values) override {
    run<Sum, Execution, Real>(execution_, form_, {{values}}, segments_, outcome_);
  }
  [[nodiscard]] std::vector<double> values() const override { return outcome_.values(); }

 private:
  Execution execution_;
  Form form_;
  Segments segments_;
  Outcome<Execution> outcome_;
};

}  // namespace

char const* name_of(Body body) {
  switch (body) {
    case Body::specialised:
      return "specialised";
    case Body::portable:
      return "portable";
    case Body::cub:
      return "CUB";
    case Body::batched_shared:
      return "a block a segment, tree in shared memory";
    case Body::batched_warp:
      return "a block a segment, shuffles within warps";
    case Body::batched_tile:
      return "a block a segment, tree of a static tile";
    case Body::plain_shared:
      return "a block a segment, tree by __syncthreads";
    case Body::plain_warp:
      return "a block a segment, shuffles by __shfl_down_sync";
    case Body::iterated:
      return "iterated launches";
    case Body::cooperative_one_block:
      return "cooperative, one block a multiprocessor";
    case Body::cooperative_filled:
      return "cooperative, filled grid";
  }
  return "unknown";
}

template <class Execution>
std::vector<Body> bodies([[maybe_unused]] Segments const& segments) {
  std::vector<Body> all{Body::specialised, Body::portable};
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Execution, Kokkos::Cuda>) {
    auto const more =
        segments.count == 1
            ? std::vector<Body>{Body::cub, Body::iterated, Body::cooperative_one_block, Body::cooperative_filled}
            : std::vector<Body>{Body::cub,          Body::batched_shared, Body::batched_warp,
                                Body::batched_tile, Body::plain_shared,   Body::plain_warp};
    all.insert(all.end(), more.begin(), more.end());
  }
#endif
  return all;
}

template <class Execution, class Real>
std::unique_ptr<Summation<Real>> make_summation(Execution const& execution, Body body, Segments const& segments) {
  auto const known = bodies<Execution>(segments);
  if (std::find(known.begin(), known.end(), body) == known.end()) {
    throw DefectError(std::string("no sums of ") + std::to_string(segments.count) + " segments by: " + name_of(body));
  }
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Execution, Kokkos::Cuda>) {
    if (body != Body::specialised && body != Body::portable) {
      return cuda::make_summation<Real>(execution, body, segments);
    }
  }
#endif
  Form const form = body == Body::portable ? Form::portable : Form::specialised;
  return std::make_unique<OurSummation<Execution, Real>>(execution, form, segments);
}

#define HALOCLINE_SUMMATIONS(SPACE)                                                                             \
  template std::vector<Body> bodies<SPACE>(Segments const&);                                                    \
  template std::unique_ptr<Summation<float>> make_summation<SPACE, float>(SPACE const&, Body, Segments const&); \
  template std::unique_ptr<Summation<double>> make_summation<SPACE, double>(SPACE const&, Body, Segments const&);

HALOCLINE_FOR_EACH_SPACE(HALOCLINE_SUMMATIONS)

}  // namespace halocline::reduce
