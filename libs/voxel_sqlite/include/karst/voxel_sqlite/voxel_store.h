#pragma once

#include <karst/voxel/chunk_store.h>

#include <cstdint>
#include <filesystem>
#include <memory>

namespace karst::voxel {

struct VoxelStoreOptions {
    /// Loads only. A file that the system lets nobody write opens without this too; a save is then an error.
    bool readOnly = false;
    /// How long a call waits for another writer or reader of the file before it fails, milliseconds.
    std::uint32_t busyTimeout = 2000;
    /// A save that would make the file larger than this fails, bytes; 0: no limit but the disk's.
    std::uint64_t maxFileBytes = 0;
};

/// A world of voxels in one SQLite file, docs/formats/voxel_store_v1.md.
///
/// A save is one transaction, with a rollback journal and every byte forced to the disk before the call
/// returns (synchronous = EXTRA): whatever ends the process or the machine at any moment, the file holds what
/// some finished save left, or the one under way if that had got as far. A save under way leaves
/// `<file>-journal` beside the file, which belongs to it: the next open takes the half save back with it.
///
/// Errors name the file and the reason. They leave the file as it was and the grid's changes unsaved, so a
/// later save tries them again. NotFound: no such file or folder. CorruptData: not such a file, or a damaged
/// one. Unsupported: a newer version. TooLarge: the disk, or maxFileBytes, is full. Io: another process holds
/// the file, it is read-only, or reading or writing failed. Bytes of a file that nobody vouches for are safe
/// to open.
///
/// Threads: one at a time. Several stores, also of several processes, may have one file open: loads go on
/// side by side, saves wait for each other, and one whose grid was loaded before another's save is refused.
class VoxelStore final : public ChunkStore {
  public:
    /// Makes the file, which must not be there yet (or be of 0 bytes).
    static Result<VoxelStore> create(const std::filesystem::path& path, const GridPlacement& placement,
                                     const MaterialTable& materials, const VoxelStoreOptions& options = {});
    static Result<VoxelStore> open(const std::filesystem::path& path, const VoxelStoreOptions& options = {});
    VoxelStore(VoxelStore&&) noexcept;
    VoxelStore& operator=(VoxelStore&&) noexcept;
    ~VoxelStore() override;

    /// All chunks, or those in `box`. A later save() of this grid saves what changed since.
    Result<Grid> load(const Externals& externals = {});
    Result<Grid> load(const ChunkBox& box, const Externals& externals = {});

    /// Saves what changed in `grid` since it was last loaded here or saved here. Another grid than that one
    /// replaces all that the file holds; where the last load was of a box, all in the box, and it adds the
    /// rest.
    Result<SaveSummary> save(const Grid& grid);
    /// Up to where save() has the grid; for saving from another thread by collectChanges() and saveChanges().
    const SavedState& saved() const;

    Result<StoreInfo> info() override;
    Result<StoredChunks> loadChunks(const std::optional<ChunkBox>& box, const Externals& externals) override;
    Result<StoreRevision> saveChanges(const StoreChanges& changes, const Externals& externals) override;

  private:
    struct State;
    explicit VoxelStore(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace karst::voxel
