#include <algorithm>
#include <fstream>
#include <iterator>

#include "voxel_drawing.h"

namespace karst::tool {

bool looksLikeVoxels(const std::string& file) {
    if (file.ends_with(".voxels")) return true;
    constexpr char kMagic[] = "SQLite format 3";  // its end, a 0, counts
    char bytes[sizeof kMagic] = {};
    std::ifstream in(file, std::ios::binary);
    in.read(bytes, sizeof bytes);
    return in && std::equal(std::begin(bytes), std::end(bytes), kMagic);
}

}  // namespace karst::tool
