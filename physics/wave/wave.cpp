#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/halo/orders.hpp"
#include "framework/io/field_values.hpp"
#include "framework/kernel/repeated_work.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/plugin/plugin.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/field_extremes.hpp"
#include "physics/equations/points.hpp"
#include "physics/wave/sweeps.hpp"

namespace halocline::wave {
namespace {

/// Computes the previous u from u, a change w and div grad u times a factor: keep u + change w + laplacian, the last
/// times c^2 if that is an input.
template <class Real>
struct Before {
  static constexpr Shape shape = point;
  Real keep, change;
  template <class P, class U, class W, class L, class... S>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u, W const& w, L const& laplacian,
                                  S const&... speed_squared) const {
    return keep * u[here] + change * w[here] + (speed_squared[here] * ... * laplacian[here]);
  }
};

/// (u - before)^2 / c^2 - before h^2 div grad u; leapfrog conserves its sum over all cells. c^2 may be an input.
template <class Real>
struct Energy {
  static constexpr Shape shape = point;
  double speed_squared = 1;
  template <class P, class U, class B, class L>
  KOKKOS_FUNCTION Result<double, 0, 1> operator()(P const&, U const& u, B const& before, L const& laplacian) const {
    double const change = static_cast<double>(u[here]) - static_cast<double>(before[here]);
    return {
        {},
        {change * change / speed_squared - static_cast<double>(before[here]) * static_cast<double>(laplacian[here])}};
  }
  template <class P, class U, class B, class L, class S>
  KOKKOS_FUNCTION Result<double, 0, 1> operator()(P const& at, U const& u, B const& before, L const& laplacian,
                                                  S const& of_cell) const {
    return Energy{static_cast<double>(of_cell[here])}(at, u, before, laplacian);
  }
};

/// Ricker's wavelet, the second derivative of a Gaussian (Ricker, 1953, Geophysics 18, equation 2).
///
/// \param frequency where its spectrum has its maximum
/// \param time      from its middle
double ricker(double frequency, double time) {
  double const a = std::numbers::pi * frequency * time;
  return (1 - 2 * a * a) * std::exp(-a * a);
}

/// Pulses that are emitted in single cells, per volume of the cell.
///
/// \param start time at which the run starts
template <class Real>
PointSources<Real> pulses(std::vector<Options> const& sources, double start, StructuredMesh const& mesh,
                          Field<Real> const& like) {
  PointSources<Real> all;
  for (Options const& given : sources) {
    double const frequency = given.real("frequency");
    double const middle = start + (given.has("delay") ? given.real("delay") : 1.5 / frequency);
    all.add(mesh, like, given.reals("position"), given.real("amplitude") / cell_volume(mesh),
            [frequency, middle](double time) { return ricker(frequency, time - middle); });
  }
  return all;
}

bool is_weighted_sum(Options const& wave) { return wave.choice("method") == "weighted_sum"; }
bool has_sponge(Options const& wave) { return wave.section("sponge").real("width") > 0; }
/// Whether c^2 is stored per cell.
bool has_medium(Options const& wave) {
  return !is_weighted_sum(wave) && (has_sponge(wave) || !wave.field("speed").is_constant());
}

Weights weights_of(Options const& wave) {
  Weights weights{};
  std::vector<double> const given = wave.reals("weights");
  std::copy(given.begin(), given.end(), weights.begin());
  return weights;
}

/// d2u/dt2 = c^2 div grad u + sources on cells, by leapfrog; or, repeatedly, a weighted sum over each cell's star. u is
/// zero beyond non-periodic faces.
template <class Real>
class Wave final : public Physics {
 public:
  explicit Wave(PhysicsContext const& context)
      : options_(context.deck.section("wave")),
        mesh_(context.mesh),
        weighted_sum_(is_weighted_sum(options_)),
        time_(context.deck.section("time").real("start")),
        h_(context.deck.section("time").has("step") ? context.deck.section("time").real("step") : 0),
        same_steps_(context.deck.section("time").has("steps")),
        u_(make_field("u")),
        before_(make_field("u_before")),
        exchange_({u_.get()}),
        sweeps_(make_sweeps<Real>(mesh_)),
        sources_(pulses(options_.list("sources"), time_, *mesh_, *u_)),
        receivers_(options_.list("receivers"), mesh_, {u_}) {
    set("initial", u_);
    if (weighted_sum_) {
      weights_ = weights_of(options_);
      exchange_.exchange({u_.get()});
    } else {
      prepare_medium();
      if (h_ == 0) h_ = context.deck.section("time").real("courant") * stable_step();
      prepare_sponge();
      prepare_leapfrog();
    }
    receivers_.record(time_, {u_});
    if (options_.has("exact"))
      static_cast<void>(error());  // throws, before anything is written, if an exact solution is not finite somewhere
  }

