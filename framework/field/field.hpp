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

/// Values of `Real` (float or double) on the entries of one centring of a mesh: per block one allocation in the
/// backend's memory, x fastest, rows padded. Zero everywhere, ghosts included, when made. Not copyable; moves leave an
/// empty field behind.
template <class Real>
class Field final : public FieldBase {
 public:
  /// Throws InputError for a description that makes no sense and Error (wrong_input), naming the field and its bytes,
  /// when the memory cannot be had.
  Field(std::shared_ptr<Mesh const> mesh, FieldDescription description);

  /// One component on one block, for sweeps and, as a BlockView, for kernels. What kernels other than sweeps write
  /// through it is not seen: see `mark_written`. The view outlives neither the field nor a swap.
  [[nodiscard]] FieldView<Real> view(Block const& block, int component = 0);
  [[nodiscard]] FieldView<Real const> view(Block const& block, int component = 0) const;

  /// Every entry, ghosts included, becomes `value`. Enqueued on the blocks' streams.
  void fill(Real value);
  /// Every entry of a component, ghosts included, becomes the expression at its position, whatever the threads and the
  /// partition with the same bits. Evaluated where the field is, by a kernel on a device, if the expression has a
  /// program; waits for it. Throws InputError where an owned entry is not a finite number, which names `called`, or the
  /// field if that is empty.
  void fill(Expression const& expression, double time, int component = 0, std::string const& called = {});
  /// The same for the owned entries: ghosts stay as they are.
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

  /// Exchanges the values of two fields without moving them: names and units stay. Throws DefectError unless both have
  /// the same mesh, centring, components and ghosts.
  void swap_values(Field& other);

 private:
  struct Storage {
    Storage(Kokkos::View<Real*, Memory> its_values, BlockLayout const& its_layout)
        : values(std::move(its_values)), layout(its_layout) {}
    Storage(Storage&&) noexcept = default;
    Storage& operator=(Storage&&) noexcept = default;
    /// Kokkos makes the device current whose memory it frees.
    ~Storage() {
      CurrentDevice const current;
      values = {};
      positions.reset();
    }
    Kokkos::View<Real*, Memory> values;
    BlockLayout layout;
    std::shared_ptr<EntryPositions const>
        positions;  ///< of the entries with ghosts; null before an expression is evaluated
  };
  /// `other` as what it is found to be.
  Field const& same_space(FieldBase const& other) const;
  EntryPositions const& positions(Block const& block);
  /// Owned entries are looked at, whatever the range.
  void evaluate(Block const& block, Expression const& expression, double time, int component, IndexRange const& range,
                std::string const& called);

  std::vector<Storage> storage_;  ///< by Block::local
};

extern template class Field<float>;
extern template class Field<double>;

}  // namespace halocline
