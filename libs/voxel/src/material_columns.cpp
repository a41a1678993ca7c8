#include "material_columns.h"

#include "bit_stream.h"
#include "chunk_planes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace karst::voxel {
namespace {

/// Where a column's material changes: at a depth below the column's top or, absolute, at a level y; and to
/// which entry of the palette. One that lies outside of a column does nothing there.
struct Change {
    std::uint8_t place = 0;
    std::uint8_t entry = 0;
    bool absolute = false;

    int level(int top) const { return absolute ? (place <= top ? place : -1) : top - place; }
};
struct ChangeList {
    int size = 0;
    std::array<Change, kChunkSize> changes;
    std::span<const Change> span() const { return std::span(changes).first(static_cast<std::size_t>(size)); }
};

/// The lists that a column may take over, as the writer and the reader both keep them: each has a name, which
/// is used again once nothing holds it.
class ListBook {
  public:
    ListBook() {
        m_users[0] = kChunkSize + 1;  // the list without a change
        m_recent[0] = 0;
    }

    /// The list of the column before, that of the column north of `x`, then the others used last, newest
    /// first; none twice. Returns how many there are.
    std::size_t candidates(std::size_t x, std::array<std::uint8_t, 10>& names) const {
        std::size_t count = 0;
        names[count++] = m_recent[0];
        const std::uint8_t north = m_north[x];
        if (north != m_recent[0]) names[count++] = north;
        for (std::size_t i = 1; i < m_recentCount; ++i) {
            if (m_recent[i] != north) names[count++] = m_recent[i];
        }
        return count;
    }
    const ChangeList& list(std::uint8_t name) const { return m_lists[name]; }
    std::uint8_t before() const { return m_recent[0]; }
    std::uint8_t north(std::size_t x) const { return m_north[x]; }

    /// A new list to fill, held by nothing yet.
    std::uint8_t fresh() {
        std::uint8_t name = 0;
        while (m_users[name] != 0)
            ++name;
        return name;
    }
    ChangeList& edit(std::uint8_t name) { return m_lists[name]; }

    /// Column `x` of the row takes `name`.
    void use(std::size_t x, std::uint8_t name) {
        if (name != m_recent[0]) {
            std::size_t at = 0;
            while (at < m_recentCount && m_recent[at] != name)
                ++at;
            if (at == m_recentCount) {
                ++m_users[name];
                if (m_recentCount < kRecent) {
                    ++m_recentCount;
                } else {
                    --m_users[m_recent[--at]];
                }
            }
            for (; at > 0; --at)
                m_recent[at] = m_recent[at - 1];
            m_recent[0] = name;
        }
        ++m_users[name];
        --m_users[m_north[x]];
        m_north[x] = name;
    }

