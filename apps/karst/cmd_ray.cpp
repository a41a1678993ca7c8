#include <karst/heightfield/height_ray.h>
#include <karst/import/import_raster.h>

#include <cstdio>
#include <limits>

#include "command.h"
#include "import_arguments.h"
#include "json_writer.h"

namespace karst::tool {
namespace {

using heightfield::RayHit;

std::string asText(const RayHit& hit, double distance) {
    if (!hit.hit()) return "miss\n";
    const auto three = [](double x, double y, double z) {
        return shortest(x) + " " + shortest(y) + " " + shortest(z) + "\n";
    };
    return "hit\nposition:  " + three(hit.position.x, hit.position.y, hit.position.z) +
           "t:         " + shortest(hit.t) + "\ndistance:  " + shortest(distance) +
           "\nnormal:    " + shortest(hit.normal.x) + " " + shortest(hit.normal.y) + " " +
           shortest(hit.normal.z) + "\ncell:      " + std::to_string(hit.cellX) + " " +
           std::to_string(hit.cellZ) + (hit.lowerTriangle ? " lower" : " upper") +
           "\nside:      " + (hit.fromBelow ? "below" : "above") + "\n";
}

std::string asJson(const RayHit& hit, double distance) {
    JsonWriter json;
    json.beginObject().key("hit").boolean(hit.hit());
    if (hit.hit()) {
        json.key("position").beginArray();
        json.number(hit.position.x).number(hit.position.y).number(hit.position.z).endArray();
        json.key("t").number(hit.t).key("distance").number(distance);
        json.key("normal").beginArray();
        json.number(hit.normal.x).number(hit.normal.y).number(hit.normal.z).endArray();
        json.key("cell").beginArray().integer(hit.cellX).integer(hit.cellZ).endArray();
        json.key("triangle").text(hit.lowerTriangle ? "lower" : "upper");
        json.key("from_below").boolean(hit.fromBelow);
    }
    return json.endObject().take();
}

}  // namespace

int runRay(CommandArguments arguments, const Externals& externals) {
    Arguments parser(
        "ray",
        "Casts a ray from OX, OY, OZ along DX, DY, DZ and prints where it first meets the ground, or\n"
        "'miss'. Metres; X is east, Y is up, Z is south; the first (north-western) sample stands at\n"
        "X = 0, Z = 0. t counts in lengths of the direction.");
    std::string file;
    Ray ray;
    double maxT = std::numeric_limits<double>::infinity();
    bool json = false;
    importer::ImportOptions options;
    parser.positional("FILE", "a DEM or heightmap", intoString(file));
    parser.positional("OX", "origin", intoNumber(ray.origin.x));
    parser.positional("OY", "", intoNumber(ray.origin.y));
    parser.positional("OZ", "", intoNumber(ray.origin.z));
    parser.positional("DX", "direction, of any length above 0", intoNumber(ray.direction.x));
    parser.positional("DY", "", intoNumber(ray.direction.y));
    parser.positional("DZ", "", intoNumber(ray.direction.z));
    parser.option("--max-t", "T", "how far the ray goes, in lengths of its direction (without end)",
                  intoNumber(maxT));
    parser.flag("--json", "as JSON", json);
    addImportArguments(parser, options);
    if (const auto code = parseOrExit(parser, arguments)) return *code;
    if (ray.direction == Vec3d{}) {
        return usageError(parser, makeError(ErrorCode::InvalidArgument, "the direction 0 0 0 leads nowhere"));
    }
    if (maxT < 0) {
        return usageError(parser, makeError(ErrorCode::InvalidArgument, "--max-t: %g is below 0", maxT));
    }

    const auto imported = importer::importRaster(file, options, externals);
    if (!imported) return failure(parser, file, imported.error());
    const heightfield::HeightPyramid pyramid(imported->raster, externals);
    const RayHit hit = heightfield::castRay(imported->raster, pyramid, ray, maxT);
    if (hit.status == heightfield::RayStatus::InvalidRay) {
        return usageError(parser,
                          makeError(ErrorCode::InvalidArgument, "the ray's numbers are out of range"));
    }
    // Not t times the direction's length, which may be beyond all numbers.
    const double distance = length(hit.position - ray.origin);
    std::printf("%s", (json ? asJson(hit, distance) : asText(hit, distance)).c_str());
    return kOk;
}

}  // namespace karst::tool
