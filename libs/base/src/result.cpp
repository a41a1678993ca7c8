#include <karst/base/result.h>

#include <cstdarg>
#include <cstdio>

namespace karst {

std::string_view toString(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
            return "invalid argument";
        case ErrorCode::NotFound:
            return "not found";
        case ErrorCode::Io:
            return "input/output";
        case ErrorCode::CorruptData:
            return "corrupt data";
        case ErrorCode::Unsupported:
            return "unsupported";
        case ErrorCode::TooLarge:
            return "too large";
        case ErrorCode::DeviceLost:
            return "device lost";
    }
    return "unknown";
}

Error makeError(ErrorCode code, const char* format, ...) {
    std::va_list args;
    va_start(args, format);
    std::va_list again;
    va_copy(again, args);
    const int length = std::vsnprintf(nullptr, 0, format, args);
    va_end(args);
    Error error{code, {}};
    if (length > 0) {
        error.message.resize(static_cast<std::size_t>(length));
        std::vsnprintf(error.message.data(), error.message.size() + 1, format, again);
    }
    va_end(again);
    return error;
}

}  // namespace karst
