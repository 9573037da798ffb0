#include "framework/plugin/guarded_physics.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/field/field_base.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/plugin/plugin_call.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

template <class Named>
std::vector<std::string> names_of(std::vector<Named> const& all) {
  std::vector<std::string> names;
  for (Named const& one : all) names.push_back(one.name);
  return names;
}

std::string listed(std::vector<std::string> const& names) {
  std::string text;
  for (std::string const& name : names) text += (text.empty() ? "`" : ", `") + name + "`";
  return text.empty() ? "none" : text;
}

/// The first duplicate name; empty if there is none.
std::string repeated(std::vector<std::string> const& names) {
  std::set<std::string> seen;
  for (std::string const& name : names) {
    if (!seen.insert(name).second) return name;
  }
  return "";
}

/// The physics of a plugin. It forwards every method of Physics: exceptions name the plugin, and results that the
/// framework relies on are checked.
class GuardedPhysics final : public Physics {
 public:
  GuardedPhysics(std::unique_ptr<Physics> physics, PhysicsContext const& context, std::string plugin)
      : physics_(std::move(physics)), plugin_(std::move(plugin)) {
    if (context.points) {
      mesh_ = context.points;
    } else {
      mesh_ = context.mesh;
    }
  }
  ~GuardedPhysics() override {
    call_plugin(in("the destructor"), [&] { physics_.reset(); });
  }
  GuardedPhysics(GuardedPhysics const&) = delete;
  GuardedPhysics& operator=(GuardedPhysics const&) = delete;

  [[nodiscard]] std::vector<FieldBase const*> fields() const override { return checked_fields(PluginStage::running); }

  /// The fields, if they are such as a run can write; otherwise throws as a failure of this stage.
  [[nodiscard]] std::vector<FieldBase const*> checked_fields(PluginStage stage) const {
    PluginCall call = in("`fields`");
    call.stage = stage;
    auto fields = call_plugin(call, [&] { return physics_->fields(); });
    std::vector<std::string> names;
    for (FieldBase const* const field : fields) {
      if (field == nullptr) throw_broken_promise(call, "it returned a null pointer for a field");
      if (&field->mesh() != mesh_.get())
        throw_broken_promise(call, "field `" + field->name() + "` lies on another mesh than the run");
      if (field->centring() != Centring::cell && field->centring() != Centring::node)
        throw_broken_promise(call, "field `" + field->name() +
                                       "` lies on faces, but snapshots hold fields on cells and nodes; leave it out of "
                                       "`fields`: `serialize` stores fields on faces in checkpoints");
      names.push_back(field->name());
    }
    if (as_points(*mesh_) != nullptr && !have_one_position(fields))
      throw_broken_promise(call,
                           "exactly one of its fields must be the `position` of its points, with three components");
    if (std::string const name = repeated(names); !name.empty())
      throw_broken_promise(call, "two fields are called `" + name + "`");
    return fields;
  }

  [[nodiscard]] std::vector<Quantity> quantities() const override {
    PluginCall const call = in("`quantities`");
    auto quantities = call_plugin(call, [&] { return physics_->quantities(); });
    require_same_names(call, "quantities", names_of(quantities), quantities_);
    return quantities;
  }

  [[nodiscard]] std::vector<std::string> conserved() const override {
    PluginCall const call = in("`conserved`");
    auto conserved = call_plugin(call, [&] { return physics_->conserved(); });
    std::vector<std::string> const known = quantities_.known ? quantities_.names : names_of(quantities());
    for (std::string const& name : conserved) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw_broken_promise(call, "`" + name + "` is not one of its quantities, which are " + listed(known));
    }
    return conserved;
  }

  [[nodiscard]] Traces take_traces() override {
    PluginCall const call = in("`take_traces`");
    Traces traces = call_plugin(call, [&] { return physics_->take_traces(); });
    require_same_names(call, "points", traces.names, points_);
    if (traces.values.size() != traces.times.size() * traces.names.size()) {
      throw_broken_promise(call, "it returned " + std::to_string(traces.values.size()) + " values for " +
                                     std::to_string(traces.times.size()) + " times at " +
                                     std::to_string(traces.names.size()) + " points");
    }
    return traces;
  }

  [[nodiscard]] double stable_step() const override {
    return call_plugin(in("`stable_step`"), [&] { return physics_->stable_step(); });
  }

  [[nodiscard]] double suggested_step() const override {
    return call_plugin(in("`suggested_step`"), [&] { return physics_->suggested_step(); });
  }

  [[nodiscard]] std::optional<StepCount> step_count() const override {
    return call_plugin(in("`step_count`"), [&] { return physics_->step_count(); });
  }

  [[nodiscard]] std::vector<SolveReport> advance(Step const& step) override {
    std::string const place =
        "`advance` of step " + std::to_string(step.number) + " (from t = " + shortest_text(step.time) + ")";
    return call_plugin(in(place), [&] { return physics_->advance(step); });
  }

  [[nodiscard]] bool serialize(StateArchive& state) override {
    // A mismatch with the checkpoint of another run is not the plugin's fault.
    PluginCall call = in("`serialize`");
    if (state.restores()) call.stage = PluginStage::creating;
    return call_plugin(call, [&] { return physics_->serialize(state); });
  }

 private:
  /// The names from the plugin's first call; later calls must return the same.
  struct FirstNames {
    bool known = false;
    std::vector<std::string> names;
  };

  [[nodiscard]] PluginCall in(std::string const& place) const { return {.plugin = plugin_, .place = place}; }

  static bool is_no_name(std::string const& name) {
    auto const is_control = [](char c) { return static_cast<unsigned char>(c) < 32; };
    return name.empty() || std::any_of(name.begin(), name.end(), is_control);
  }

  static void require_same_names(PluginCall const& call, std::string const& what, std::vector<std::string> names,
                                 FirstNames& first) {
    if (std::string const name = repeated(names); !name.empty())
      throw_broken_promise(call, "two of its " + what + " are called `" + name + "`");
    if (std::any_of(names.begin(), names.end(), is_no_name))
      throw_broken_promise(call, "one of its " + what + " has a name that is empty or has control characters");
    if (first.known && names != first.names) {
      throw_broken_promise(
          call, "its " + what + " were " + listed(first.names) + " at first, but are " + listed(names) + " now");
    }
    first = {true, std::move(names)};
  }

  std::unique_ptr<Physics> physics_;
  std::shared_ptr<Mesh const> mesh_;
  std::string plugin_;
  mutable FirstNames quantities_;
  FirstNames points_;
};

