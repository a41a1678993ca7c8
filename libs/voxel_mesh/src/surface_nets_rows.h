#pragma once

#include <karst/voxel_mesh/surface_nets.h>

#include "sign_rows.h"

namespace karst::voxel_mesh {

/// extractSurface that leaves the field's signs in `rows` where the content is mixed.
Result<RawSurface> extractSurface(const FieldView& field, const SurfaceNetsOptions& options,
                                  const SurfaceNetsBuffers& buffers, SignRows& rows);

}  // namespace karst::voxel_mesh
