#include "common/video_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace karst::app {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxSide = 16384, kMaxRate = 240;

// The number of the exit code by which a shell, and some C libraries, say that there is no such program.
constexpr int kNoSuchProgram = 127;

std::vector<std::string> programArguments(const VideoDesc& desc, const fs::path& output) {
    return {"ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y",
            // What comes in.
            "-f", "rawvideo", "-pixel_format", "rgba", "-video_size",
            std::to_string(desc.width) + "x" + std::to_string(desc.height), "-framerate",
            std::to_string(desc.framesPerSecond), "-i", "pipe:0", "-an",
            // Colours that every player shows alike, and knows how.
            "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709",
            "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
            // A protocol before the name, lest a colon in it be taken for one.
            "file:" + output.string()};
}

Error noProgram() {
    return makeError(ErrorCode::NotFound,
                     "ffmpeg: not found on PATH; a video needs it (Debian: the package ffmpeg). Pictures, "
                     "frame by frame, do not");
}

}  // namespace

bool isVideoName(const fs::path& path) {
    const fs::path ending = path.extension();
    return ending == ".mp4" || ending == ".mkv" || ending == ".webm";
}

VideoFile::VideoFile(VideoFile&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_partial(std::exchange(other.m_partial, {})),
      m_desc(other.m_desc),
      m_said(std::exchange(other.m_said, nullptr)),
      m_input(std::exchange(other.m_input, -1)),
      m_program(std::exchange(other.m_program, -1)) {}

VideoFile::~VideoFile() {
    if (m_program > 0) {
        ::kill(m_program, SIGKILL);
        endProgram();
    }
    if (m_input >= 0) ::close(m_input);
    if (m_said) std::fclose(m_said);
    std::error_code ignored;
    if (!m_partial.empty()) fs::remove(m_partial, ignored);
}

int VideoFile::endProgram() {
    ::close(std::exchange(m_input, -1));
    int status = 0;
    while (::waitpid(m_program, &status, 0) < 0 && errno == EINTR) {
    }
    m_program = -1;
    return status;
}

Result<VideoFile> VideoFile::create(const fs::path& path, const VideoDesc& desc) {
    if (!isVideoName(path)) {
        return makeError(ErrorCode::InvalidArgument, "%s: a video's name ends with .mp4, .mkv or .webm",
                         path.c_str());
    }
    for (const int side : {desc.width, desc.height}) {
        if (side >= 2 && side <= kMaxSide && side % 2 == 0) continue;
        return makeError(ErrorCode::InvalidArgument,
                         "%s: %d x %d: a video's sides are even numbers from 2 to %d", path.c_str(),
                         desc.width, desc.height, kMaxSide);
    }
    if (desc.framesPerSecond < 1 || desc.framesPerSecond > kMaxRate) {
        return makeError(ErrorCode::InvalidArgument, "%s: %d frames a second are not in 1..%d", path.c_str(),
                         desc.framesPerSecond, kMaxRate);
    }
    VideoFile video(path, desc);
    if (auto made = video.createPartial(); !made) return made.error();
    if (auto started = video.startProgram(); !started) return started.error();
    return video;
}

// In the same folder, so that the finished video only has to be renamed; with the same ending, by which
// ffmpeg knows the format.
Result<void> VideoFile::createPartial() {
    std::error_code code;
    if (fs::is_directory(m_path, code)) {
        return makeError(ErrorCode::Io, "%s: is a folder", m_path.c_str());
    }
    for (int i = 0; i < 100; ++i) {
        const fs::path name =
            m_path.parent_path() / ("." + m_path.stem().string() + "-" + std::to_string(::getpid()) + "-" +
                                    std::to_string(i) + m_path.extension().string());
        const int file = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (file < 0 && errno == EEXIST) continue;
        if (file < 0) {
            return makeError(ErrorCode::Io, "%s: a video cannot be written there: %s", m_path.c_str(),
                             std::strerror(errno));
        }
        ::close(file);
        m_partial = name;
        return {};
    }
    return makeError(ErrorCode::Io, "%s: too many unfinished videos lie there", m_path.c_str());
}

Result<void> VideoFile::startProgram() {
    int ends[2] = {-1, -1};
    // A socket, so that a write to a program that has ended is an error here and no signal.
    m_said = std::tmpfile();
    if (!m_said || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return makeError(ErrorCode::Io, "ffmpeg: cannot be started: %s", std::strerror(errno));
    }
    m_input = ends[0];
    const std::vector<std::string> arguments = programArguments(m_desc, m_partial);
    std::vector<char*> list;
    for (const std::string& argument : arguments)
        list.push_back(const_cast<char*>(argument.c_str()));
    list.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, ends[1], 0);
    posix_spawn_file_actions_adddup2(&files, ::fileno(m_said), 1);
    posix_spawn_file_actions_adddup2(&files, ::fileno(m_said), 2);
    // In a group of its own: Ctrl+C at a terminal is for this program alone, which then ends the other.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int code = ::posix_spawnp(&m_program, list[0], &files, &attributes, list.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    if (code == 0) return {};
    m_program = -1;
    if (code == ENOENT) return noProgram();
    return makeError(ErrorCode::Io, "ffmpeg: cannot be started: %s", std::strerror(code));
}

Error VideoFile::programError(int status) const {
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchProgram) return noProgram();
    std::string said(2000, '\0');
    std::rewind(m_said);
    said.resize(std::fread(said.data(), 1, said.size(), m_said));
    while (!said.empty() && said.back() == '\n')
        said.pop_back();
    std::string how = "ended early";
    if (WIFSIGNALED(status)) how = "was ended by signal " + std::to_string(WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        how = "failed with exit code " + std::to_string(WEXITSTATUS(status));
    return makeError(ErrorCode::Io, "%s: no video: ffmpeg %s%s%s", m_path.c_str(), how.c_str(),
                     said.empty() ? "" : ": ", said.c_str());
}

Result<void> VideoFile::add(const Image& frame) {
    if (m_program < 0) return makeError(ErrorCode::Io, "%s: the video has ended", m_path.c_str());
    if (frame.width != m_desc.width || frame.height != m_desc.height ||
        frame.rgba.size() !=
            static_cast<std::size_t>(m_desc.width) * static_cast<std::size_t>(m_desc.height) * 4) {
        return makeError(ErrorCode::InvalidArgument, "%s: a frame of %d x %d is not of the video's %d x %d",
                         m_path.c_str(), frame.width, frame.height, m_desc.width, m_desc.height);
    }
    const std::uint8_t* next = frame.rgba.data();
    const std::uint8_t* const end = next + frame.rgba.size();
    while (next < end) {
        const ssize_t sent = ::send(m_input, next, static_cast<std::size_t>(end - next), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return programError(endProgram());
        next += sent;
    }
    return {};
}

Result<void> VideoFile::finish() {
    if (m_program < 0) return makeError(ErrorCode::Io, "%s: the video has ended", m_path.c_str());
    const int status = endProgram();
    if (status != 0) return programError(status);
    std::error_code code;
    const auto bytes = fs::file_size(m_partial, code);
    if (code || bytes == 0) {
        return makeError(ErrorCode::Io, "%s: no video: ffmpeg wrote nothing", m_path.c_str());
    }
    fs::rename(m_partial, m_path, code);
    if (code) {
        return makeError(ErrorCode::Io, "%s: the video cannot get its name: %s", m_path.c_str(),
                         code.message().c_str());
    }
    m_partial.clear();
    return {};
}

}  // namespace karst::app