/// Whether a value in the tree is marked as reported.
bool has_reported(deck::Node const& node) {
  if (node.kind == deck::Node::Kind::reported) return true;
  return std::any_of(node.items.begin(), node.items.end(), has_reported) ||
         std::any_of(node.entries.begin(), node.entries.end(),
                     [](deck::Entry const& entry) { return has_reported(entry.value); });
}

/// `call` creates the PluginCall of a function from its name in messages.
void guard_format(DeckFormat& format, std::function<PluginCall(std::string const&)> const& call) {
  std::string const whose = " of deck format `" + format.name + "`";
  format.recognises = [recognising = call("`recognises`" + whose),
                       recognises = std::move(format.recognises)](std::string const& text) {
    return call_plugin(recognising, [&] { return recognises(text); });
  };
  format.read = [reading = call("`read`" + whose), read = std::move(format.read)](
                    std::string const& name, std::string const& text, Mistakes& mistakes) {
    std::size_t const before = mistakes.size();
    deck::Node tree = call_plugin(reading, [&] { return read(name, text, mistakes); });
    if (mistakes.size() == before && has_reported(tree))
      throw_broken_promise(reading, "it returned a value marked as reported, but reported no mistake");
    return tree;
  };
}

}  // namespace

PhysicsEntry guarded(PhysicsEntry entry, std::string const& file) {
  std::string const plugin = "plugin `" + file + "`, physics `" + entry.name + "`";
  auto const call = [plugin](std::string const& place, PluginStage stage) { return PluginCall{plugin, place, stage}; };
  auto const guard_check = [](PluginCall const& validating, Section::Check check) -> Section::Check {
    return [validating, check = std::move(check)](Options const& options, Mistakes& mistakes) {
      call_plugin(validating, [&] { check(options, mistakes); });
    };
  };
  PluginCall const checking = call("a check of its options", PluginStage::validating);
  entry.options.wrap_checks([&](Section::Check check) { return guard_check(checking, std::move(check)); });
  if (entry.validate)
    entry.validate = guard_check(call("`validate`", PluginStage::validating), std::move(entry.validate));
  if (entry.ghosts) {
    entry.ghosts = [validating = call("`ghosts`", PluginStage::validating),
                    ghosts = std::move(entry.ghosts)](Options const& deck) {
      int const layers = call_plugin(validating, [&] { return ghosts(deck); });
      if (layers < 0) throw_broken_promise(validating, "it returned " + std::to_string(layers) + " layers");
      return layers;
    };
  }
  if (entry.points) {
    entry.points = [validating = call("`points`", PluginStage::validating),
                    points = std::move(entry.points)](Options const& deck) {
      Index const count = call_plugin(validating, [&] { return points(deck); });
      if (count < 1) throw_broken_promise(validating, "it returned " + std::to_string(count) + " points");
      return count;
    };
  }
  if (entry.bytes_of_point) {
    entry.bytes_of_point = [validating = call("`bytes_of_point`", PluginStage::validating),
                            bytes = std::move(entry.bytes_of_point)](Options const& deck) {
      return call_plugin(validating, [&] { return bytes(deck); });
    };
  }
  if (entry.suggests_steps) {
    entry.suggests_steps = [validating = call("`suggests_steps`", PluginStage::validating),
                            suggests = std::move(entry.suggests_steps)](Options const& deck) {
      return call_plugin(validating, [&] { return suggests(deck); });
    };
  }
  for (DeckFormat& format : entry.deck_formats) {
    guard_format(format, [&](std::string const& place) { return call(place, PluginStage::validating); });
  }
  entry.create = [creating = call("`create`", PluginStage::creating),
                  create = std::move(entry.create)](PhysicsContext const& context) -> std::unique_ptr<Physics> {
    auto physics = call_plugin(creating, [&] { return create(context); });
    if (physics == nullptr) throw_broken_promise(creating, "it returned no physics (a null pointer)");
    auto checked = std::make_unique<GuardedPhysics>(std::move(physics), context, creating.plugin);
    static_cast<void>(checked->checked_fields(PluginStage::creating));
    return checked;
  };
  return entry;
}

}  // namespace halocline
