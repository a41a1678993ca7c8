#pragma once

#include <karst/heightfield/block_codec.h>

#include <algorithm>
#include <memory>

namespace karst::heightfield::test_data {

/// Runs of equal bytes: simple enough to be right, and it fails on anything but the exact size. Stands in for
/// zstd.
class RunCodec final : public BlockCodec {
  public:
    CodecId id() const override { return CodecId::Zstd; }
    std::size_t compressBound(std::size_t rawSize) const override { return rawSize * 2; }
    Result<std::size_t> compress(std::span<const std::byte> raw, std::size_t,
                                 std::span<std::byte> out) override {
        std::size_t size = 0;
        for (std::size_t i = 0; i < raw.size();) {
            std::size_t run = 1;
            while (run < 255 && i + run < raw.size() && raw[i + run] == raw[i])
                ++run;
            out[size++] = static_cast<std::byte>(run);
            out[size++] = raw[i];
            i += run;
        }
        return size;
    }
    Result<void> decompress(std::span<const std::byte> stored, std::span<std::byte> raw) override {
        std::size_t at = 0;
        for (std::size_t i = 0; i + 1 < stored.size(); i += 2) {
            const auto run = std::to_integer<std::size_t>(stored[i]);
            if (run > raw.size() - at) return makeError(ErrorCode::CorruptData, "runs: too many bytes");
            std::fill_n(raw.begin() + static_cast<std::ptrdiff_t>(at), run, stored[i + 1]);
            at += run;
        }
        if (at != raw.size() || stored.size() % 2 != 0) {
            return makeError(ErrorCode::CorruptData, "runs: too few bytes");
        }
        return {};
    }
};

inline std::unique_ptr<BlockCodec> makeRunCodec() {
    return std::make_unique<RunCodec>();
}

}  // namespace karst::heightfield::test_data
