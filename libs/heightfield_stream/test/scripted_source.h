#pragma once

#include <gtest/gtest.h>
#include <karst/base/externals.h>
#include <karst/heightfield_stream/detail_resolver.h>
#include <karst/heightfield_stream/streamer.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace karst::heightfield {

inline std::ostream& operator<<(std::ostream& out, const TileKey& key) {
    return out << key.level << "/" << key.x << "-" << key.z;
}

namespace scripted {

/// A time that only moves when told.
class FakeClock final : public Clock {
  public:
    std::uint64_t nowNanoseconds() const override { return now; }
    void advance(double seconds) { now += static_cast<std::uint64_t>(seconds * 1e9); }
    std::atomic<std::uint64_t> now{1};
};

/// `levels` levels of 4 x 4 cells over one root, all ground.
inline TileLayout smallLayout(std::uint32_t levels, std::uint32_t rootsX = 1, std::uint32_t rootsZ = 1) {
    TileLayout layout;
    layout.tileCells = 4;
    layout.storedLevels = levels;
    layout.rootsX = rootsX;
    layout.rootsZ = rootsZ;
    layout.samplesX = static_cast<std::uint32_t>(layout.cellsX()) + 1;
    layout.samplesZ = static_cast<std::uint32_t>(layout.cellsZ()) + 1;
    layout.quantisation = {0, 1000};
    return layout;
}

inline HeightTile plainTile(const TileLayout& layout, const TileKey& key) {
    HeightTile tile;
    tile.key = key;
    tile.side = layout.tileSide();
    const auto height = static_cast<float>(key.x % 17 + key.z % 13);
    tile.samples.assign(std::size_t{tile.side} * tile.side, height);
    tile.bounds = {height, height};
    tile.firstErrorLevel = key.level;
    tile.errors.assign(layout.tileLevels() + 1, 0.0);
    return tile;
}

/// What the source does with a tile.
enum class Answer { Tile, Error, Never, WrongKey, Null, NotFinite };

/// The test's end of a ScriptedSource.
struct Script {
    TileLayout layout;
    int latency = 0;  ///< ticks from request to answer
    bool ignoreCancel = false;
    std::function<Answer(const TileKey&)> answer = [](const TileKey&) { return Answer::Tile; };

    struct Load {
        TileKey key;
        int ticks = 0;
    };
    std::vector<Load> underWay;
    std::vector<TileSource::Finished> extra;  ///< delivered as they are
    std::vector<TileKey> requests;            ///< all there ever were, in order
    std::vector<TileKey> cancels;
    std::vector<TileKey> failures;  ///< answers that were no good tile
    std::size_t polls = 0;
    bool destroyed = false;

    void tick() {
        for (Load& load : underWay)
            --load.ticks;
    }
    std::size_t count(const TileKey& key) const {
        return static_cast<std::size_t>(std::count(requests.begin(), requests.end(), key));
    }
    bool isUnderWay(const TileKey& key) const {
        return std::any_of(underWay.begin(), underWay.end(),
                           [&](const Load& load) { return load.key == key; });
    }
};

class ScriptedSource final : public TileSource {
  public:
    explicit ScriptedSource(std::shared_ptr<Script> script) : m_script(std::move(script)) {}
    ~ScriptedSource() override { m_script->destroyed = true; }

    void request(const TileKey& key) override {
        EXPECT_FALSE(m_script->isUnderWay(key)) << key << " was asked for twice";
        m_script->requests.push_back(key);
        m_script->underWay.push_back({key, m_script->latency});
    }
    std::optional<Finished> poll() override {
        ++m_script->polls;
        if (!m_script->extra.empty()) {
            Finished finished = m_script->extra.back();
            m_script->extra.pop_back();
            return finished;
        }
        auto& loads = m_script->underWay;
        for (auto load = loads.begin(); load != loads.end(); ++load) {
            const TileKey key = load->key;
            const Answer answer = m_script->answer(key);
            if (load->ticks > 0 || answer == Answer::Never) continue;
            loads.erase(load);
            if (answer != Answer::Tile) m_script->failures.push_back(key);
            return Finished{key, make(key, answer)};
        }
        return std::nullopt;
    }
    void cancel(const TileKey& key) override {
        m_script->cancels.push_back(key);
        if (m_script->ignoreCancel) return;
        std::erase_if(m_script->underWay, [&](const Script::Load& load) { return load.key == key; });
    }

  private:
    Result<TilePtr> make(const TileKey& key, Answer answer) const {
        HeightTile tile = plainTile(m_script->layout, key);
        if (answer == Answer::Error) return makeError(ErrorCode::Io, "tile: scripted to fail");
        if (answer == Answer::Null) return TilePtr{};
        if (answer == Answer::WrongKey) tile.key.x ^= 1;
        if (answer == Answer::NotFinite) tile.samples[3] = std::numeric_limits<float>::infinity();
        return std::make_shared<const HeightTile>(std::move(tile));
    }

    std::shared_ptr<Script> m_script;
};

/// A plain quadtree walk: tiles nearer than `reach` times their side are refined where all children are
/// resident, else the missing ones are wanted. Remembers what it drew and used.
class WalkPlanner final : public ViewPlanner {
  public:
    struct Record {
        std::vector<TileKey> drawn, used;
        std::vector<WantedTile> wanted;
        std::uint64_t revision = 0;
    };
    explicit WalkPlanner(std::shared_ptr<Record> record, double reach = 0.3)
        : m_record(record), m_reach(reach) {}

    TileSelection plan(const Surface& surface, const TileView& view, std::uint32_t detailLevels) override {
        *m_record = Record{};
        m_record->revision = surface.revision();
        const TileLayout& layout = surface.layout();
        const std::int32_t finest = -static_cast<std::int32_t>(detailLevels);
        const std::int32_t root = layout.rootLevel();
        std::vector<TileKey> stack;
        for (std::uint32_t z = 0; z < layout.rootsZ; ++z) {
            for (std::uint32_t x = 0; x < layout.rootsX; ++x)
                stack.push_back({root, x, z});
        }
        while (!stack.empty()) {
            const TileKey key = stack.back();
            stack.pop_back();
            m_record->used.push_back(key);
            const Rect rect = layout.footprint(key);
            const double dx = std::max({rect.minX - view.eye.x, 0.0, view.eye.x - rect.maxX});
            const double dz = std::max({rect.minZ - view.eye.z, 0.0, view.eye.z - rect.maxZ});
            bool refine = key.level > finest && std::max(dx, dz) < m_reach * rect.width();
            if (refine) {
                for (std::uint32_t i = 0; i < 4; ++i) {
                    const TileKey child = key.child(i);
                    if (!layout.contains(child) || surface.find(child) != nullptr) continue;
                    refine = false;
                    m_record->wanted.push_back({child, false});
                }
            }
            if (!refine) {
                m_record->drawn.push_back(key);
                continue;
            }
            for (std::uint32_t i = 4; i-- > 0;) {
                if (layout.contains(key.child(i))) stack.push_back(key.child(i));
            }
        }
        std::stable_sort(m_record->wanted.begin(), m_record->wanted.end(),
                         [](const auto& a, const auto& b) { return a.key.level > b.key.level; });
        return {{}, m_record->wanted, m_record->used};
    }

  private:
    std::shared_ptr<Record> m_record;
    double m_reach;
};

/// Uses and wants what the test says; of what is wanted, the streamer must sort out what cannot be.
class ListPlanner final : public ViewPlanner {
  public:
    struct Lists {
        std::vector<TileKey> used;
        std::vector<WantedTile> wanted;
    };
    explicit ListPlanner(std::shared_ptr<Lists> lists) : m_lists(std::move(lists)) {}
    TileSelection plan(const Surface&, const TileView&, std::uint32_t) override {
        return {{}, m_lists->wanted, m_lists->used};
    }

  private:
    std::shared_ptr<Lists> m_lists;
};

/// A streamer over a script, with a planner that the test holds the other end of.
struct Rig {
    FakeClock clock;
    Externals externals;
    std::shared_ptr<Script> script = std::make_shared<Script>();
    std::shared_ptr<ListPlanner::Lists> lists = std::make_shared<ListPlanner::Lists>();
    std::shared_ptr<WalkPlanner::Record> walk = std::make_shared<WalkPlanner::Record>();
    TileStreamerOptions options;
    std::optional<TileStreamer> streamer;

    explicit Rig(const TileLayout& layout) {
        externals.clock = &clock;
        script->layout = layout;
    }
    void start() {
        if (options.planner == nullptr) options.planner = std::make_unique<ListPlanner>(lists);
        auto made = TileStreamer::create(script->layout, std::make_unique<ScriptedSource>(script),
                                         std::move(options), externals);
        ASSERT_TRUE(made.ok()) << made.error().message;
        streamer.emplace(std::move(*made));
    }
    void startWalking(double reach = 0.3) {
        options.planner = std::make_unique<WalkPlanner>(walk, reach);
        start();
    }
    StreamingReport update(std::vector<Interest> interests = {}) {
        script->tick();
        auto report = streamer->update(interests);
        EXPECT_TRUE(report.ok());
        return report.ok() ? *report : StreamingReport{};
    }
    /// One view, planned from the lists.
    StreamingReport view() { return update({TileView{}}); }
    std::set<TileKey> resident() const {
        std::set<TileKey> keys;
        for (const TilePtr& tile : streamer->surface().tiles())
            keys.insert(tile->key);
        return keys;
    }
    bool isResident(const TileKey& key) const { return streamer->surface().find(key) != nullptr; }
};

inline TileView viewAt(double x, double z) {
    TileView view;
    view.eye = {x, 10, z};
    return view;
}

}  // namespace scripted
}  // namespace karst::heightfield
