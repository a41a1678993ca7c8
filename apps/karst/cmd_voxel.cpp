#include <algorithm>
#include <cmath>
#include <cstdio>

#include "voxel_command.h"

namespace karst::tool {
namespace {

struct Action {
    const char* name;
    const char* help;
    int (*run)(CommandArguments, const Externals&);
};

constexpr Action kActions[] = {
    {"new", "makes an empty file of voxels", runVoxelNew},
    {"fill", "fills a shape with a material, or digs it out", runVoxelFill},
    {"info", "what a file of voxels holds", runVoxelInfo},
    {"import", "takes in a MagicaVoxel scene, or a DEM or heightmap", runVoxelImport},
    {"export", "writes the surface as .glb or .obj", runVoxelExport},
};

std::string overview() {
    std::string text =
        "Usage: karst voxel ACTION FILE ...\n\n"
        "Voxel ground, kept in one file (by habit *.voxels).\n\n";
    for (const Action& action : kActions) {
        const std::string name = action.name;
        text += "  " + name + std::string(10 - name.size(), ' ') + action.help + "\n";
    }
    return text +
           "\n  karst voxel ACTION --help    what an action takes\n"
           "  karst render FILE OUT.png    draws a file of voxels\n";
}

Result<void> setPositive(const std::string& text, double& value) {
    const Result<double> number = parseNumber(text);
    if (!number) return number.error();
    if (!(*number > 0)) return makeError(ErrorCode::InvalidArgument, "'%s' must be above 0", text.c_str());
    value = *number;
    return {};
}

}  // namespace

int runVoxel(CommandArguments arguments, const Externals& externals) {
    const std::string name = arguments.empty() ? "" : arguments[0];
    if (name.empty()) {
        std::fprintf(stderr, "%s", overview().c_str());
        return kUsage;
    }
    if (name == "--help" || name == "-h") {
        std::printf("%s", overview().c_str());
        return kOk;
    }
    std::vector<std::string> names;
    for (const Action& action : kActions) {
        if (name == action.name) return action.run(arguments.subspan(1), externals);
        names.emplace_back(action.name);
    }
    const std::string guess = nearest(name, names);
    std::fprintf(stderr, "karst voxel: unknown action '%s'", name.c_str());
    if (!guess.empty()) std::fprintf(stderr, "; did you mean '%s'?", guess.c_str());
    std::fprintf(stderr, "\nkarst: see karst voxel --help\n");
    return kUsage;
}

Setter intoPositive(double& value) {
    return [&value](const std::string& text) { return setPositive(text, value); };
}

Setter intoPositive(std::optional<double>& value) {
    return [&value](const std::string& text) { return setPositive(text, value.emplace()); };
}

Setter intoBox(std::optional<Bounds>& value) {
    return [&value](const std::string& text) -> Result<void> {
        const auto numbers = parseNumbers(text, 6);
        if (!numbers) return numbers.error();
        const std::vector<double>& n = *numbers;
        Bounds box{{std::min(n[0], n[3]), std::min(n[1], n[4]), std::min(n[2], n[5])},
                   {std::max(n[0], n[3]), std::max(n[1], n[4]), std::max(n[2], n[5])}};
        const Vec3d size = box.size();
        if (!(size.x > 0 && size.y > 0 && size.z > 0)) {
            return makeError(ErrorCode::InvalidArgument, "'%s' has no volume", text.c_str());
        }
        value = box;
        return {};
    };
}

Result<voxel::MaterialId> findMaterial(const voxel::MaterialTable& materials, const std::string& text) {
    if (const auto id = materials.find(text)) return *id;
    const auto number = parseInteger(text, 0, static_cast<int>(materials.size()) - 1);
    if (number) return static_cast<voxel::MaterialId>(*number);
    std::string known;
    for (std::size_t i = 0; i < materials.size(); ++i)
        known += (i == 0 ? "" : ", ") + materials[static_cast<voxel::MaterialId>(i)].name;
    return makeError(ErrorCode::InvalidArgument, "no material '%s'; there are %s", text.c_str(),
                     known.c_str());
}

voxel::ChunkBox chunksAround(const voxel::GridPlacement& placement, const Bounds& box) {
    const double chunk = placement.cellSize * voxel::kChunkSize;
    const auto low = [&](double at, double origin) {
        return static_cast<std::int32_t>(std::clamp(std::floor((at - origin) / chunk),
                                                    -double{voxel::kChunkLimit}, double{voxel::kChunkLimit}));
    };
    const auto high = [&](double at, double origin) {
        return static_cast<std::int32_t>(std::clamp(std::floor((at - origin) / chunk) + 1,
                                                    -double{voxel::kChunkLimit}, double{voxel::kChunkLimit}));
    };
    const Vec3d o = placement.origin;
    return {{low(box.min.x, o.x), low(box.min.y, o.y), low(box.min.z, o.z)},
            {high(box.max.x, o.x), high(box.max.y, o.y), high(box.max.z, o.z)}};
}

voxel::ChunkBox withNeighbours(voxel::ChunkBox box) {
    for (std::int32_t* low : {&box.min.x, &box.min.y, &box.min.z})
        *low = std::max(*low - 1, -voxel::kChunkLimit);
    for (std::int32_t* high : {&box.max.x, &box.max.y, &box.max.z})
        *high = std::min(*high + 1, voxel::kChunkLimit);
    return box;
}

std::string describeEdit(const voxel::EditSummary& edit, const voxel::SaveSummary& save) {
    return std::to_string(edit.changedCells) + " cells changed, " + std::to_string(save.written) +
           " chunks written, " + std::to_string(save.removed) + " removed, revision " +
           std::to_string(save.revision);
}

Result<void> writeFile(const std::string& path, const void* bytes, std::size_t size) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file) return makeError(ErrorCode::Io, "%s: cannot be written", path.c_str());
    const bool written = std::fwrite(bytes, 1, size, file) == size;
    if (std::fclose(file) != 0 || !written) {
        return makeError(ErrorCode::Io, "%s: writing %zu bytes failed", path.c_str(), size);
    }
    return {};
}

}  // namespace karst::tool
