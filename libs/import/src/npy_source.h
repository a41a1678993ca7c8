#pragma once

#include "georeference.h"
#include "npy_header.h"
#include "readers.h"

namespace karst::importer {

/// Opens an array whose header is read. `georeference` may be null; without an orientation in the options,
/// `southUp` tells it. Refuses what is not two-dimensional.
SourceResult openArray(std::unique_ptr<ByteFile> bytes, const NpyHeader& header, const OpenRequest& request,
                       const std::string& format, const Georeference* georeference, bool southUp);

/// Whether an array can be a raster: two sides of at least 2.
bool isGrid(const NpyHeader& header);

/// Opens an .npz by the names of its .npy members, each with the path that opens it.
struct NpzMember {
    std::string name;  ///< without ".npy"
    std::string path;
};
SourceResult openNpz(const std::vector<NpzMember>& members, const OpenRequest& request);

}  // namespace karst::importer
