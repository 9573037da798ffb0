#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/operator/coarsening.hpp"
#include "framework/operator/relaxation.hpp"
#include "framework/operator/test_problem.hpp"
#include "solvers/linear/test_operators.hpp"

// The smallest operator for multigrid, for tests.

namespace halocline::test_chain {

/// Capabilities that an operator may lack, to test how a solver replaces them.
struct Abilities {
  bool colours = true;   ///< red-black relaxation
  bool diagonal = true;  ///< knows its diagonal
  bool coarsens = true;
  bool passes = false;  ///< fused down- and up-sweeps of a cycle
};

/// The calls in order, each with the size: "7 forward", "7 restrict", …
using Calls = std::vector<std::string>;

/// A symmetric tridiagonal matrix on every rank, not coupled to other ranks: `diagonal` and, one shorter, `coupling`.
/// It coarsens by pairs to P^T A P with P constant on each pair.
class Chain final : public Operator, private Relaxation {
 public:
  Chain(std::vector<double> diagonal, std::vector<double> coupling, Abilities abilities = {},
        std::shared_ptr<Communicator> ranks = test::communicator().split(0), Calls* calls = nullptr)
      : diagonal_(std::move(diagonal)),
        coupling_(std::move(coupling)),
        abilities_(abilities),
        ranks_(std::move(ranks)),
        calls_(calls),
        like_(ranks_, static_cast<Index>(diagonal_.size())) {}

  [[nodiscard]] std::unique_ptr<Vector> create_vector() const override { return like_.create(); }
  void apply(Vector const& x, Vector& y) const override {
    auto const in = values(x);
    auto out = in;
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = diagonal_[i] * in[i] + neighbours(in, i);
    set(y, out);
  }
  [[nodiscard]] bool diagonal(Vector& d) const override {
    if (abilities_.diagonal) set(d, diagonal_);
    return abilities_.diagonal;
  }
  [[nodiscard]] Relaxation const* relaxation() const override { return abilities_.colours ? this : nullptr; }
  [[nodiscard]] int colours() const override { return 2; }
  void relax(bool forward, Vector const& b, Vector& x) const override {
    called(forward ? "forward" : "backward");
    auto const right = values(b);
    auto out = values(x);
    for (std::size_t const colour : {forward ? 0U : 1U, forward ? 1U : 0U}) {
      for (std::size_t i = colour; i < out.size(); i += 2) out[i] = (right[i] - neighbours(out, i)) / diagonal_[i];
    }
    set(x, out);
  }
  [[nodiscard]] std::unique_ptr<Coarsening> coarsen() const override {
    if (!abilities_.coarsens || diagonal_.size() == 1) return nullptr;
    return std::make_unique<Pairs>(*this);
  }
  [[nodiscard]] double norm_bound() const override {
    double bound = 0;
    for (double const d : diagonal_) bound = std::max(bound, 2 * std::abs(d));
    return ranks_->max(bound);
  }

  static std::vector<double> values(Vector const& x) { return test_problem::values_of<double>(x); }
  static void set(Vector& x, std::vector<double> const& entries) {
    auto& array = static_cast<ArrayVector<double>&>(x);
    test_operators::set(array, [&](Index row) { return entries[static_cast<std::size_t>(row - array.first_row())]; });
  }

 private:
  class Pairs final : public Coarsening, private CyclePasses {
   public:
    explicit Pairs(Chain const& fine) : fine_(fine) {
      std::size_t const size = (fine.diagonal_.size() + 1) / 2;
      std::vector<double> diagonal(size);
      std::vector<double> coupling(size - 1);
      for (std::size_t i = 0; i < fine.diagonal_.size(); ++i) diagonal[i / 2] += fine.diagonal_[i];
      for (std::size_t i = 0; i < fine.coupling_.size(); ++i) {
        if (i % 2 == 0)
          diagonal[i / 2] += 2 * fine.coupling_[i];
        else
          coupling[i / 2] = fine.coupling_[i];
      }
      coarse_ = std::make_unique<Chain>(diagonal, coupling, fine.abilities_, fine.ranks_, fine.calls_);
    }
    [[nodiscard]] Operator const& coarse() const override { return *coarse_; }
    void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const override {
      auto const r = b.create();
      fine_.apply(x, *r);
      r->combine(1, b, -1);
      restrict_to(*r, coarse_b);
    }
    void restrict_to(Vector const& fine, Vector& coarse) const override {
      fine_.called("restrict");
      auto const in = values(fine);
      std::vector<double> out((in.size() + 1) / 2);
      for (std::size_t i = 0; i < in.size(); ++i) out[i / 2] += in[i];
      set(coarse, out);
    }
    void prolong_add(Vector const& coarse_x, Vector& x) const override {
      fine_.called("prolong");
      auto const in = values(coarse_x);
      auto out = values(x);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += in[i / 2];
      set(x, out);
    }
    [[nodiscard]] CyclePasses const* passes() const override { return fine_.abilities_.passes ? this : nullptr; }

   private:
    void relax_restrict(int relaxations, bool from_zero, Vector const& b, Vector& x, Vector& coarse_b) const override {
      if (from_zero) x.fill(0);
      for (int n = 0; n < relaxations; ++n) fine_.relax(true, b, x);
      residual_restrict(b, x, coarse_b);
    }
    void prolong_relax(int relaxations, Vector const& coarse_x, Vector const& b, Vector& x) const override {
      prolong_add(coarse_x, x);
      for (int n = 0; n < relaxations; ++n) fine_.relax(false, b, x);
    }

    Chain const& fine_;
    std::unique_ptr<Chain> coarse_;
  };

  /// Contribution of the neighbours of entry i to row i.
  [[nodiscard]] double neighbours(std::vector<double> const& x, std::size_t i) const {
    return (i > 0 ? coupling_[i - 1] * x[i - 1] : 0) + (i + 1 < x.size() ? coupling_[i] * x[i + 1] : 0);
  }
  void called(std::string const& what) const {
    if (calls_ != nullptr) calls_->push_back(std::to_string(diagonal_.size()) + " " + what);
  }

  std::vector<double> diagonal_;
  std::vector<double> coupling_;
  Abilities abilities_;
  std::shared_ptr<Communicator> ranks_;
  Calls* calls_;
  ArrayVector<double> like_;
};

/// -u'' between walls where u is zero, on `size` unknowns per rank.
inline Chain poisson(std::size_t size, Abilities abilities = {}, Calls* calls = nullptr) {
  return {std::vector<double>(size, 2), std::vector<double>(size - 1, -1), abilities, test::communicator().split(0),
          calls};
}

}  // namespace halocline::test_chain
