#include "package_codecs.h"

#ifdef KARST_HAVE_ZSTD
#include <karst/heightfield_zstd/zstd_codec.h>
#endif

namespace karst::tool {

using heightfield::BlockCodec;
using heightfield::CodecId;

Result<std::function<std::unique_ptr<BlockCodec>()>> codecMaker(CodecId id) {
    using Maker = std::function<std::unique_ptr<BlockCodec>()>;
    if (id == CodecId::None) return Maker();
#ifdef KARST_HAVE_ZSTD
    if (id == CodecId::Zstd) return Maker([] { return heightfield::makeZstdCodec(); });
#endif
    return makeError(ErrorCode::Unsupported, "this karst was built without the codec %s",
                     std::string(codecName(id)).c_str());
}

CodecId defaultCodec() {
#ifdef KARST_HAVE_ZSTD
    return CodecId::Zstd;
#else
    return CodecId::None;
#endif
}

}  // namespace karst::tool
