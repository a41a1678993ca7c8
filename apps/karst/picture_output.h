#pragma once

#include <common/video_file.h>

#include <optional>
#include <string>

namespace karst::tool {

/// Where the pictures of a way go: to a PNG, or to one each with its number; to a video; to both.
class PictureOutput {
  public:
    struct Desc {
        std::string pictures;  ///< a .png; empty: none
        std::string video;     ///< empty: none
        app::VideoDesc form;   ///< of the video
        int count = 1;         ///< of pictures
    };
    /// Fails where a video cannot be.
    static Result<PictureOutput> create(const Desc& desc);

    /// The next picture.
    Result<void> put(const app::Image& picture);
    /// After the last one.
    Result<void> finish();
    /// What the last picture was written to; empty where it went to the video alone.
    const std::string& file() const { return m_file; }

  private:
    explicit PictureOutput(const Desc& desc) : m_desc(desc) {}

    Desc m_desc;
    std::optional<app::VideoFile> m_video;
    std::string m_file;
    int m_next = 0;
};

}  // namespace karst::tool
