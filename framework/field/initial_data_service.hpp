#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "framework/deck/field_source.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/precision.hpp"

namespace halocline {

/// Which values of an expression of x, y, z and t are wanted: those at the entries of a box of a mesh, in global
/// indices, which may lie beyond the mesh as ghosts do.
struct ExpressionRequest {
  std::string text;
  double time = 0;
  Centring centring = Centring::cell;
  IndexRange box;
  Precision precision = Precision::double_;
};

/// Bytes of its values.
[[nodiscard]] Index bytes_of(ExpressionRequest const& request);
/// Puts them into `to`, x fastest, without gaps: the bits that Field::fill gives a field of a host.
void evaluate(StructuredMesh const& mesh, ExpressionRequest const& request, std::span<std::byte> to);

/// Which entries of a file with the values of a field are wanted: those of a box, in indices of the file's own, where
/// those of periodic axes repeat.
struct FileEntriesRequest {
  FieldFile file;
  Index bytes = 0;     ///< of the file as the rank that asks sees it
  Index modified = 0;  ///< nanoseconds since 1970, there
  Centring centring = Centring::cell;
  IndexRange box;
  Precision precision = Precision::double_;  ///< that has to have room for them
};

/// An entry of a file that is no value of a field: not a finite number, or one that the precision has no room for.
struct BadEntry {
  static constexpr Index none = std::numeric_limits<Index>::max();
  Index place = none;  ///< x fastest
  double value = 0;
};

/// Whoever has the values that fields begin with for this rank: an I/O rank that evaluates expressions and reads files.
class InitialDataService {
 public:
  virtual ~InitialDataService() = default;
  InitialDataService(InitialDataService const&) = delete;
  InitialDataService& operator=(InitialDataService const&) = delete;

  /// Whether its values are others than those of the expressions: then it is asked for all of them, also by those who
  /// would evaluate them on a device.
  [[nodiscard]] virtual bool has_other_values() const { return false; }
  virtual void evaluate(ExpressionRequest const& request, std::span<std::byte> to) = 0;
  /// x fastest. Returns the first of these entries that is none. Throws InputError where the file cannot be read.
  virtual BadEntry read(FileEntriesRequest const& request, std::span<double> to) = 0;

 protected:
  InitialDataService() = default;
};

/// While one of these lives, Field::fill has the values of expressions from `service`, but for constants and what a
/// device evaluates itself, and what reads files of fields has their entries from it. Null: this rank evaluates and
/// reads itself, as without one.
class InitialDataFrom {
 public:
  explicit InitialDataFrom(InitialDataService* service);
  ~InitialDataFrom();
  InitialDataFrom(InitialDataFrom const&) = delete;
  InitialDataFrom& operator=(InitialDataFrom const&) = delete;

  /// Null where this rank has none.
  [[nodiscard]] static InitialDataService* current();

 private:
  InitialDataService* before_;
};

}  // namespace halocline
