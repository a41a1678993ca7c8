#pragma once

#include <karst/base/result.h>
#include <karst/heightfield/block_codec.h>
#include <karst/heightfield/package_format.h>

#include <functional>
#include <memory>

namespace karst::tool {

/// Makes codecs of a kind; empty for CodecId::None. Unsupported where the tool was built without it.
Result<std::function<std::unique_ptr<heightfield::BlockCodec>()>> codecMaker(heightfield::CodecId id);

/// What packages are compressed with unless said otherwise: the best codec there is.
heightfield::CodecId defaultCodec();

}  // namespace karst::tool