  [[nodiscard]] std::vector<FieldBase const*> fields() const override {
    if (speed_squared_) return {u_.get(), speed_squared_.get()};
    return {u_.get()};
  }
  [[nodiscard]] std::vector<Quantity> quantities() const override {
    std::vector<Quantity> all{{"maximum", FieldVector<Real>(u_).maximum()}};
    if (!weighted_sum_) all.push_back({"energy", energy()});
    if (!options_.has("exact")) return all;
    ErrorNorms const norms = error();
    all.push_back({"error_2", norms.two});
    all.push_back({"error_maximum", norms.maximum});
    return all;
  }
  [[nodiscard]] std::vector<std::string> conserved() const override {
    bool const closed = !has_sponge(options_) && sources_.empty();
    if (weighted_sum_ || !closed || !same_steps_) return {};
    return {"energy"};
  }
  /// Leapfrog is stable while h^2 c^2 times the largest eigenvalue of -div grad is at most 4; the wave with that
  /// eigenvalue changes its sign from cell to cell along all axes.
  [[nodiscard]] double stable_step() const override {
    if (weighted_sum_) return Physics::stable_step();
    double weight = 0;
    for (std::size_t n = 0; n < second_derivative.size(); ++n)
      weight += (n > 0 ? 2 : 1) * std::abs(second_derivative[n]);
    double largest = 0;
    for (int axis = 0; axis < mesh_->dimensions(); ++axis) largest += weight / std::pow(mesh_->axis(axis).spacing(), 2);
    return 2 / (highest_speed_ * std::sqrt(largest));
  }
  [[nodiscard]] Traces take_traces() override { return receivers_.take(); }

  [[nodiscard]] std::vector<SolveReport> advance(Step const& step) override {
    exchange_.finish();
    if (!weighted_sum_) {
      if (step.size != h_) change_step(step.size);
      // What is subtracted from the previous u is added to the next u.
      sources_.add_to(*before_, -h_ * h_, time_);
    }
    sweep_step();
    u_->swap_values(*before_);
    time_ = step.time + step.size;
    receivers_.record(time_, {u_});
    return {};
  }

  [[nodiscard]] bool serialize(StateArchive& state) override {
    exchange_.finish();
    state.field("u", *u_);
    state.field("u_before", *before_);
    state.number("time", time_);
    state.number("step", h_);
    if (!state.restores()) return true;
    exchange_.exchange({u_.get()});
    if (!medium_.sponge.none()) medium_.sponge.set(*mesh_, sponge_, h_);
    return true;
  }

 private:
  [[nodiscard]] std::shared_ptr<Field<Real>> make_field(std::string name) const {
    return std::make_shared<Field<Real>>(mesh_, FieldDescription{.name = std::move(name), .ghosts = ghosts});
  }
  /// Sets the cells of a field to the deck's values; ghosts are unchanged.
  void set(std::string const& option, std::shared_ptr<Field<Real>> const& field) const {
    FieldVector<Real> values(field);
    evaluate<Real>(options_.field(option), options_.full_name(option), time_, values);
  }

  void prepare_medium() {
    FieldSource const speed = options_.field("speed");
    if (!has_medium(options_)) {
      medium_.speed = speed.constant();
      highest_speed_ = medium_.speed;
      return;
    }
    speed_squared_ = std::make_shared<Field<Real>>(mesh_, FieldDescription{.name = "speed_squared", .ghosts = 0});
    set("speed", speed_squared_);
    if (!(extreme<reduce::Minimum>(*speed_squared_) > 0)) {
      throw InputError("`" + options_.full_name("speed") + "`: " + speed.described() + " is not above 0 everywhere");
    }
    FieldVector<Real> squared(speed_squared_);
    highest_speed_ = squared.maximum();
    squared.multiply(squared, squared);
    medium_.speed_squared = speed_squared_.get();
  }

  void prepare_sponge() {
    if (!has_sponge(options_)) return;
    Options const sponge = options_.section("sponge");
    sponge_ = sponge_for(sponge.real("width"), sponge.real("reflection"), highest_speed_);
    medium_.sponge.set(*mesh_, sponge_, h_);
  }

  /// Computes the next u in the memory of the previous u, with its exchange started.
  void sweep_step() {
    auto const step = [&] {
      produce(exchange_, {before_.get()}, Centring::cell, ghosts, [&](Block const& block, IndexRange const& box) {
        if (weighted_sum_) {
          sweeps_->weighted_sum(block, box, weights_, *u_, *before_);
        } else {
          sweeps_->step(block, box, medium_, h_, *u_, *before_);
        }
      });
    };
    std::optional<int> const buffer_index = exchange_.buffer_index();
    if (!buffer_index || mesh_->blocks().size() != 1) return step();
    // If kernels alone exchange, finishing now costs nothing, and the whole step can be enqueued at once.
    Block const& block = mesh_->blocks().front();
    auto const at = static_cast<std::size_t>(swapped_);
    swapped_ = !swapped_;
    bool const called =
        steps_[at].run(execution(block), {u(block).origin, before(block).origin, h_, *buffer_index}, [&] {
          step();
          exchange_.finish();
        });
    if (!called) exchange_.replayed();
  }

  /// Computes u one step before the start from the initial rate of change.
  void prepare_leapfrog() {
    laplacian_ = make_field("laplacian");
    set("initial_rate", before_);
    exchange_.exchange({u_.get()});
    set_before(1, -h_, h_ * h_ / 2);
  }

  /// Changes the length of all further steps.
  void change_step(double h) {
    double const ratio = h / h_;
    set_before(1 - ratio, ratio, (h * h - h * h_) / 2);
    h_ = h;
    if (!medium_.sponge.none()) medium_.sponge.set(*mesh_, sponge_, h_);
  }

  /// previous u = keep u + change (previous u) + factor d2u/dt2. Ignores the sponge, which is weak where waves start.
  void set_before(double keep, double change, double factor) {
    sweep_laplacian(medium_.speed_squared != nullptr ? factor : factor * medium_.speed * medium_.speed);
    Before<Real> const functor{static_cast<Real>(keep), static_cast<Real>(change)};
    for (Block const& block : mesh_->blocks()) {
      FieldView<Real const> const w = std::as_const(*before_).view(block);
      with_speed(block, [&](auto const&... speed_squared) {
        sweep(execution(block), u_->owned(block), Geometry<Real>{}, before_->view(block), functor, u(block), w,
              laplacian(block), speed_squared...);
      });
    }
    sources_.add_to(*before_, factor, time_);
  }

  /// Energy half a step ago: the sum of (du/dt)^2 / (2 c^2) and |grad u|^2 / 2 over the volume. It is positive for
  /// stable steps, and leapfrog conserves it to rounding.
  [[nodiscard]] double energy() const {
    exchange_.finish();
    sweep_laplacian(h_ * h_);
    double sum = 0;
    for (Block const& block : mesh_->blocks()) {
      Reduction<Execution> terms;
      with_speed(block, [&](auto const&... speed_squared) {
        sweep_reduce(execution(block), u_->owned(block), Geometry<Real>{}, terms, no_outputs,
                     Energy<Real>{medium_.speed * medium_.speed}, u(block), before(block), laplacian(block),
                     speed_squared...);
      });
      sum += terms.value();
    }
    return mesh_->communicator().sum(sum) * cell_volume(*mesh_) / (2 * h_ * h_);
  }

  /// Calls `work` with c^2 if that is stored per cell, otherwise without arguments.
  template <class Work>
  void with_speed(Block const& block, Work const& work) const {
    if (medium_.speed_squared == nullptr) {
      work();
    } else {
      work(medium_.speed_squared->view(block));
    }
  }

  /// Requires valid ghosts of u.
  void sweep_laplacian(double factor) const {
    for (Block const& block : mesh_->blocks()) sweeps_->laplacian(block, u_->owned(block), factor, *u_, *laplacian_);
  }

  [[nodiscard]] FieldView<Real const> u(Block const& block) const { return std::as_const(*u_).view(block); }
  [[nodiscard]] FieldView<Real const> before(Block const& block) const { return std::as_const(*before_).view(block); }
  [[nodiscard]] FieldView<Real const> laplacian(Block const& block) const {
    return std::as_const(*laplacian_).view(block);
  }

  [[nodiscard]] ErrorNorms error() const {
    FieldVector<Real> const u(u_);
    auto const weight = u.create();
    weight->fill(1);
    return error_norms<Real>(u, options_.expression("exact"), options_.full_name("exact"), time_, *weight);
  }

  /// What the kernels of a step depend on, except for what never changes.
  struct StepArguments {
    Real const* u;
    Real const* before;
    double h;
    int buffer_index;  ///< of the exchange
    [[nodiscard]] friend bool operator==(StepArguments const&, StepArguments const&) = default;
  };

