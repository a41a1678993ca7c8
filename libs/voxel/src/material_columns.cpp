#include "material_columns.h"

#include "bit_stream.h"
#include "chunk_planes.h"

#include <array>
#include <cstring>

namespace karst::voxel {
namespace {

/// Where a column's material changes: how far below its top, ascending, and to which entry of the palette.
struct Change {
    std::uint8_t depth = 0;
    std::uint8_t entry = 0;
    bool operator==(const Change&) const = default;
};
struct ChangeList {
    int size = 0;
    std::array<Change, kChunkSize> changes;
};

int indexBits(std::size_t paletteSize) {
    int bits = 0;
    while ((std::size_t{1} << bits) < paletteSize)
        ++bits;
    return bits;
}

std::array<std::uint8_t, 256> entriesOf(std::span<const std::uint8_t> palette) {
    std::array<std::uint8_t, 256> entries{};
    for (std::size_t i = 0; i < palette.size(); ++i)
        entries[palette[i]] = static_cast<std::uint8_t>(i);
    return entries;
}

// Whether `list`, begun at the top of a column, gives the column's materials.
bool fits(const ChangeList& list, const std::uint8_t* materials, const std::uint8_t* occupancy, int column,
          int top, std::span<const std::uint8_t> palette) {
    std::uint8_t material = palette[0];
    int next = 0;
    for (int depth = 0; depth <= top; ++depth) {
        if (next < list.size && list.changes[static_cast<std::size_t>(next)].depth == depth)
            material = palette[list.changes[static_cast<std::size_t>(next++)].entry];
        const int cell = (top - depth) * kLayerCells + column;
        if (occupancy[cell] != 0 && materials[cell] != material) return false;
    }
    return true;
}

Error wrong(const BitReader& in, std::size_t offset, std::size_t size, const char* what) {
    if (in.overrun()) {
        return makeError(ErrorCode::CorruptData, "chunk: materials end early at offset %zu", offset + size);
    }
    return makeError(ErrorCode::CorruptData, "chunk: materials at offset %zu: %s", offset + in.position(),
                     what);
}

}  // namespace

void encodeColumns(const std::uint8_t* materials, const std::uint8_t* occupancy, const std::uint8_t* tops,
                   std::span<const std::uint8_t> palette, std::vector<std::byte>& out) {
    const auto entries = entriesOf(palette);
    const int bits = indexBits(palette.size());
    // The list of each column of the row before (z - 1), and of the column before.
    std::array<ChangeList, kChunkSize> rowBefore;
    ChangeList before;
    BitWriter writer(out);
    for (int column = 0; column < kLayerCells; ++column) {
        const int top = tops[column];
        ChangeList& north = rowBefore[static_cast<std::size_t>(column % kChunkSize)];
        if (top == 255) {
            north = before;
            continue;
        }
        if (fits(before, materials, occupancy, column, top, palette)) {
            writer.put(1, 1);
            north = before;
            continue;
        }
        if (fits(north, materials, occupancy, column, top, palette)) {
            writer.put(2, 2);
            before = north;
            continue;
        }
        before.size = 0;
        std::uint8_t material = palette[0];
        for (int depth = 0; depth <= top; ++depth) {
            const int cell = (top - depth) * kLayerCells + column;
            if (occupancy[cell] == 0 || materials[cell] == material) continue;
            material = materials[cell];
            before.changes[static_cast<std::size_t>(before.size++)] = {static_cast<std::uint8_t>(depth),
                                                                       entries[material]};
        }
        writer.put(0, 2);
        writer.put(static_cast<std::uint32_t>(before.size), 6);
        for (int i = 0; i < before.size; ++i) {
            writer.put(before.changes[static_cast<std::size_t>(i)].depth, 5);
            writer.put(before.changes[static_cast<std::size_t>(i)].entry, bits);
        }
        north = before;
    }
    writer.finish();
}

Result<void> decodeColumns(std::span<const std::byte> bytes, std::size_t offset, const std::uint8_t* tops,
                           std::span<const std::uint8_t> palette, std::uint8_t* changes) {
    const int bits = indexBits(palette.size());
    std::memset(changes, 0, kChunkCellCount);
    // Lists are kept in turn and named by their place; the first is the one without a change.
    std::array<ChangeList, kChunkSize + 2> lists;
    std::array<std::uint8_t, kChunkSize> rowBefore{};
    std::array<std::uint8_t, kChunkSize + 2> users{};
    users[0] = kChunkSize + 1;
    std::uint8_t before = 0;
    BitReader in(bytes);
    for (int column = 0; column < kLayerCells; ++column) {
        const int top = tops[column];
        std::uint8_t& north = rowBefore[static_cast<std::size_t>(column % kChunkSize)];
        if (top != 255) {
            in.fill();
            if (in.take(1) != 0) {
                // The list of the column before.
            } else if (in.take(1) != 0) {
                --users[before];
                before = north;
                ++users[before];
            } else {
                // At most 33 lists are in use, so one is free.
                std::uint8_t unused = 0;
                while (users[unused] != 0)
                    ++unused;
                --users[before];
                before = unused;
                ++users[before];
                ChangeList& list = lists[before];
                list.size = static_cast<int>(in.take(6));
                if (list.size > kChunkSize)
                    return wrong(in, offset, bytes.size(), "more than 32 changes in a column");
                int last = -1;
                for (int i = 0; i < list.size; ++i) {
                    in.fill();
                    const auto depth = static_cast<int>(in.take(5));
                    const std::uint32_t entry = in.take(bits);
                    if (depth <= last) return wrong(in, offset, bytes.size(), "depths that do not ascend");
                    if (entry >= palette.size())
                        return wrong(in, offset, bytes.size(), "no such palette entry");
                    last = depth;
                    list.changes[static_cast<std::size_t>(i)] = {static_cast<std::uint8_t>(depth),
                                                                 static_cast<std::uint8_t>(entry)};
                }
            }
            const ChangeList& list = lists[before];
            for (int i = 0; i < list.size; ++i) {
                const Change change = list.changes[static_cast<std::size_t>(i)];
                if (change.depth > top) break;
                changes[(top - change.depth) * kLayerCells + column] = palette[change.entry];
            }
        }
        --users[north];
        north = before;
        ++users[north];
    }
    if (in.overrun() || !in.atEnd()) return wrong(in, offset, bytes.size(), "bytes after their end");
    return {};
}

void encodePacked(const std::uint8_t* materials, const std::uint8_t* occupancy,
                  std::span<const std::uint8_t> palette, std::vector<std::byte>& out) {
    const auto entries = entriesOf(palette);
    const int bits = indexBits(palette.size());
    BitWriter writer(out);
    for (int i = 0; i < kChunkCellCount; ++i) {
        if (occupancy[i] != 0) writer.put(entries[materials[i]], bits);
    }
    writer.finish();
}

Result<void> decodePacked(std::span<const std::byte> bytes, std::size_t offset, const std::uint8_t* occupancy,
                          std::span<const std::uint8_t> palette, std::uint8_t* changes) {
    const int bits = indexBits(palette.size());
    std::memset(changes, 0, kChunkCellCount);
    BitReader in(bytes);
    for (int i = 0; i < kChunkCellCount; ++i) {
        if (occupancy[i] == 0) continue;
        const std::uint32_t entry = in.read(bits);
        if (entry >= palette.size()) return wrong(in, offset, bytes.size(), "no such palette entry");
        changes[i] = palette[entry];
    }
    if (in.overrun() || !in.atEnd()) return wrong(in, offset, bytes.size(), "bytes after their end");
    return {};
}

}  // namespace karst::voxel
