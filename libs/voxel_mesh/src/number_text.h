#pragma once

#include <charconv>
#include <string>

namespace karst::voxel_mesh {

/// Appends the shortest text that reads back as the same finite number, whatever the process's locale.
template <class T>
void appendNumber(std::string& out, T value) {
    char text[32];
    const std::to_chars_result result = std::to_chars(text, text + sizeof text, value);
    out.append(text, result.ptr);
}

}  // namespace karst::voxel_mesh
