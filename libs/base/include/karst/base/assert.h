#pragma once

// KARST_ASSERT(condition): a programming error of the caller or of Karst itself. Bytes from files and
// networks are never asserted: they give an Error. On in debug builds and where KARST_ENABLE_ASSERTS is 1.

#if !defined(KARST_ENABLE_ASSERTS)
#if defined(NDEBUG)
#define KARST_ENABLE_ASSERTS 0
#else
#define KARST_ENABLE_ASSERTS 1
#endif
#endif

namespace karst {

/// Prints the condition and its place to stderr and aborts.
[[noreturn]] void assertFailed(const char* condition, const char* file, int line);

}  // namespace karst

#if KARST_ENABLE_ASSERTS
#define KARST_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::karst::assertFailed(#condition, __FILE__, __LINE__))
#else
#define KARST_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif
