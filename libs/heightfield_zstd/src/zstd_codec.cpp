#include <karst/heightfield_zstd/zstd_codec.h>

#include <zstd.h>

#include <algorithm>

namespace karst::heightfield {
namespace {

struct FreeCompress {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompress {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdCodec final : public BlockCodec {
  public:
    explicit ZstdCodec(int level) : m_level(level) {}

    CodecId id() const override { return CodecId::Zstd; }

    std::size_t compressBound(std::size_t rawSize) const override { return ZSTD_compressBound(rawSize); }

    Result<std::size_t> compress(std::span<const std::byte> raw, std::span<std::byte> out) override {
        if (m_compress == nullptr) m_compress.reset(ZSTD_createCCtx());
        if (m_compress == nullptr) return makeError(ErrorCode::TooLarge, "zstd: no memory to compress");
        const std::size_t size =
            ZSTD_compressCCtx(m_compress.get(), out.data(), out.size(), raw.data(), raw.size(), m_level);
        if (ZSTD_isError(size) != 0) {
            return makeError(ErrorCode::Io, "zstd: compressing %zu bytes: %s", raw.size(),
                             ZSTD_getErrorName(size));
        }
        return size;
    }

    Result<void> decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
        if (m_decompress == nullptr) m_decompress.reset(ZSTD_createDCtx());
        if (m_decompress == nullptr) return makeError(ErrorCode::TooLarge, "zstd: no memory to decompress");
        // Into the caller's buffer at once, so no window is allocated and nothing is written past it.
        const std::size_t size =
            ZSTD_decompressDCtx(m_decompress.get(), raw.data(), raw.size(), stored.data(), stored.size());
        if (ZSTD_isError(size) != 0)
            return makeError(ErrorCode::CorruptData, "zstd: %s", ZSTD_getErrorName(size));
        if (size != raw.size()) {
            return makeError(ErrorCode::CorruptData, "zstd: %zu bytes came out instead of %zu", size,
                             raw.size());
        }
        return {};
    }

  private:
    int m_level;
    std::unique_ptr<ZSTD_CCtx, FreeCompress> m_compress;
    std::unique_ptr<ZSTD_DCtx, FreeDecompress> m_decompress;
};

}  // namespace

std::unique_ptr<BlockCodec> makeZstdCodec(int level) {
    return std::make_unique<ZstdCodec>(std::clamp(level, 1, 19));
}

}  // namespace karst::heightfield
