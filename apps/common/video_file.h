#pragma once

#include <karst/base/result.h>
#include <sys/types.h>

#include <cstdio>
#include <filesystem>

#include "common/image_file.h"

namespace karst::app {

struct VideoDesc {
    int width = 0, height = 0;  ///< 2 .. 16384, both even: video stores colour for two pixels by two
    int framesPerSecond = 30;   ///< 1 .. 240
};

/// Is it a name that a video can have: *.mp4, *.mkv or *.webm?
bool isVideoName(const std::filesystem::path& path);

/// A video, made by the program ffmpeg as it is found on PATH; frames go to it as they are, through a socket.
/// Under the final name there is nothing, or what was there before, until finish() has succeeded.
///
/// Threads: one at a time.
class VideoFile {
  public:
    /// InvalidArgument for a wrong name or size, Io where the place cannot be written, NotFound where there
    /// is no ffmpeg.
    static Result<VideoFile> create(const std::filesystem::path& path, const VideoDesc& desc);
    VideoFile(VideoFile&&) noexcept;
    VideoFile& operator=(VideoFile&&) = delete;
    /// Without finish(): ends ffmpeg and leaves nothing.
    ~VideoFile();

    /// The next frame, of the video's size. An error, which tells what ffmpeg had to say, ends the video.
    Result<void> add(const Image& frame);
    /// Waits for ffmpeg and gives the video its name.
    Result<void> finish();

  private:
    VideoFile(const std::filesystem::path& path, const VideoDesc& desc) : m_path(path), m_desc(desc) {}
    Result<void> createPartial();
    Result<void> startProgram();
    /// No more frames: waits for ffmpeg; what waitpid says of it.
    int endProgram();
    Error programError(int status) const;

    std::filesystem::path m_path, m_partial;  // m_partial: empty where there is none
    VideoDesc m_desc;
    std::FILE* m_said = nullptr;  // what ffmpeg says; the file has no name
    int m_input = -1;
    pid_t m_program = -1;
};

}  // namespace karst::app
