#pragma once

#include <karst/heightfield_build/tile_sink.h>

#include <memory>

#include "background_writer.h"

namespace karst::heightfield {

/// A file that grows by blocks: small ones gather, so that the file sees few and large writes, which a thread
/// of its own makes. The file belongs to one process at a time, and is removed where that gives up before any
/// of it was to last. All members from one thread.
class AppendFile {
  public:
    AppendFile() = default;
    ~AppendFile();
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;

    /// Blocks are appended from `end` on. `keep`: the file is there and holds at least that much; what lies
    /// past it is cut off.
    Result<void> begin(const std::filesystem::path& path, std::uint64_t end, bool keep,
                       Durability durability);
    Result<void> append(std::span<const std::byte> bytes);
    std::uint64_t end() const { return m_end; }
    /// All that was appended is written; with `lasting`, it outlives what Durability says.
    Result<void> settle(bool lasting);
    /// Over what is settled.
    Result<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes) {
        return m_writer->file().writeAt(offset, bytes);
    }
    void close() { m_writer.reset(); }

  private:
    Result<void> flush();

    std::filesystem::path m_path;
    bool m_lasts = false;
    std::unique_ptr<BackgroundWriter> m_writer;
    std::vector<std::byte> m_pending;  // the last bytes before m_end
    std::uint64_t m_end = 0;
    Durability m_durability = Durability::Process;
};

}  // namespace karst::heightfield
