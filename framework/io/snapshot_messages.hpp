#pragma once

#include <string>
#include <vector>

#include "framework/io/stored_field.hpp"

/// Messages about snapshots between compute ranks and I/O ranks, in the communicator of all ranks.
///
/// For each snapshot, a compute rank sends its I/O rank a packed header as a text, then the owned values in one message
/// per field, block and component (in this nesting). The last header has no values; the I/O rank answers it with a
/// report when all data is written. An I/O rank that is asked to stop notifies rank 0.
namespace halocline::snapshot_messages {

struct Header {
  bool last = false;          ///< no values and no further snapshots follow
  Index step = 0;             ///< of the run
  double time = 0;            ///< of the run
  std::vector<Index> blocks;  ///< ids of its blocks
  std::vector<StoredField> fields;
};
[[nodiscard]] std::string packed(Header const& header);
[[nodiscard]] Header unpacked(std::string const& text);

/// Report of an I/O rank after all data is written.
struct Report {
  double writing = 0;  ///< seconds spent to receive and write snapshots
};

}  // namespace halocline::snapshot_messages
