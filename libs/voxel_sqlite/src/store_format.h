#pragma once

#include "database.h"

#include <karst/voxel/chunk_store.h>

namespace karst::voxel {

// The tables of docs/formats/voxel_store_v1.md, except for the chunks.

/// Makes the tables, in the present transaction.
Result<void> writeSchema(Database& database, const GridPlacement& placement, const MaterialTable& materials);

/// Refuses a file that is not a voxel store, or one of a newer version.
Result<void> checkIdentity(Database& database);

struct World {
    GridPlacement placement;
    MaterialTable materials;
    StoreRevision revision = 0;
};
Result<World> readWorld(Database& database);
Result<void> writeRevision(Database& database, StoreRevision revision);

}  // namespace karst::voxel
