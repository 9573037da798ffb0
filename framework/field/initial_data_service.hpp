#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "framework/deck/field_source.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/precision.hpp"

namespace halocline {

/// Requests the values of an expression of x, y, z and t at the entries of a box, in global indices of a mesh. The box
/// may extend beyond the mesh by ghosts.
struct ExpressionRequest {
  std::string text;
  double time = 0;
  Centring centring = Centring::cell;
  IndexRange box;
  Precision precision = Precision::double_;
};

/// Bytes of the requested values.
[[nodiscard]] Index bytes_of(ExpressionRequest const& request);
/// Stores them in `to`, x fastest, without gaps; bitwise equal to Field::fill on a host.
void evaluate(StructuredMesh const& mesh, ExpressionRequest const& request, std::span<std::byte> to);

/// Requests the entries in a box of a file with the values of a field. The box is in indices of the file, which repeat
/// on periodic axes.
struct FileEntriesRequest {
  FieldFile file;
  Index bytes = 0;     ///< size of the file on the requesting rank
  Index modified = 0;  ///< nanoseconds since 1970, on the requesting rank
  Centring centring = Centring::cell;
  IndexRange box;
  Precision precision = Precision::double_;  ///< in which they must be representable
};

/// An entry of a file that is not a valid value of a field: NaN, infinite, or not representable in the precision.
struct BadEntry {
  static constexpr Index none = std::numeric_limits<Index>::max();
  Index place = none;  ///< x fastest
  double value = 0;
};

/// Provides the initial values of fields for this rank: an I/O rank that evaluates expressions and reads files.
class InitialDataService {
 public:
  virtual ~InitialDataService() = default;
  InitialDataService(InitialDataService const&) = delete;
  InitialDataService& operator=(InitialDataService const&) = delete;

  /// Whether its values may differ from the expressions'. It is then used for all values, even where a device would
  /// evaluate them.
  [[nodiscard]] virtual bool has_other_values() const { return false; }
  virtual void evaluate(ExpressionRequest const& request, std::span<std::byte> to) = 0;
  /// x fastest. Returns the first invalid entry. Throws InputError if the file cannot be read.
  virtual BadEntry read(FileEntriesRequest const& request, std::span<double> to) = 0;

 protected:
  InitialDataService() = default;
};

/// While one of these lives, Field::fill requests values of expressions from `service`, except constants and
/// expressions that a device evaluates, and readers of field files request their entries from it. Null: this rank
/// evaluates and reads itself.
class InitialDataFrom {
 public:
  explicit InitialDataFrom(InitialDataService* service);
  ~InitialDataFrom();
  InitialDataFrom(InitialDataFrom const&) = delete;
  InitialDataFrom& operator=(InitialDataFrom const&) = delete;

  /// Null if there is none.
  [[nodiscard]] static InitialDataService* current();

 private:
  InitialDataService* before_;
};

}  // namespace halocline
