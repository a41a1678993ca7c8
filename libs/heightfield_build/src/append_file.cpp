#include "append_file.h"

namespace karst::heightfield {

namespace {
constexpr std::size_t kGather = std::size_t{4} << 20;
}

AppendFile::~AppendFile() {
    if (m_writer == nullptr || m_lasts) return;
    // Before another process may have it.
    std::error_code ignored;
    std::filesystem::remove(m_path, ignored);
}

Result<void> AppendFile::begin(const std::filesystem::path& path, std::uint64_t end, bool keep,
                               Durability durability) {
    m_writer.reset();
    m_pending.clear();
    m_path = path;
    m_lasts = keep;
    m_end = end;
    m_durability = durability;
    Result<FileOutput> file = FileOutput::openAlone(path, keep);
    if (!file) return file.error();
    if (keep) {
        const Result<std::uint64_t> size = file->size();
        if (!size) return size.error();
        if (*size < end) {
            return makeError(ErrorCode::CorruptData,
                             "%s: has %llu bytes, and the state to go on from knows of %llu", path.c_str(),
                             static_cast<unsigned long long>(*size), static_cast<unsigned long long>(end));
        }
    }
    if (Result<void> cut = file->truncate(end); !cut) return cut;
    m_writer = std::make_unique<BackgroundWriter>(std::move(*file), durability == Durability::PowerCut);
    return {};
}

Result<void> AppendFile::append(std::span<const std::byte> bytes) {
    m_end += bytes.size();
    m_pending.insert(m_pending.end(), bytes.begin(), bytes.end());
    return m_pending.size() >= kGather ? flush() : Result<void>{};
}

Result<void> AppendFile::flush() {
    if (m_pending.empty()) return {};
    return m_writer->write(m_end - m_pending.size(), m_pending);
}

Result<void> AppendFile::settle(bool lasting) {
    if (Result<void> flushed = flush(); !flushed) return flushed;
    if (Result<void> drained = m_writer->drain(); !drained) return drained;
    m_lasts = m_lasts || lasting;
    if (lasting && m_durability == Durability::PowerCut) return m_writer->file().sync();
    return {};
}

}  // namespace karst::heightfield
