#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "file_output.h"

namespace karst::heightfield {

/// Writes to a file on a thread of its own, one buffer behind who fills it. All members from one thread.
class BackgroundWriter {
  public:
    /// `flushEarly`: has the system bring the bytes to the medium meanwhile.
    BackgroundWriter(FileOutput file, bool flushEarly);
    ~BackgroundWriter();
    BackgroundWriter(const BackgroundWriter&) = delete;
    BackgroundWriter& operator=(const BackgroundWriter&) = delete;

    /// Takes the bytes and leaves an empty buffer. The error may be that of an earlier write.
    Result<void> write(std::uint64_t offset, std::vector<std::byte>& bytes);
    /// Waits until all is written. From then until the next write() the file may be used.
    Result<void> drain();
    FileOutput& file() { return m_file; }

  private:
    void run();

    FileOutput m_file;
    const bool m_flushEarly;
    std::mutex m_mutex;  // guards what follows; the buffer is the thread's while m_busy
    std::condition_variable m_changed;
    std::vector<std::byte> m_buffer;
    std::uint64_t m_offset = 0;
    bool m_busy = false, m_stop = false;
    Result<void> m_result;
    std::thread m_thread;
};

}  // namespace karst::heightfield
