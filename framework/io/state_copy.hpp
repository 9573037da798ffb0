#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/io/run_record.hpp"
#include "framework/io/stored_field.hpp"
#include "framework/mesh/index_range.hpp"
#include "framework/operator/state_archive.hpp"

namespace halocline {

/// Copy of this rank's state in host memory, from which a checkpoint is written while the run continues. The next copy
/// reuses the memory.
class StateCopy final : public StateArchive {
 public:
  /// The owned entries of a field on one block.
  struct BlockValues {
    IndexRange place;  ///< global
    std::size_t bytes = 0;
    std::shared_ptr<std::byte> memory;  ///< staging memory: devices copy to it at full speed

    /// Component slowest, then z, y, x fastest.
    [[nodiscard]] std::span<std::byte> values() const { return {memory.get(), bytes}; }
  };
  struct Item {
    std::string name;
    StoredField stored;
    Extents extents{};  ///< of the whole field
    std::vector<BlockValues> blocks;
  };

  StateCopy() = default;
  /// Starts a new copy: discards the earlier items.
  void clear();

  /// Waits for the work of the field's blocks. Throws DefectError if the name is already in the copy.
  void field(std::string const& name, FieldBase& values) override;
  void number(std::string const& name, double& value) override { numbers_.push_back({name, value}); }
  void count(std::string const& name, std::int64_t& value) override { counts_.emplace_back(name, value); }
  [[nodiscard]] bool restores() const override { return false; }
  [[nodiscard]] bool has(std::string const&) const override { return true; }

  [[nodiscard]] std::vector<Item> const& fields() const { return fields_; }
  [[nodiscard]] std::vector<NamedValue> const& numbers() const { return numbers_; }
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> const& counts() const { return counts_; }
  /// Bytes of all values.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::vector<Item> fields_;
  std::vector<Item> spare_;  ///< of the previous copy, whose memory is reused
  std::vector<NamedValue> numbers_;
  std::vector<std::pair<std::string, std::int64_t>> counts_;
};

/// Restores items from a copy, on the same blocks. Throws InputError if the copy has no such item.
class CopiedState final : public StateArchive {
 public:
  /// `copy` must outlive this object.
  explicit CopiedState(StateCopy const& copy) : copy_(copy) {}

  void field(std::string const& name, FieldBase& values) override;
  void number(std::string const& name, double& value) override;
  void count(std::string const& name, std::int64_t& value) override;
  [[nodiscard]] bool restores() const override { return true; }
  [[nodiscard]] bool has(std::string const& name) const override;

 private:
  StateCopy const& copy_;
};

/// Whether an item has this name, or is in the group of this name.
[[nodiscard]] bool is_of(std::string const& item, std::string const& name);

}  // namespace halocline
