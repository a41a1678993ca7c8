#include "background_writer.h"

namespace karst::heightfield {

BackgroundWriter::BackgroundWriter(FileOutput file, bool flushEarly)
    : m_file(std::move(file)), m_flushEarly(flushEarly), m_thread([this] { run(); }) {}

BackgroundWriter::~BackgroundWriter() {
    {
        std::lock_guard lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

Result<void> BackgroundWriter::write(std::uint64_t offset, std::vector<std::byte>& bytes) {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return !m_busy; });
    m_buffer.swap(bytes);
    bytes.clear();
    if (!m_result) return m_result;
    m_offset = offset;
    m_busy = true;
    m_changed.notify_all();
    return {};
}

Result<void> BackgroundWriter::drain() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return !m_busy; });
    return m_result;
}

void BackgroundWriter::run() {
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [&] { return m_busy || m_stop; });
        if (!m_busy) return;
        lock.unlock();
        Result<void> written = m_file.writeAt(m_offset, m_buffer);
        if (written && m_flushEarly) m_file.startFlush(m_offset, m_buffer.size());
        lock.lock();
        if (m_result && !written) m_result = written;
        m_busy = false;
        m_changed.notify_all();
    }
}

}  // namespace karst::heightfield
