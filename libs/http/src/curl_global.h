#pragma once

#include <karst/base/result.h>

namespace karst::http {

/// Initialises libcurl for the process, once; later calls give the first one's result. Thread-safe.
Result<void> initialiseCurl();

}  // namespace karst::http
