#include "residency_scan.h"

#include <algorithm>
#include <cmath>

namespace karst::voxel_stream {

using voxel::ChunkCoord;

namespace {

ChunkCoord chunkAt(const voxel::GridPlacement& placement, WorldPosition at) {
    const auto index = [&](double v, double origin) {
        constexpr double limit = voxel::kCellLimit / voxel::kChunkSize;
        return static_cast<std::int32_t>(
            std::clamp(std::floor((v - origin) / chunkEdge(placement)), -limit, limit));
    };
    return {index(at.x, placement.origin.x), index(at.y, placement.origin.y),
            index(at.z, placement.origin.z)};
}

}  // namespace

bool ResidencyScan::takeChanges(const voxel::Grid& grid, WorldPosition camera) {
    const bool changed = grid.generation() != m_generation || grid.revision() != m_revision;
    if (!changed && !m_index.pending()) return false;
    const voxel::GridChanges changes = grid.changesSince(m_generation, m_revision);
    // Lives for this call only: as long as it does, a write to the grid would copy.
    const voxel::GridSnapshot snapshot = grid.snapshot();
    if (!changed) {
        m_index.advance(snapshot, m_options.newChunksPerScan);
        return true;
    }
    if (changes.fullRefresh) {
        // Meshes of another place or of other materials are no stand-in for those to come.
        if (!(grid.placement() == m_placement) || !(grid.materials() == m_materials)) {
            for (auto& [coord, region] : m_index.regions()) {
                for (Candidate& candidate : region.candidates) {
                    if (candidate.level >= 0) m_work.drops.push_back(candidate.chunk);
                    candidate.level = -1;
                }
            }
        }
        if (m_index.size() == 0) {
            m_index.begin(snapshot, chunkAt(grid.placement(), camera));
        } else {
            m_index.rebuild(snapshot, m_work.drops);
        }
        m_placement = grid.placement();
        m_materials = grid.materials();
    } else {
        m_index.apply(snapshot, changes, m_work.drops);
    }
    m_index.advance(snapshot, m_options.newChunksPerScan);
    m_generation = changes.generation;
    m_revision = changes.revision;
    return true;
}

const ResidencyScan::Work& ResidencyScan::update(const voxel::Grid& grid, WorldPosition camera,
                                                 double drawDistance) {
    m_work.scanned = false;
    m_work.transitions = 0;
    m_work.drops.clear();
    m_work.requests.clear();

    bool look = takeChanges(grid, camera);
    if (drawDistance != m_drawDistance) {
        m_drawDistance = drawDistance;
        m_index.touchAll();
        look = true;
    }
    look = look || !m_settled || length(camera - m_settledAt) >= m_options.scanMovement;
    if (!look) return m_work;

    m_work.scanned = true;
    m_transitions.clear();
    const double edge = chunkEdge(m_placement);
    const Ranges ranges{m_placement, camera, drawDistance + m_options.preloadEdges * edge,
                        drawDistance + m_options.keepEdges * edge};
    for (auto& [coord, region] : m_index.regions()) {
        // Distances change by no more than the camera moves.
        if (length(camera - region.scannedAt) < region.margin) continue;
        scanRegion(region, ranges);
    }
    takeTransitions();
    if (m_settled) m_settledAt = camera;
    return m_work;
}

void ResidencyScan::scanRegion(CandidateRegion& region, const Ranges& ranges) {
    double margin = HUGE_VAL;
    for (Candidate& candidate : region.candidates)
        margin = std::min(margin, scanCandidate(candidate, ranges));
    // What rounding may add to a distance is far less.
    region.margin = margin - 1e-6 * chunkEdge(ranges.placement);
    region.scannedAt = ranges.camera;
}

double ResidencyScan::scanCandidate(Candidate& candidate, const Ranges& ranges) {
    const double distance = chunkDistance(ranges.placement, candidate.chunk, ranges.camera);
    const bool solidEdited = candidate.solidEdited, waterEdited = candidate.waterEdited;
    candidate.solidEdited = candidate.waterEdited = false;
    const bool wanted = distance <= ranges.preload;

    if (candidate.level < 0) {
        if (!wanted) return distance - ranges.preload;
        candidate.level = static_cast<std::int8_t>(nominalLevel(m_options.levels, distance));
        m_work.requests.push_back({candidate.chunk, candidate.level, candidate.surface, candidate.water});
    } else {
        const bool edited = solidEdited || waterEdited;
        if (distance > ranges.keep || (edited && !wanted)) {
            candidate.level = -1;
            m_work.drops.push_back(candidate.chunk);
            return distance - ranges.preload;
        }
        if (edited) m_work.requests.push_back({candidate.chunk, candidate.level, solidEdited, waterEdited});
    }

    double slack = std::min(ranges.keep - distance, std::abs(distance - ranges.preload));
    // Water is the same at every level.
    if (!candidate.surface) return slack;
    const int level = nextLevel(m_options.levels, distance, candidate.level);
    if (level != candidate.level) {
        if (wanted) {
            m_transitions.push_back({distance, candidate.chunk, &candidate, level});
            return -1;
        }
        return slack;
    }
    return std::min(slack, levelSlack(m_options.levels, distance, level));
}

void ResidencyScan::takeTransitions() {
    const std::size_t limit = m_options.transitionsPerScan;
    m_settled = m_transitions.size() <= limit;
    const auto nearer = [](const Transition& a, const Transition& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.chunk < b.chunk;
    };
    if (!m_settled) {
        std::nth_element(m_transitions.begin(), m_transitions.begin() + static_cast<std::ptrdiff_t>(limit),
                         m_transitions.end(), nearer);
        m_transitions.resize(limit);
    }
    std::sort(m_transitions.begin(), m_transitions.end(), nearer);
    for (const Transition& transition : m_transitions) {
        transition.candidate->level = static_cast<std::int8_t>(transition.level);
        m_work.requests.push_back({transition.chunk, transition.level, true, false});
    }
    m_work.transitions = static_cast<std::uint32_t>(m_transitions.size());
}

}  // namespace karst::voxel_stream
