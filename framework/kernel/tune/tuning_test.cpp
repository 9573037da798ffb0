#include "framework/kernel/tune/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/kernel/functor_name.hpp"
#include "framework/kernel/tune/shipped_tunings.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::kernel {
namespace {

TunedSweep entry(std::string const& functor, std::string const& points, Index threads) {
  return {.key = {"a card", functor, "3D star", points},
          .form = "streaming",
          .parameters = {{"threads_x", threads}},
          .seconds = 1.5,
          .default_seconds = 2};
}

template <class Real>
struct Named {};

TEST(TuningTable, IsReadBackAsItWasWritten) {
  TuningTable table;
  table.put(entry("b", "512 x 512 x 512", 128));
  table.put(entry("a", "512 x 512 x 512", 256));
  table.put(entry("a", "64 x 64 x 64", 32));
  table.put(entry("b", "512 x 512 x 512", 64));  // replaces the first
  EXPECT_EQ(table.size(), 3);
  TuningTable const read = TuningTable::parse(table.text(), "a text");
  EXPECT_EQ(read.text(), table.text());
  EXPECT_EQ(read.made_with(), version);
  TunedSweep const* const found = read.find({"a card", "b", "3D star", "512 x 512 x 512"});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->parameters.at("threads_x"), 64);
  EXPECT_EQ(found->seconds, 1.5);
  EXPECT_EQ(found->default_seconds, 2);
}

TEST(TuningTable, AnotherFunctorOfTheSameStencilStandsIn) {
  TuningTable table;
  table.put(entry("a", "64 x 64 x 64", 32));
  SweepKey key{"a card", "other", "3D star", "64 x 64 x 64"};
  ASSERT_NE(table.find(key), nullptr);
  EXPECT_FALSE(table.knows(key));
  key.functor = "a";
  EXPECT_TRUE(table.knows(key));
  key.points = "128 x 64 x 64";
  EXPECT_EQ(table.find(key), nullptr);
  key.points = "64 x 64 x 64";
  key.device = "another card";
  EXPECT_EQ(table.find(key), nullptr);
}

TEST(TuningTable, RefusesWhatIsNoTable) {
  auto const parse = [](char const* text) { return [text] { (void)TuningTable::parse(text, "cache.json"); }; };
  using testing::HasSubstr;
  using testing::ThrowsMessage;
  EXPECT_THAT(parse("{"), ThrowsMessage<InputError>(HasSubstr("cache.json: not a table of tunings")));
  // As in text crafted to exhaust memory.
  EXPECT_THAT(parse("[[[[[[[[[[[[[[[[[[[[[[[["),
              ThrowsMessage<InputError>(HasSubstr("cache.json: not a table of tunings: nested too deeply")));
  EXPECT_THAT(parse("[]"), ThrowsMessage<InputError>(HasSubstr("cache.json: not a table of tunings")));
  EXPECT_THAT(parse(R"({"format": 2, "version": "1", "sweeps": []})"),
              ThrowsMessage<InputError>(HasSubstr("cache.json: a table of tunings of another format")));
  EXPECT_THAT(parse(R"({"format": 1, "version": "1", "sweeps": [{"device": "x"}]})"),
              ThrowsMessage<InputError>(HasSubstr("cache.json: not a table of tunings")));
}

TEST(TuningTable, TheOneBroughtAlongIsATable) {
  TuningTable const table = TuningTable::parse(shipped_tunings(), "tunings.json");
  EXPECT_EQ(table.text(), shipped_tunings());
}

TEST(SizeClass, RoundsExtentsToThreeBinaryDigits) {
  EXPECT_EQ(size_class({{0, 0, 0}, {512, 510, 300}}), "512 x 512 x 320");
  EXPECT_EQ(size_class({{0, 0, 0}, {254, 543, 544}}), "256 x 512 x 512");
  EXPECT_EQ(size_class({{0, 0, 0}, {575, 576, 1000}}), "512 x 640 x 1024");
  EXPECT_EQ(size_class({{-1, 0, 0}, {2, 1, 7}}), "3 x 1 x 7");
}

TEST(FunctorName, IsWithoutNamespacesOfTheFramework) {
  EXPECT_EQ(functor_name<Named<float>>(), "kernel::Named<float>");
}

/// Restores the tuner's state.
class TunerTest : public testing::Test {
 protected:
  void TearDown() override {
    tuner::set_mode(mode_);
    tuner::set_cache(cache_);
  }

 private:
  TuneMode mode_ = tuner::mode();
  TuningTable cache_ = tuner::cache();
};

TEST_F(TunerTest, LooksUpByMode) {
  TuningTable cache;
  TunedSweep const known = entry("cached", "2 x 2 x 2", 96);
  cache.put(known);
  tuner::set_cache(cache);
  tuner::set_mode(TuneMode::off);
  EXPECT_FALSE(tuner::look_up(known.key));
  EXPECT_FALSE(tuner::wants_search(known.key));
  tuner::set_mode(TuneMode::read);
  ASSERT_TRUE(tuner::look_up(known.key));
  EXPECT_EQ(tuner::look_up(known.key)->source, "cache");
  SweepKey other = known.key;
  other.functor = "not cached";
  EXPECT_FALSE(tuner::wants_search(other));
  tuner::set_mode(TuneMode::search);
  EXPECT_FALSE(tuner::wants_search(known.key));
  EXPECT_TRUE(tuner::wants_search(other));
  // Until a search has run, the tuning of a similar sweep is used.
  EXPECT_EQ(tuner::look_up(other)->sweep.key.functor, "cached");
  tuner::keep(entry("not cached", "2 x 2 x 2", 32));
  EXPECT_FALSE(tuner::wants_search(other));
  EXPECT_EQ(tuner::look_up(other)->source, "search");
  EXPECT_GT(tuner::found().size(), 0);
}

TEST_F(TunerTest, FindsWhatATableBroughtAlongKnows) {
  TunedSweep const brought = entry("of a plugin", "3 x 3 x 3", 64);
  tuner::set_mode(TuneMode::read);
  EXPECT_FALSE(tuner::look_up(brought.key));
  TuningTable table;
  table.put(brought);
  tuner::bring(table);
  auto const found = tuner::look_up(brought.key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, "table");
  EXPECT_EQ(found->sweep.parameters.at("threads_x"), 64);
  // The first entry stays.
  TuningTable later;
  later.put(entry("of a plugin", "3 x 3 x 3", 32));
  later.put(entry("of another one", "3 x 3 x 3", 128));
  tuner::bring(later);
  EXPECT_EQ(tuner::look_up(brought.key)->sweep.parameters.at("threads_x"), 64);
  SweepKey other = brought.key;
  other.functor = "of another one";
  EXPECT_EQ(tuner::look_up(other)->sweep.parameters.at("threads_x"), 128);
  // Searches are for this machine: shipped tables do not prevent one.
  tuner::set_mode(TuneMode::search);
  EXPECT_TRUE(tuner::wants_search(brought.key));
}

TEST_F(TunerTest, NamesEachPathOnce) {
  std::size_t const before = tuner::paths().size();
  tuner::note({"f", "2 x 2 x 2", "direct", "rule"});
  tuner::note({"f", "2 x 2 x 2", "direct", "rule"});
  EXPECT_EQ(tuner::paths().size(), before + 1);
}

}  // namespace
}  // namespace halocline::kernel
