#include "byte_file.h"

#include <cpl_vsi.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "gdal_errors.h"

namespace karst::importer {
namespace {

class FileBytes final : public ByteFile {
  public:
    FileBytes(VSILFILE* file, std::string path) : m_file(file), m_path(std::move(path)) {
        VSIFSeekL(m_file, 0, SEEK_END);
        m_size = VSIFTellL(m_file);
    }
    ~FileBytes() override { VSIFCloseL(m_file); }
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    std::uint64_t size() const override { return m_size; }

    Result<void> read(std::uint64_t offset, std::span<std::byte> out) override {
        const GdalErrors errors;
        if (offset > m_size || out.size() > m_size - offset) {
            return makeError(ErrorCode::CorruptData,
                             "%s: ends at byte %llu, but %zu bytes from byte %llu are wanted", m_path.c_str(),
                             static_cast<unsigned long long>(m_size), out.size(),
                             static_cast<unsigned long long>(offset));
        }
        if (VSIFSeekL(m_file, offset, SEEK_SET) != 0 ||
            VSIFReadL(out.data(), 1, out.size(), m_file) != out.size()) {
            return makeError(ErrorCode::Io, "%s: cannot read %zu bytes from byte %llu%s", m_path.c_str(),
                             out.size(), static_cast<unsigned long long>(offset), errors.because().c_str());
        }
        return {};
    }

  private:
    VSILFILE* m_file;
    std::string m_path;
    std::uint64_t m_size = 0;
};

class MemoryBytes final : public ByteFile {
  public:
    explicit MemoryBytes(std::span<const std::byte> bytes) : m_bytes(bytes) {}
    std::uint64_t size() const override { return m_bytes.size(); }
    Result<void> read(std::uint64_t offset, std::span<std::byte> out) override {
        if (offset > m_bytes.size() || out.size() > m_bytes.size() - offset) {
            return makeError(ErrorCode::CorruptData,
                             "ends at byte %zu, but %zu bytes from byte %llu are wanted", m_bytes.size(),
                             out.size(), static_cast<unsigned long long>(offset));
        }
        if (!out.empty()) std::memcpy(out.data(), m_bytes.data() + offset, out.size());
        return {};
    }

  private:
    std::span<const std::byte> m_bytes;
};

}  // namespace

Result<std::unique_ptr<ByteFile>> openFile(const std::string& path) {
    const GdalErrors errors;
    VSIStatBufL stat;
    errno = 0;
    if (VSIStatL(path.c_str(), &stat) != 0) {
        return makeError(ErrorCode::NotFound, "%s: no such file%s; check the name and the folder",
                         path.c_str(), errors.because().c_str());
    }
    if (VSI_ISDIR(stat.st_mode)) {
        return makeError(ErrorCode::InvalidArgument, "%s: is a folder; name a file in it", path.c_str());
    }
    VSILFILE* file = VSIFOpenL(path.c_str(), "rb");
    if (file == nullptr) {
        const int code = errno;
        const std::string because = code != 0 ? std::string(": ") + std::strerror(code) : errors.because();
        return makeError(ErrorCode::Io, "%s: cannot be opened%s; %s", path.c_str(), because.c_str(),
                         code != 0 ? "check its permissions" : "the archive is damaged, fetch it again");
    }
    return std::unique_ptr<ByteFile>(std::make_unique<FileBytes>(file, path));
}

bool fileExists(const std::string& path) {
    const GdalErrors errors;
    VSIStatBufL stat;
    return VSIStatL(path.c_str(), &stat) == 0 && !VSI_ISDIR(stat.st_mode);
}

std::unique_ptr<ByteFile> memoryBytes(std::span<const std::byte> bytes) {
    return std::make_unique<MemoryBytes>(bytes);
}

Result<std::string> readText(const std::string& path, std::size_t most) {
    auto file = openFile(path);
    if (!file) return file.error();
    const std::uint64_t size = (*file)->size();
    if (size > most) {
        return makeError(ErrorCode::TooLarge, "%s: %llu bytes, at most %zu are read", path.c_str(),
                         static_cast<unsigned long long>(size), most);
    }
    std::string text(static_cast<std::size_t>(size), '\0');
    const auto done = (*file)->read(0, std::as_writable_bytes(std::span(text)));
    if (!done) return done.error();
    return text;
}

}  // namespace karst::importer