  Options options_;
  std::shared_ptr<StructuredMesh const> mesh_;
  bool weighted_sum_;
  double time_;      ///< of u
  double h_;         ///< from the previous u to u; 0 for a weighted sum with `courant`, which ends before a step
  bool same_steps_;  ///< all steps have the same length
  std::shared_ptr<Field<Real>> u_;
  std::shared_ptr<Field<Real>> before_;
  std::shared_ptr<Field<Real>> laplacian_;      ///< work array; null for a weighted sum
  std::shared_ptr<Field<Real>> speed_squared_;  ///< null if it is a single number
  Medium<Real> medium_;
  Sponge sponge_;
  Weights weights_{};
  double highest_speed_ = 0;
  mutable Exchange exchange_;  ///< of u, started by the step that computed it
  std::unique_ptr<Sweeps<Real>> sweeps_;
  std::array<kernel::RepeatedWork<Execution, StepArguments>, 2> steps_;  ///< indexed by which field holds u
  bool swapped_ = false;
  PointSources<Real> sources_;
  Receivers<Real> receivers_;
};

void validate(Options const& deck, Mistakes& mistakes) {
  Options const wave = deck.section("wave");
  Options const mesh = deck.section("mesh");
  validate_positions(wave.list("sources"), mesh, mistakes);
  validate_receivers(wave.list("receivers"), mesh, mistakes);
}

/// Rejects options that the method does not use, and missing or invalid ones.
void validate_method(Options const& wave, Mistakes& mistakes) {
  bool const weighted_sum = is_weighted_sum(wave);
  if (weighted_sum && !wave.has("weights")) {
    mistakes.add(wave.location(), wave.full_name("weights"), "missing", "a weighted sum needs them");
  }
  if (!weighted_sum && wave.has("weights")) {
    add_mistake(wave, "weights", "not used by leapfrog", mistakes, "leave them out, or choose `method: weighted_sum`");
  }
  if (!weighted_sum) {
    FieldSource const speed = wave.field("speed");
    if (speed.depends_on_time()) {
      add_mistake(wave, "speed", "'" + speed.text() + "' depends on t, but the speed must be constant in time",
                  mistakes);
    }
    if (speed.is_constant() && !(speed.constant() > 0)) {
      add_mistake(wave, "speed", "'" + speed.text() + "' is not above 0", mistakes);
    }
    return;
  }
  for (std::string const option : {"speed", "initial_rate"}) {
    if (wave.given(option)) add_mistake(wave, option, "not used by a weighted sum", mistakes, "leave it out");
  }
  if (has_sponge(wave)) add_mistake(wave.section("sponge"), "width", "not used by a weighted sum", mistakes);
  if (!wave.list("sources").empty()) {
    mistakes.add(wave.location("sources"), wave.full_name("sources"), "not used by a weighted sum", "leave them out");
  }
}

Section source_section() {
  Section source("sources", "Cells that emit waves, by a Ricker wavelet on the right-hand side.");
  declare_position(source);
  source.real("frequency", "Peak frequency of the wavelet, per unit of time.").above(0);
  source.real("delay", "Time from the start of the run to the middle of the wavelet; if not given, 1.5 / frequency.")
      .optional();
  source.real("amplitude", "Integral of the source over its cell at the middle of the wavelet.").defaults_to(1.0);
  return source;
}

Section wave_section() {
  Section wave("wave", "The wave equation d2u/dt2 = c^2 div grad u + sources on cells, to eighth order in space.");
  wave.choice("method",
              "Time-stepping method. leapfrog: second order in time; weighted_sum: every step replaces u by a weighted "
              "sum over a star stencil of radius 4, which has 25 points in 3D.",
              std::vector<std::string>{"leapfrog", "weighted_sum"})
      .defaults_to(std::string("leapfrog"));
  wave.reals("weights", "Weights of the weighted sum: that of the centre, then those at distances 1 to 4.", 5, 5)
      .optional();
  wave.field("speed", "Wave speed c, above 0.").defaults_to(std::string("1"));
  wave.field("initial", "Initial values of u.").defaults_to(std::string("0"));
  wave.field("initial_rate", "Initial values of du/dt.").defaults_to(std::string("0"));
  wave.expression("exact", "Exact solution, if known; error norms are then reported as quantities.").optional();
  Section& sponge = wave.section("sponge", "Absorbing layer along all faces that are not periodic.");
  sponge.real("width", "Width of the layer; 0: no layer.").at_least(0).defaults_to(0.0);
  sponge
      .real("reflection",
            "Largest fraction of its amplitude with which a wave returns from the layer, if at least four of its "
            "wavelengths along the normal of the face fit into the width, up to 45 degrees from the normal.")
      .at_least(least_reflection)
      .below(1)
      .defaults_to(1e-3);
  wave.list(source_section());
  wave.list(receiver_section("u"));
  wave.check(validate_method);
  return wave;
}

/// Standing waves, whose mean is zero: rounding of a mean would exceed the drift of the energy.
std::vector<std::string> test_decks() {
  return {R"(
    physics: wave
    mesh: {cells: [32], periodic: [true]}
    wave: {initial: sin(2*pi*x + 0.3), exact: cos(2*pi*t)*sin(2*pi*x + 0.3)}
    time: {step: 0.01, steps: 60})",
          R"(
    physics: wave
    mesh: {cells: [32, 48], upper: [1, 1.25], periodic: [true, true]}
    wave: {initial: sin(2*pi*x)*cos(1.6*pi*y), exact: cos(sqrt(6.56)*pi*t)*sin(2*pi*x)*cos(1.6*pi*y)}
    time: {step: 0.01, steps: 60})",
          R"(
    physics: wave
    mesh: {cells: [8, 12, 10], upper: [1, 1.25, 1.5], periodic: [true, true, true]}
    wave:
      initial: sin(2*pi*x)*cos(1.6*pi*y) + 0.5*sin(4*pi*z/3 + 0.3)
      exact: cos(sqrt(6.56)*pi*t)*sin(2*pi*x)*cos(1.6*pi*y) + 0.5*cos(4*pi*t/3)*sin(4*pi*z/3 + 0.3)
    time: {step: 0.02, steps: 60})"};
}

PhysicsEntry wave_physics() {
  Section options = wave_section();
  std::string const sentence = options.sentence();
  return {.name = "wave",
          .sentence = sentence,
          .options = std::move(options),
          .time_dependence = TimeDependence::evolving,
          .ghosts = [](Options const&) { return ghosts; },
          .steps_by_itself = true,
          .validate = validate,
          .create = create_physics<Wave>,
          .promises = {
              .order = 8, .order_in_time = 2, .mirror_symmetric = true, .axes_alike = true, .decks = test_decks()}};
}

}  // namespace
}  // namespace halocline::wave

HALOCLINE_PLUGIN(halocline::wave::wave_physics);
