#include <karst/voxel/magica_voxel.h>

#include <algorithm>
#include <map>

#include "magica_voxel_chunks.h"

namespace karst::voxel {
namespace {

constexpr std::int32_t kMaxSide = 256;

// MagicaVoxel's palette for files that bring none: the colour cube of six steps from white on (blue fastest,
// black left out), then ten steps each of red, green, blue and grey.
std::array<std::array<std::uint8_t, 4>, 256> defaultPalette() {
    constexpr std::uint8_t kCube[] = {0xff, 0xcc, 0x99, 0x66, 0x33, 0x00};
    constexpr std::uint8_t kRamp[] = {0xee, 0xdd, 0xbb, 0xaa, 0x88, 0x77, 0x55, 0x44, 0x22, 0x11};
    std::array<std::array<std::uint8_t, 4>, 256> palette{};
    std::size_t at = 1;
    for (std::size_t i = 0; i < 215; ++i)
        palette[at++] = {kCube[i / 36], kCube[i / 6 % 6], kCube[i % 6], 0xff};
    for (int channel = 0; channel < 4; ++channel) {
        for (const std::uint8_t value : kRamp) {
            std::array<std::uint8_t, 4>& entry = palette[at++];
            entry = {0, 0, 0, 0xff};
            for (int c = 0; c < 3; ++c)
                if (channel == 3 || channel == c) entry[c] = value;
        }
    }
    return palette;
}

// Reads the chunks in MAIN one after the other, then walks the graph that they describe.
class SceneReader {
  public:
    explicit SceneReader(const MagicaVoxelLimits& limits) : m_limits(limits) {
        m_scene.palette = defaultPalette();
    }

    Result<void> readChunks(ByteReader& file, std::size_t end);
    Result<MagicaVoxelScene> finish();

  private:
    Result<void> readChunk(VoxChunk& chunk);
    Result<void> readSize(VoxChunk& chunk);
    Result<void> readCells(VoxChunk& chunk);
    Result<void> readPalette(VoxChunk& chunk);
    Result<void> readLayer(VoxChunk& chunk);
    Result<void> readNode(VoxChunk& chunk);
    Result<void> walk(std::int32_t id, const MagicaVoxelInstance& parent, std::uint32_t depth);
    Result<void> addInstance(const VoxNode& node, MagicaVoxelInstance instance);
    Result<void> move(const VoxNode& node, const MagicaVoxelInstance& parent, MagicaVoxelInstance& out) const;
    bool hidden(const VoxNode& node) const;
    static Error nodeError(const VoxNode& node, ErrorCode code, const char* what, long long value);

