#pragma once

/// Tags of messages between compute ranks and I/O ranks, in the communicator of all ranks.
namespace halocline::io_rank_tags {

constexpr int header = 1;  // a text
constexpr int values = 2;
constexpr int report = 3;
constexpr int notice = 4;
constexpr int initial_data = 5;  // a text
constexpr int initial_values = 6;
constexpr int initial_remark = 7;  // a text

}  // namespace halocline::io_rank_tags
