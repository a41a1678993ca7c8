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

    // One block more than zstd itself would make.
    std::size_t compressBound(std::size_t rawSize) const override { return ZSTD_compressBound(rawSize) + 64; }

    Result<std::size_t> compress(std::span<const std::byte> raw, std::size_t split,
                                 std::span<std::byte> out) override {
        if (m_compress == nullptr) {
            m_compress.reset(ZSTD_createCCtx());
            if (m_compress == nullptr) return makeError(ErrorCode::TooLarge, "zstd: no memory to compress");
            ZSTD_CCtx_setParameter(m_compress.get(), ZSTD_c_compressionLevel, m_level);
        }
        ZSTD_CCtx* context = m_compress.get();
        ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
        ZSTD_CCtx_setPledgedSrcSize(context, raw.size());
        ZSTD_outBuffer output{out.data(), out.size(), 0};
        ZSTD_inBuffer input{raw.data(), 0, 0};
        // A flush ends a block, and each block has its own Huffman table.
        std::size_t left = 0;
        if (split > 0 && split < raw.size()) {
            input.size = split;
            left = ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush);
        }
        if (left == 0) {
            input.size = raw.size();
            left = ZSTD_compressStream2(context, &output, &input, ZSTD_e_end);
        }
        if (left != 0) {
            return makeError(ErrorCode::Io, "zstd: compressing %zu bytes: %s", raw.size(),
                             ZSTD_isError(left) != 0 ? ZSTD_getErrorName(left) : "too little room");
        }
        return output.pos;
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
