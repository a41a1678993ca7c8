#include "picture_output.h"

#include <cstdio>

namespace karst::tool {

namespace {

std::string numbered(const std::string& output, int number) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "-%03d", number);
    std::string name = output.substr(0, output.size() - 4);
    name += digits;
    return name + ".png";
}

}  // namespace

Result<PictureOutput> PictureOutput::create(const Desc& desc) {
    PictureOutput output(desc);
    if (!desc.video.empty()) {
        auto video = app::VideoFile::create(desc.video, desc.form);
        if (!video) return video.error();
        output.m_video.emplace(std::move(*video));
    }
    return output;
}

Result<void> PictureOutput::put(const app::Image& picture) {
    if (m_video) {
        if (auto added = m_video->add(picture); !added) return added;
    }
    const int number = m_next++;
    if (m_desc.pictures.empty()) return {};
    m_file = m_desc.count > 1 ? numbered(m_desc.pictures, number) : m_desc.pictures;
    return app::writePng(m_file, picture);
}

Result<void> PictureOutput::finish() {
    return m_video ? m_video->finish() : Result<void>();
}

}  // namespace karst::tool