  private:
    static constexpr std::size_t kRecent = 8, kNames = kChunkSize + kRecent + 1;
    std::array<ChangeList, kNames> m_lists;
    std::array<std::uint8_t, kNames> m_users{};
    std::array<std::uint8_t, kChunkSize> m_north{};
    std::array<std::uint8_t, kRecent> m_recent{};
    std::size_t m_recentCount = 1;
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

struct Column {
    const std::uint8_t* materials;  // those of y are at y * kLayerCells
    std::uint32_t filled, changed;  // see columnBits()
    int top;
};

// Whether `list` gives the materials of a column without air in it. Of two changes at one level both must be
// right, which asks too much, but is quick.
bool fitsFull(const ChangeList& list, const Column& column, std::span<const std::uint8_t> palette) {
    std::uint32_t levels = 0;
    for (const Change& change : list.span()) {
        const int level = change.level(column.top);
        if (level < 0) continue;
        if (column.materials[level * kLayerCells] != palette[change.entry]) return false;
        levels |= 1u << level;
    }
    return (column.changed & ~levels) == 0;
}

// Whether `list` gives the column's materials.
bool fits(const ChangeList& list, const Column& column, std::span<const std::uint8_t> palette) {
    if ((column.filled & (column.filled + 1)) == 0) return fitsFull(list, column, palette);
    // Going down, a segment of one material ends above each level with a change.
    std::array<std::uint8_t, kChunkSize> entries;
    std::uint32_t levels = 0;
    for (const Change& change : list.span()) {
        const int level = change.level(column.top);
        if (level < 0) continue;
        entries[static_cast<std::size_t>(level)] = change.entry;
        levels |= 1u << level;
    }
    std::uint8_t material = palette[0];
    std::uint32_t below = ~0u;  // cells that are not looked at yet
    for (;;) {
        const int next = levels == 0 ? -1 : 31 - __builtin_clz(levels);
        const std::uint32_t rest = next < 0 ? 0u : (2u << next) - 1;
        const std::uint32_t segment = column.filled & below & ~rest;
        if (segment != 0) {
            const int highest = 31 - __builtin_clz(segment);
            if (column.materials[highest * kLayerCells] != material) return false;
            if ((column.changed & segment & ((1u << highest) - 1)) != 0) return false;
        }
        if (next < 0) return true;
        material = palette[entries[static_cast<std::size_t>(next)]];
        levels ^= 1u << next;
        below = rest;
    }
}

// Whether a change to `entry` at `level` of a column follows the levels, not the column's top, by what it is
// in two columns beside it.
bool followsLevel(std::uint8_t entry, int level, int top, const ChangeList& before, int topBefore,
                  const ChangeList& north, int topNorth) {
    for (const ChangeList* list : {&before, &north}) {
        for (const Change& change : list->span()) {
            if (change.entry == entry && change.level(top) == level) return change.absolute;
        }
    }
    for (const auto& [list, listTop] : {std::pair(&before, topBefore), std::pair(&north, topNorth)}) {
        for (const Change& change : list->span()) {
            if (change.entry == entry && change.level(listTop) == level) return true;
        }
    }
    return false;
}

const char* readList(BitReader& in, int bits, std::size_t paletteSize, ChangeList& list) {
    list.size = static_cast<int>(in.take(6));
    if (list.size > kChunkSize) return "more than 32 changes in a column";
    for (std::size_t i = 0; i < static_cast<std::size_t>(list.size); ++i) {
        in.fill();
        Change& change = list.changes[i];
        change.absolute = in.take(1) != 0;
        change.place = static_cast<std::uint8_t>(in.take(5));
        const std::uint32_t entry = in.take(bits);
        if (entry >= paletteSize) return "no such palette entry";
        change.entry = static_cast<std::uint8_t>(entry);
    }
    return nullptr;
}

Error wrong(const BitReader& in, std::size_t offset, std::size_t size, const char* what) {
    if (in.overrun()) {
        return makeError(ErrorCode::CorruptData, "chunk: materials end early at offset %zu", offset + size);
    }
    return makeError(ErrorCode::CorruptData, "chunk: materials at offset %zu: %s", offset + in.position(),
                     what);
}

}  // namespace

bool encodeColumns(const std::uint8_t* materials, const std::uint8_t* occupancy, const std::uint8_t* tops,
                   std::span<const std::uint8_t> palette, std::size_t mostBytes,
                   std::vector<std::byte>& out) {
    std::array<std::uint32_t, kLayerCells> filled, changed;
    columnBits<ByteLanes>(materials, occupancy, palette[0], filled.data(), changed.data());
    const auto entries = entriesOf(palette);
    const int bits = indexBits(palette.size());
    ListBook book;
    int topBefore = 0;
    // One column takes 10 + 6 + 32 * 14 bits at most.
    BitWriter writer(out, mostBytes + 64);
    for (std::size_t i = 0; i < kLayerCells; ++i) {
        const Column column{materials + i, filled[i], changed[i], tops[i]};
        const std::size_t x = i % kChunkSize;
        if (column.filled == 0) {
            book.use(x, book.before());
            continue;
        }
        std::array<std::uint8_t, 10> names;
        std::size_t count = 1, rank = 0;
        if (!fits(book.list(book.before()), column, palette)) {
            count = book.candidates(x, names);
            rank = 1;
            while (rank < count && !fits(book.list(names[rank]), column, palette))
                ++rank;
        } else {
            names[0] = book.before();
        }
        if (rank < count) {
            writer.put(1u << rank, static_cast<int>(rank) + 1);
        } else {
            writer.put(0, static_cast<int>(count));
            const ChangeList& before = book.list(book.before());
            const ChangeList& north = book.list(book.north(x));
            names[rank] = book.fresh();
            ChangeList& list = book.edit(names[rank]);
            list.size = 0;
            writer.put(static_cast<std::uint32_t>(__builtin_popcount(column.changed)), 6);
            for (std::uint32_t left = column.changed; left != 0;) {
                const int level = 31 - __builtin_clz(left);
                left ^= 1u << level;
                Change change;
                change.entry = entries[column.materials[level * kLayerCells]];
                change.absolute = followsLevel(change.entry, level, column.top, before, topBefore, north,
                                               i < kChunkSize ? 0 : tops[i - kChunkSize]);
                change.place = static_cast<std::uint8_t>(change.absolute ? level : column.top - level);
                writer.put(change.absolute ? 1 : 0, 1);
                writer.put(change.place, 5);
                writer.put(change.entry, bits);
                list.changes[static_cast<std::size_t>(list.size++)] = change;
            }
        }
        if (writer.size() > mostBytes) return false;
        topBefore = column.top;
        book.use(x, names[rank]);
    }
    writer.finish();
    return writer.size() <= mostBytes;
}

Result<void> decodeColumns(std::span<const std::byte> bytes, std::size_t offset, const std::uint8_t* tops,
                           std::span<const std::uint8_t> palette, std::uint8_t* changes) {
    const int bits = indexBits(palette.size());
    std::memset(changes, 0, kChunkCellCount);
    ListBook book;
    BitReader in(bytes);
    for (std::size_t i = 0; i < kLayerCells; ++i) {
        const int top = tops[i];
        const std::size_t x = i % kChunkSize;
        std::uint8_t name = book.before();
        if (top != 255) {
            in.fill();
            if (in.take(1) == 0) {
                std::array<std::uint8_t, 10> names;
                const std::size_t count = book.candidates(x, names);
                std::size_t rank = 1;
                while (rank < count && in.take(1) == 0)
                    ++rank;
                name = rank < count ? names[rank] : book.fresh();
                if (rank == count) {
                    if (const char* fault = readList(in, bits, palette.size(), book.edit(name)))
                        return wrong(in, offset, bytes.size(), fault);
                }
            }
            for (const Change& change : book.list(name).span()) {
                if (const int level = change.level(top); level >= 0)
                    changes[static_cast<std::size_t>(level) * kLayerCells + i] = palette[change.entry];
            }
        }
        book.use(x, name);
    }
    if (in.overrun()) return wrong(in, offset, bytes.size(), "");
    if (const char* fault = in.endFault()) return wrong(in, offset, bytes.size(), fault);
    return {};
}

std::size_t packedBytes(const std::uint8_t* occupancy, std::size_t paletteSize) {
    return static_cast<std::size_t>(countNonzero<ByteLanes>(occupancy) * indexBits(paletteSize) + 7) / 8;
}

void encodePacked(const std::uint8_t* materials, const std::uint8_t* occupancy,
                  std::span<const std::uint8_t> palette, std::vector<std::byte>& out) {
    const auto entries = entriesOf(palette);
    const int bits = indexBits(palette.size());
    BitWriter writer(out, packedBytes(occupancy, palette.size()));
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
    if (in.overrun()) return wrong(in, offset, bytes.size(), "");
    if (const char* fault = in.endFault()) return wrong(in, offset, bytes.size(), fault);
    return {};
}

}  // namespace karst::voxel
