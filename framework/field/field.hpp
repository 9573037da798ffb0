#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "framework/deck/expression.hpp"
#include "framework/field/block_view.hpp"
#include "framework/field/field_base.hpp"
#include "framework/field/field_view.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline {

class EntryPositions;

/// Values of `Real` (float or double) on the entries of one centring of a mesh. Each block has one allocation in the
/// backend's memory, x fastest, with padded rows. Initially zero everywhere, including ghosts. Not copyable; a
/// moved-from field is empty.
template <class Real>
class Field final : public FieldBase {
 public:
  /// Throws InputError for an invalid description, and Error (wrong_input), with the field's name and size in bytes, if
  /// the allocation fails.
  Field(std::shared_ptr<Mesh const> mesh, FieldDescription description);

  /// One component on one block, for sweeps and, as a BlockView, for kernels. Writes through it by kernels other than
  /// sweeps are not recorded: see `mark_written`. The view is invalid after the field's end or a swap.
  [[nodiscard]] FieldView<Real> view(Block const& block, int component = 0);
  [[nodiscard]] FieldView<Real const> view(Block const& block, int component = 0) const;

  /// Sets every entry, including ghosts, to `value`. Enqueued on the blocks' streams.
  void fill(Real value);
  /// Sets every entry of a component, including ghosts, to the expression at its position; bits do not depend on
  /// threads or partition. If the expression has a program, it is evaluated where the field is, by a kernel on a
  /// device. Waits for the values. Throws InputError if an owned entry is NaN or infinite; the message names `called`,
  /// or the field if that is empty.
  void fill(Expression const& expression, double time, int component = 0, std::string const& called = {});
  /// The same for the owned entries only: ghosts do not change.
  void fill_owned(Expression const& expression, double time, int component = 0, std::string const& called = {});
  [[nodiscard]] Precision precision() const override;
  [[nodiscard]] std::size_t bytes_per_entry() const override { return sizeof(Real); }
  [[nodiscard]] BlockLayout const& layout(Block const& block) const override { return storage_[block.local].layout; }
  [[nodiscard]] void* data(Block const& block) override { return storage_[block.local].values.data(); }
  [[nodiscard]] void const* data(Block const& block) const override { return storage_[block.local].values.data(); }
  [[nodiscard]] std::unique_ptr<FieldBase> create_like(std::string name) const override;
  void copy(FieldBase const& from) override;
  void copy_owned(Block const& block, int component, std::span<std::byte> to) const override;
  void set_owned(Block const& block, int component, std::span<std::byte const> from) override;

  /// Swaps the values of two fields without moving them; names and units stay. Throws DefectError unless both have the
  /// same mesh, centring, components and ghosts.
  void swap_values(Field& other);

 private:
  struct Storage {
    Storage(Kokkos::View<Real*, Memory> its_values, BlockLayout const& its_layout)
        : values(std::move(its_values)), layout(its_layout) {}
    Storage(Storage&&) noexcept = default;
    Storage& operator=(Storage&&) noexcept = default;
    /// Kokkos makes the memory's device current when it frees it.
    ~Storage() {
      CurrentDevice const current;
      values = {};
      positions.reset();
    }
    Kokkos::View<Real*, Memory> values;
    BlockLayout layout;
    std::shared_ptr<EntryPositions const>
        positions;  ///< of the entries including ghosts; null before the first evaluation of an expression
  };
  /// Casts `other` to this type and checks that both have the same layout.
  Field const& same_space(FieldBase const& other) const;
  EntryPositions const& positions(Block const& block);
  /// Checks owned entries only, for any range.
  void evaluate(Block const& block, Expression const& expression, double time, int component, IndexRange const& range,
                std::string const& called);

  std::vector<Storage> storage_;  ///< by Block::local
};

extern template class Field<float>;
extern template class Field<double>;

}  // namespace halocline
