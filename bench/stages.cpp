#include "bench/stages.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "bench/measure.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "physics/equations/equation_system.hpp"
#include "physics/equations/stage_sweeps.hpp"

namespace halocline::benchmarking {
namespace {

constexpr float diffusivity_u = 2e-5F;
constexpr float diffusivity_v = 1e-5F;
constexpr float feed = 0.04F;
constexpr float kill = 0.06F;

/// As a physics declares it.
struct Reaction {
  static constexpr Shape shape = point;
  static constexpr int fields = 2;
  template <class P, class U, class V>
  KOKKOS_FUNCTION Values<float, 2> operator()(P const&, U const& u, V const& v) const {
    float const uvv = u[here] * v[here] * v[here];
    return {feed * (1.0F - u[here]) - uvv, uvv - (feed + kill) * v[here]};
  }
  [[nodiscard]] Values<float, 2> diffusivity() const { return {diffusivity_u, diffusivity_v}; }
};

/// A hand-written single sweep for one stage: out = own y + kept out + scale rate(y).
template <bool HasTerm>
struct StageByHand {
  static constexpr Shape shape = star<1, 2>;
  static constexpr Shape input_shape(int n) { return n < 2 ? shape : point; }
  float own, kept, scale;  ///< weights of y, of the old `out`, of the rate
  float per_square_x, per_square_y;

  template <class P, class U, class V, class... X>
  KOKKOS_FUNCTION Result<float, 2, 0> operator()(P const&, U const& u, V const& v, X const&... x) const {
    float const uvv = u[here] * v[here] * v[here];
    float const rate_u = feed * (1.0F - u[here]) - uvv + diffusivity_u * laplacian(u);
    float const rate_v = uvv - (feed + kill) * v[here] + diffusivity_v * laplacian(v);
    Result<float, 2, 0> result{{own * u[here] + scale * rate_u, own * v[here] + scale * rate_v}, {}};
    if constexpr (HasTerm) {
      float const terms[2] = {x[here]...};
      for (int n = 0; n < 2; ++n) result.value[n] += kept * terms[n];
    }
    return result;
  }
  template <class U>
  KOKKOS_FORCEINLINE_FUNCTION float laplacian(U const& u) const {
    return per_square_x * ((u[east] + u[west]) - 2.0F * u[here]) +
           per_square_y * ((u[north] + u[south]) - 2.0F * u[here]);
  }
};

/// u and v on a periodic plane, and the system that advances them.
class Plane {
 public:
  explicit Plane(Index cells) {
    StructuredMeshDescription description;
    description.axes.assign(2, Axis::uniform(cells, 0, 0.01 * static_cast<double>(cells)));
    description.periodic = {true, true, false};
    mesh_ = StructuredMesh::make(description, std::make_shared<Communicator>(MPI_COMM_WORLD));
    EquationField field;
    for (int axis = 0; axis < 3; ++axis) {
      BoundaryKind const kind = axis < 2 ? BoundaryKind::periodic : BoundaryKind::neumann;
      for (int const side : {-1, 1}) field.walls.at(axis, side).kind = kind;
    }
    FieldVector<float> const like(fields("u", "v"));
    system_ = std::make_unique<EquationSystem<float>>(
        mesh_, like, std::vector<EquationField>(2, field),
        StagesOfLaw<float>{std::make_unique<StageSweeps<float, Reaction, 2>>(mesh_, Reaction{}), nullptr});
    for (std::size_t n = 0; n < states_.size(); ++n) {
      states_[n] = std::make_unique<FieldVector<float>>(fields("u", "v"));
      for (auto const& each : states_[n]->fields()) each->fill(Expression("0.5 + 0.25*random(7)"), 0);
    }
  }

  /// out = y + h rate(y), or (out + y + h rate(y)) / 2
  void stage(bool has_term) {
    Vector& out = *states_[1];
    std::array const terms{WeightedVector{0.5, &out}};
    if (has_term) {
      system_->evaluate(RatePart::whole, 0, *states_[0], 0.5, terms, 0.5 * static_cast<double>(step), out, nullptr);
    } else {
      system_->evaluate(RatePart::whole, 0, *states_[0], 1, {}, static_cast<double>(step), out, nullptr);
    }
  }
  void stage_by_hand(bool has_term) {
    Block const& block = mesh_->blocks().front();
    auto const view = [&](std::size_t n, std::size_t field) {
      return BlockView<float>(states_[n]->fields()[field]->view(block));
    };
    auto const to = outputs(view(2, 0), view(2, 1));
    IndexRange const owned = mesh_->owned(block, Centring::cell);
    auto const per_square = [&](int axis) {
      double const spacing = mesh_->axis(axis).spacing();
      return static_cast<float>(1 / (spacing * spacing));
    };
    if (has_term) {
      StageByHand<true> const functor{0.5F, 0.5F, 0.5F * step, per_square(0), per_square(1)};
      sweep(execution(block), owned, Geometry<float>{}, to, functor, BlockView<float const>(view(0, 0)),
            BlockView<float const>(view(0, 1)), BlockView<float const>(view(2, 0)), BlockView<float const>(view(2, 1)));
    } else {
      StageByHand<false> const functor{1.0F, 0.0F, step, per_square(0), per_square(1)};
      sweep(execution(block), owned, Geometry<float>{}, to, functor, BlockView<float const>(view(0, 0)),
            BlockView<float const>(view(0, 1)));
    }
  }
  /// The largest difference between both results.
  [[nodiscard]] double difference() {
    auto const error = system_->create_state();
    error->assign({{1, states_[1].get()}, {-1, states_[2].get()}});
    return error->scaled_maximum(*states_[1], *states_[2], 1, 0);
  }

 private:
  static constexpr float step = 0.5F;

  [[nodiscard]] Fields<float> fields(char const* first, char const* second) const {
    Fields<float> both;
    for (char const* const name : {first, second}) {
      both.push_back(std::make_shared<Field<float>>(mesh_, FieldDescription{.name = name}));
    }
    return both;
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  std::unique_ptr<EquationSystem<float>> system_;
  std::array<std::unique_ptr<FieldVector<float>>, 3> states_;  ///< y, and the outputs of both variants
};

}  // namespace

std::vector<Row> stages(Options const& options) {
  std::vector<Row> all;
  for (Index const cells : sizes(options, 2, {4096}, {8192, 16384})) {
    std::vector<Row> rows;
    {
      Plane plane(cells);
      for (bool const has_term : {false, true}) {
        Row row;
        row.problem =
            problem_of<float>(has_term ? "Gray-Scott, second stage" : "Gray-Scott, first stage", {cells, cells, 1});
        // u and v are read and written; the second stage also reads their values at the start of the step.
        row.bytes = (has_term ? 6 : 4) * sizeof(float) * static_cast<double>(cells * cells);
        row.operations = (has_term ? 36 : 34) * static_cast<double>(cells * cells);
        std::vector<Form> const forms{{"as declared", [&] { plane.stage(has_term); }},
                                      {"written by hand", [&] { plane.stage_by_hand(has_term); }}};
        for (Form const& form : forms) form.enqueue();
        // About twenty operations on numbers up to 2 D / spacing^2 in each of the two.
        if (!(plane.difference() < 40 * 0x1p-24)) throw DefectError(row.problem + ": not what is written by hand");
        for (Row const& timed : time_forms(row, forms, options.repetitions, [](Form const&, std::string const&) {})) {
          rows.push_back(timed);
        }
      }
    }
    rows = with_copy(std::move(rows), options.repetitions);
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace halocline::benchmarking
