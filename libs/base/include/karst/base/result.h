#pragma once

#include <karst/base/assert.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace karst {

/// What kind of thing went wrong; the message says what, where and the value.
enum class ErrorCode {
    InvalidArgument,  ///< the caller asked for something that cannot be
    NotFound,         ///< a file, an array in a file, a key
    Io,               ///< reading or writing failed
    CorruptData,      ///< bytes that do not say what their format demands
    Unsupported,      ///< well-formed, but of a kind that is not handled
    TooLarge,         ///< larger than a limit, a pool or the memory
    DeviceLost,       ///< no usable device, or the device stopped
};

/// A short word for the code, such as "corrupt data".
std::string_view toString(ErrorCode code);

struct Error {
    ErrorCode code = ErrorCode::InvalidArgument;
    std::string message;
};

/// printf-style; the message names what, where and the value.
[[gnu::format(printf, 2, 3)]] Error makeError(ErrorCode code, const char* format, ...);

/// A value or an error. Test it before reading: value() of an error is a programming error.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & {
        KARST_ASSERT(ok());
        return *std::get_if<0>(&m_state);
    }
    const T& value() const& {
        KARST_ASSERT(ok());
        return *std::get_if<0>(&m_state);
    }
    T&& value() && {
        KARST_ASSERT(ok());
        return std::move(*std::get_if<0>(&m_state));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const {
        KARST_ASSERT(!ok());
        return *std::get_if<1>(&m_state);
    }

  private:
    std::variant<T, Error> m_state;
};

/// Success without a value, or an error.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)), m_ok(false) {}

    bool ok() const { return m_ok; }
    explicit operator bool() const { return m_ok; }
    const Error& error() const {
        KARST_ASSERT(!m_ok);
        return m_error;
    }

  private:
    Error m_error;
    bool m_ok = true;
};

}  // namespace karst
