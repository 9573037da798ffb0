#pragma once

#include <string>
#include <vector>

#include "framework/io/stored_field.hpp"

/// What compute ranks and I/O ranks tell each other of snapshots, by the communicator of all ranks.
///
/// A compute rank sends its I/O rank, for each snapshot, a packed header as a text, and then the owned
/// values: a message for each field, of that for each block, of that for each component. The header of the last one
/// has no values, and is answered by a report when all is written. An I/O rank that is asked to stop sends rank 0 a
/// notice.
namespace halocline::snapshot_messages {

struct Header {
  bool last = false;          ///< there are no values, and no more snapshots
  Index step = 0;             ///< of the run
  double time = 0;            ///< likewise
  std::vector<Index> blocks;  ///< ids of its blocks
  std::vector<StoredField> fields;
};
[[nodiscard]] std::string packed(Header const& header);
[[nodiscard]] Header unpacked(std::string const& text);

/// What I/O ranks tell when all is written.
struct Report {
  double writing = 0;  ///< seconds that they took to receive and write snapshots
};

}  // namespace halocline::snapshot_messages
