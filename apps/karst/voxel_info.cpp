#include <array>
#include <cstdio>

#include "json_writer.h"
#include "voxel_command.h"

namespace karst::tool {
namespace {

using namespace voxel;

struct Contents {
    StoreInfo store;
    std::uint64_t uniformChunks = 0;
    std::array<std::int64_t, 256> cells{};
    std::size_t memoryBytes = 0;
};

Contents count(const StoreInfo& store, const GridSnapshot& grid) {
    Contents out;
    out.store = store;
    out.memoryBytes = grid.memoryBytes();
    grid.forEachChunk([&](ChunkCoord, const Chunk& chunk) {
        if (chunk.uniform()) {
            ++out.uniformChunks;
            out.cells[chunk.uniformCell().material] += kChunkCellCount;
        }
        for (const Cell cell : chunk.cells())
            ++out.cells[cell.material];
    });
    out.cells[kAir] = 0;  // the air of written chunks says nothing
    return out;
}

Bounds worldBounds(const StoreInfo& store) {
    if (store.chunkBounds.empty()) return {};
    const auto corner = [&](ChunkCoord c) { return store.placement.cellCorner(firstCell(c)); };
    return {corner(store.chunkBounds.min), corner(store.chunkBounds.max)};
}

std::string asText(const std::string& file, const Contents& contents) {
    const StoreInfo& store = contents.store;
    std::string text;
    const auto line = [&](const std::string& name, const std::string& value) {
        std::string label = name + ":";
        label.resize(std::max<std::size_t>(label.size() + 1, 14), ' ');
        text += label + value + "\n";
    };
    const auto point = [](Vec3d p) { return shortest(p.x) + ", " + shortest(p.y) + ", " + shortest(p.z); };
    line("file", file);
    line("cell size", shortest(store.placement.cellSize));
    line("origin", point(store.placement.origin));
    line("revision", std::to_string(store.revision));
    line("chunks", std::to_string(store.chunkCount) + ", " + std::to_string(contents.uniformChunks) +
                       " of them uniform");
    line("bytes", std::to_string(store.chunkBytes) + " in the file, " + std::to_string(contents.memoryBytes) +
                      " in memory");
    const Bounds bounds = worldBounds(store);
    if (!bounds.empty()) line("bounds", point(bounds.min) + " .. " + point(bounds.max) + " (whole chunks)");
    for (std::size_t i = 1; i < store.materials.size(); ++i) {
        const Material& material = store.materials[static_cast<MaterialId>(i)];
        if (contents.cells[i] > 0) line("  " + material.name, std::to_string(contents.cells[i]) + " cells");
    }
    return text;
}

std::string asJson(const std::string& file, const Contents& contents) {
    const StoreInfo& store = contents.store;
    JsonWriter json;
    const auto point = [&](const char* name, Vec3d p) {
        json.key(name).beginArray().number(p.x).number(p.y).number(p.z).endArray();
    };
    json.beginObject();
    json.key("file").text(file);
    json.key("cell_size").number(store.placement.cellSize);
    point("origin", store.placement.origin);
    json.key("revision").integer(static_cast<std::int64_t>(store.revision));
    json.key("chunks").integer(static_cast<std::int64_t>(store.chunkCount));
    json.key("uniform_chunks").integer(static_cast<std::int64_t>(contents.uniformChunks));
    json.key("chunk_bytes").integer(static_cast<std::int64_t>(store.chunkBytes));
    json.key("memory_bytes").integer(static_cast<std::int64_t>(contents.memoryBytes));
    json.key("bounds");
    const Bounds bounds = worldBounds(store);
    if (bounds.empty()) {
        json.null();
    } else {
        json.beginObject();
        point("min", bounds.min);
        point("max", bounds.max);
        json.endObject();
    }
    json.key("materials").beginObject();
    for (std::size_t i = 0; i < store.materials.size(); ++i) {
        constexpr const char* kKinds[] = {"air", "solid", "water"};
        const Material& material = store.materials[static_cast<MaterialId>(i)];
        json.key(material.name).beginObject();
        json.key("id").integer(static_cast<std::int64_t>(i));
        json.key("kind").text(kKinds[static_cast<int>(material.kind)]);
        json.key("color").beginArray();
        for (const std::uint8_t channel : material.color)
            json.integer(channel);
        json.endArray();
        json.key("cells").integer(contents.cells[i]);
        json.endObject();
    }
    json.endObject();
    return json.endObject().take();
}

}  // namespace

int runVoxelInfo(CommandArguments arguments, const Externals& externals) {
    Arguments parser("voxel info", "Says what a file of voxels holds: reads all of it.");
    std::string file;
    bool json = false;
    parser.positional("FILE", "a file of voxels", intoString(file));
    parser.flag("--json", "as JSON", json);
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    auto store = VoxelStore::open(file, {.readOnly = true});
    if (!store) return failure(parser, file, store.error());
    const auto info = store->info();
    if (!info) return failure(parser, file, info.error());
    const auto grid = store->load(externals);
    if (!grid) return failure(parser, file, grid.error());
    const Contents contents = count(*info, grid->snapshot());
    std::printf("%s", (json ? asJson(file, contents) : asText(file, contents)).c_str());
    return kOk;
}

}  // namespace karst::tool
