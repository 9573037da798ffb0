#pragma once

/// Tags of what compute ranks and I/O ranks send each other, by the communicator of all ranks. A text takes its tag and
/// the next one (IncomingText).
namespace halocline::io_rank_tags {

constexpr int header = 1;  // a text
constexpr int values = 3;
constexpr int report = 4;
constexpr int notice = 5;
constexpr int initial_data = 6;  // a text
constexpr int initial_values = 8;
constexpr int initial_remark = 9;  // a text

}  // namespace halocline::io_rank_tags
