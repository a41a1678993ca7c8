#pragma once

#include <karst/base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace karst::heightfield {

/// A file that is written at places of one's choosing. Closes itself.
class FileOutput {
  public:
    FileOutput() = default;
    ~FileOutput() { close(); }
    FileOutput(FileOutput&& other) noexcept;
    FileOutput& operator=(FileOutput&& other) noexcept;

    /// Creates or, with `keep`, opens what is there.
    static Result<FileOutput> open(const std::filesystem::path& path, bool keep);
    /// The same for a file that no other process has open in this way, until it is closed; an error that says
    /// so where one has.
    static Result<FileOutput> openAlone(const std::filesystem::path& path, bool keep);
    /// A folder that is there, for nobody else in this way.
    static Result<FileOutput> holdFolder(const std::filesystem::path& path);
    static Result<FileOutput> openToRead(const std::filesystem::path& path);
    Result<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes);
    /// All of `bytes`; an error where the file ends before.
    Result<void> readAt(std::uint64_t offset, std::span<std::byte> bytes) const;
    /// Has the system begin to bring bytes to the medium, so that sync() has less to wait for. A hint.
    void startFlush(std::uint64_t offset, std::uint64_t bytes);
    Result<void> truncate(std::uint64_t bytes);
    Result<std::uint64_t> size() const;
    /// On the medium, not only with the system.
    Result<void> sync();
    bool isOpen() const { return m_handle >= 0; }
    void close();

  private:
    static Result<FileOutput> lockedAt(const std::filesystem::path& path, int flags);

    int m_handle = -1;
    std::filesystem::path m_path;
};

Result<std::vector<std::byte>> readWholeFile(const std::filesystem::path& path);

/// Writes beside `path`, where `ending` says, then takes its place at once: whoever opens it sees the old
/// bytes or the new, also after a power cut where `sync` is set. Two that do so at once need two endings.
Result<void> replaceFile(const std::filesystem::path& path, std::span<const std::byte> bytes, bool sync,
                         const std::string& ending = ".new");

/// All that lies in a folder is on the medium, not only with the system.
Result<void> syncFolder(const std::filesystem::path& folder);

/// Puts a folder in the place of another or of nothing; what was there is thrown away after that.
Result<void> replaceFolder(const std::filesystem::path& from, const std::filesystem::path& to);

Result<void> renamePath(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace karst::heightfield
