#pragma once

#include <karst/base/result.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace karst::heightfield {

/// How a tile block's payload is stored; the numbers stand in files.
enum class CodecId : std::uint8_t { None = 0, Zstd = 1 };

/// As terrain.json names it: "none", "zstd".
std::string_view codecName(CodecId id);
std::optional<CodecId> codecFromName(std::string_view name);

/// Compresses one tile's payload at a time. The part heightfield has none of its own; heightfield_zstd brings
/// one. Where a BlockCodec pointer is taken, null stands for CodecId::None.
///
/// Threads: one at a time (it keeps working memory); one codec per thread.
class BlockCodec {
  public:
    virtual ~BlockCodec() = default;

    virtual CodecId id() const = 0;

    /// Bytes that compress() may need for `rawSize` bytes.
    virtual std::size_t compressBound(std::size_t rawSize) const = 0;

    /// Compresses into `out`, which has compressBound(raw.size()) bytes or more; gives how many were written.
    /// The same input gives the same bytes. `split` is a hint: the bytes before and after it are of unlike
    /// kinds, so that statistics of their own serve each better; 0 or raw.size() for none.
    virtual Result<std::size_t> compress(std::span<const std::byte> raw, std::size_t split,
                                         std::span<std::byte> out) = 0;

    /// Fills `raw` completely from bytes that nobody vouches for. Anything but exactly raw.size() bytes is
    /// CorruptData; never writes past `raw`, and takes no memory that depends on what `stored` claims.
    virtual Result<void> decompress(std::span<const std::byte> stored, std::span<std::byte> raw) = 0;
};

}  // namespace karst::heightfield