    const MagicaVoxelLimits& m_limits;
    MagicaVoxelScene m_scene;
    bool m_sizeWaits = false;  // a SIZE whose XYZI has not come yet
    std::map<std::int32_t, VoxNode> m_nodes;
    std::map<std::int32_t, bool> m_hiddenLayers;
    std::uint64_t m_cells = 0;
    std::uint64_t m_visits = 0;
};

Result<void> SceneReader::readChunks(ByteReader& file, std::size_t end) {
    while (file.position() < end) {
        VoxChunk chunk{"chunk", file.position(), file};
        if (end - file.position() < 12) {
            return voxError(chunk, ErrorCode::CorruptData, "%zu bytes are left, a chunk's header has 12",
                            end - file.position());
        }
        const auto letters = file.bytes(4);
        const std::uint32_t content = file.u32(), children = file.u32();
        const std::size_t left = end - file.position();
        chunk.name = {reinterpret_cast<const char*>(letters.data()), 4};
        const bool readable =
            std::all_of(chunk.name.begin(), chunk.name.end(), [](char c) { return c >= ' ' && c <= '~'; });
        if (!readable) chunk.name = "chunk";
        if (!readable || content > left || children > left - content) {
            return voxError(chunk, ErrorCode::CorruptData,
                            "a name and sizes of %u and %u bytes that cannot be, %zu bytes are left", content,
                            children, left);
        }
        chunk.reader = ByteReader(file.bytes(content));
        file.skip(children);
        if (const Result<void> read = readChunk(chunk); !read) return read;
    }
    return {};
}

Result<void> SceneReader::readChunk(VoxChunk& chunk) {
    if (chunk.name == "SIZE") return readSize(chunk);
    if (chunk.name == "XYZI") return readCells(chunk);
    if (chunk.name == "RGBA") return readPalette(chunk);
    if (chunk.name == "LAYR") return readLayer(chunk);
    if (chunk.name == "nTRN" || chunk.name == "nGRP" || chunk.name == "nSHP") return readNode(chunk);
    return {};
}

Result<void> SceneReader::readSize(VoxChunk& chunk) {
    MagicaVoxelModel model;
    bool good = !m_sizeWaits;
    for (std::int32_t& side : model.size) {
        side = chunk.reader.i32();
        good = good && side >= 1 && side <= kMaxSide;
    }
    if (m_sizeWaits) {
        return voxError(chunk, ErrorCode::CorruptData, "the size before it has no XYZI");
    }
    if (!good || chunk.reader.failed()) {
        return voxError(chunk, ErrorCode::CorruptData, "a size of %d x %d x %d, expected 1 to %d each",
                        model.size[0], model.size[1], model.size[2], kMaxSide);
    }
    m_scene.models.push_back(std::move(model));
    m_sizeWaits = true;
    return {};
}

Result<void> SceneReader::readCells(VoxChunk& chunk) {
    if (!m_sizeWaits) return voxError(chunk, ErrorCode::CorruptData, "cells without a SIZE before them");
    m_sizeWaits = false;
    MagicaVoxelModel& model = m_scene.models.back();
    const std::uint32_t count = chunk.reader.u32();
    if (chunk.reader.failed() || count > chunk.reader.remaining() / 4) {
        return voxError(chunk, ErrorCode::CorruptData, "%u cells, and only %zu bytes are left", count,
                        chunk.reader.remaining());
    }
    model.cells.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        MagicaVoxelCell cell;
        cell.x = chunk.reader.u8();
        cell.y = chunk.reader.u8();
        cell.z = chunk.reader.u8();
        cell.color = chunk.reader.u8();
        if (cell.x >= model.size[0] || cell.y >= model.size[1] || cell.z >= model.size[2]) {
            return voxError(chunk, ErrorCode::CorruptData, "cell %u at %d, %d, %d is outside of %d x %d x %d",
                            i, cell.x, cell.y, cell.z, model.size[0], model.size[1], model.size[2]);
        }
        if (cell.color != 0) model.cells.push_back(cell);
    }
    return {};
}

Result<void> SceneReader::readPalette(VoxChunk& chunk) {
    if (chunk.reader.remaining() < 1024) {
        return voxError(chunk, ErrorCode::CorruptData, "%zu bytes, expected 1024", chunk.reader.remaining());
    }
    // The file keeps the colour of index i at place i - 1.
    for (std::size_t i = 1; i < 256; ++i) {
        for (std::uint8_t& channel : m_scene.palette[i])
            channel = chunk.reader.u8();
    }
    return {};
}

Result<void> SceneReader::readLayer(VoxChunk& chunk) {
    const std::int32_t id = chunk.reader.i32();
    const Result<VoxDictionary> attributes = readVoxDictionary(chunk);
    if (!attributes) return attributes.error();
    m_hiddenLayers[id] = findVoxKey(*attributes, "_hidden") == "1";
    return {};
}

Result<void> SceneReader::readNode(VoxChunk& chunk) {
    auto node = readVoxNode(chunk);
    if (!node) return node.error();
    const std::int32_t id = node->first;
    if (!m_nodes.insert(std::move(*node)).second) {
        return voxError(chunk, ErrorCode::CorruptData, "node %d is there twice", id);
    }
    return {};
}

Error SceneReader::nodeError(const VoxNode& node, ErrorCode code, const char* what, long long value) {
    constexpr const char* kNames[] = {"nTRN", "nGRP", "nSHP"};
    return makeError(code, "vox: %s at byte %zu: %s %lld", kNames[static_cast<int>(node.kind)], node.offset,
                     what, value);
}

bool SceneReader::hidden(const VoxNode& node) const {
    if (m_limits.includeHidden) return false;
    const auto layer = m_hiddenLayers.find(node.layer);
    return node.hidden || (node.layer >= 0 && layer != m_hiddenLayers.end() && layer->second);
}

// out = parent * node's transform.
Result<void> SceneReader::move(const VoxNode& node, const MagicaVoxelInstance& parent,
                               MagicaVoxelInstance& out) const {
    const MagicaVoxelInstance& own = node.transform;
    for (int row = 0; row < 3; ++row) {
        const int column = parent.axis[row];
        out.axis[row] = own.axis[column];
        out.sign[row] = static_cast<std::int8_t>(parent.sign[row] * own.sign[column]);
        const std::int32_t sum = parent.translation[row] + parent.sign[row] * own.translation[column];
        if (sum < -(kCellLimit / 2) || sum > kCellLimit / 2) {
            return nodeError(node, ErrorCode::CorruptData, "it moves its scene out of reach, to", sum);
        }
        out.translation[row] = sum;
    }
    return {};
}

Result<void> SceneReader::addInstance(const VoxNode& node, MagicaVoxelInstance instance) {
    const std::int32_t model = node.children.front();
    if (model < 0 || static_cast<std::size_t>(model) >= m_scene.models.size()) {
        return nodeError(node, ErrorCode::CorruptData, "there is no model", model);
    }
    if (m_scene.instances.size() >= m_limits.maxInstances) {
        return nodeError(node, ErrorCode::TooLarge, "more instances of models than the limit of",
                         m_limits.maxInstances);
    }
    instance.model = static_cast<std::uint32_t>(model);
    m_cells += m_scene.models[instance.model].cells.size();
    if (m_cells > m_limits.maxCells) {
        return nodeError(node, ErrorCode::TooLarge, "more filled cells in all instances than the limit of",
                         static_cast<long long>(m_limits.maxCells));
    }
    m_scene.instances.push_back(instance);
    return {};
}

Result<void> SceneReader::walk(std::int32_t id, const MagicaVoxelInstance& parent, std::uint32_t depth) {
    const auto found = m_nodes.find(id);
    if (found == m_nodes.end()) {
        return makeError(ErrorCode::CorruptData, "vox: the scene graph names node %d, which is not there",
                         id);
    }
    const VoxNode& node = found->second;
    if (depth > m_limits.maxDepth) {
        return nodeError(node, ErrorCode::TooLarge, "the scene graph is deeper than the limit of",
                         m_limits.maxDepth);
    }
    // Nodes may be shared, so a small graph can have very many ways through it that end in no shape.
    if (++m_visits > 16ull * m_limits.maxInstances) {
        return nodeError(node, ErrorCode::TooLarge, "the scene graph branches into more nodes than",
                         16ll * m_limits.maxInstances);
    }
    if (hidden(node)) return {};
    if (node.kind == VoxNode::Kind::Shape) return addInstance(node, parent);
    MagicaVoxelInstance moved = parent;
    if (node.kind == VoxNode::Kind::Transform) {
        if (auto fits = move(node, parent, moved); !fits) return fits;
    }
    for (const std::int32_t child : node.children) {
        if (auto walked = walk(child, moved, depth + 1); !walked) return walked;
    }
    return {};
}

Result<MagicaVoxelScene> SceneReader::finish() {
    if (m_sizeWaits) {
        return makeError(ErrorCode::CorruptData, "vox: the last of %zu SIZE chunks has no XYZI",
                         m_scene.models.size());
    }
    if (!m_nodes.empty()) {
        if (auto walked = walk(0, {}, 0); !walked) return walked.error();
        return std::move(m_scene);
    }
    for (std::size_t i = 0; i < m_scene.models.size(); ++i) {
        VoxNode node;
        node.kind = VoxNode::Kind::Shape;
        node.children.push_back(static_cast<std::int32_t>(i));
        MagicaVoxelInstance instance;
        for (int axis = 0; axis < 3; ++axis)
            instance.translation[axis] = m_scene.models[i].size[axis] / 2;
        if (auto added = addInstance(node, instance); !added) return added.error();
    }
    return std::move(m_scene);
}

}  // namespace

CellCoord MagicaVoxelScene::cellOf(const MagicaVoxelInstance& instance, const MagicaVoxelCell& cell) const {
    const MagicaVoxelModel& model = models[instance.model];
    const std::int32_t place[] = {cell.x - model.size[0] / 2, cell.y - model.size[1] / 2,
                                  cell.z - model.size[2] / 2};
    std::int32_t turned[3];
    for (int row = 0; row < 3; ++row) {
        // The cell p .. p + 1 mirrored is -p - 1 .. -p.
        const std::int32_t p = place[instance.axis[row]];
        turned[row] = instance.translation[row] + (instance.sign[row] < 0 ? -p - 1 : p);
    }
    return {turned[0], turned[2], -1 - turned[1]};
}

CellBox MagicaVoxelScene::bounds() const {
    CellBox all;
    for (const MagicaVoxelInstance& instance : instances) {
        const std::array<std::int32_t, 3>& size = models[instance.model].size;
        const CellCoord a = cellOf(instance, {});
        const CellCoord b =
            cellOf(instance, {static_cast<std::uint8_t>(size[0] - 1), static_cast<std::uint8_t>(size[1] - 1),
                              static_cast<std::uint8_t>(size[2] - 1)});
        all = unite(all, {{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
                          {std::max(a.x, b.x) + 1, std::max(a.y, b.y) + 1, std::max(a.z, b.z) + 1}});
    }
    return all;
}

Result<MagicaVoxelScene> readMagicaVoxel(std::span<const std::byte> bytes, const MagicaVoxelLimits& limits) {
    ByteReader file(bytes);
    VoxChunk header{"file header", 0, file};
    const auto letters = file.bytes(4);
    if (letters.empty() || std::string_view(reinterpret_cast<const char*>(letters.data()), 4) != "VOX ") {
        return voxError(header, ErrorCode::CorruptData, "the file does not begin with \"VOX \"");
    }
    const std::uint32_t version = file.u32();
    if (file.failed() || (version != 150 && version != 200)) {
        return voxError(header, file.failed() ? ErrorCode::CorruptData : ErrorCode::Unsupported,
                        "version %u, expected 150 or 200", version);
    }
    VoxChunk main{"MAIN", file.position(), file};
    const auto name = file.bytes(4);
    const std::uint32_t content = file.u32(), children = file.u32();
    if (file.failed() || std::string_view(reinterpret_cast<const char*>(name.data()), 4) != "MAIN" ||
        content > file.remaining() || children > file.remaining() - content) {
        return voxError(main, ErrorCode::CorruptData, "no MAIN whose %u and %u bytes are there, %zu are left",
                        content, children, file.remaining());
    }
    file.skip(content);
    SceneReader reader(limits);
    if (auto read = reader.readChunks(file, file.position() + children); !read) return read.error();
    return reader.finish();
}

}  // namespace karst::voxel
