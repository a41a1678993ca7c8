#include "npy_header.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "message.h"
#include "sidecar.h"

namespace karst::importer {
namespace {

/// Walks the header's Python literal, e.g. {'descr': '<i2', 'fortran_order': False, 'shape': (344, 403), }.
class Literal {
  public:
    explicit Literal(std::string_view text) : m_text(text) {}

    bool take(char c) {
        blanks();
        if (m_at >= m_text.size() || m_text[m_at] != c) return false;
        ++m_at;
        return true;
    }
    bool word(std::string_view expected) {
        blanks();
        if (!m_text.substr(m_at).starts_with(expected)) return false;
        m_at += expected.size();
        return true;
    }
    std::optional<std::string_view> quoted() {
        blanks();
        if (m_at >= m_text.size() || (m_text[m_at] != '\'' && m_text[m_at] != '"')) return std::nullopt;
        const std::size_t end = m_text.find(m_text[m_at], m_at + 1);
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view out = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return out;
    }
    std::optional<std::uint64_t> number() {
        blanks();
        std::uint64_t value = 0;
        const std::size_t from = m_at;
        while (m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9') {
            if (value > std::numeric_limits<std::uint64_t>::max() / 10 - 1) return std::nullopt;
            value = value * 10 + static_cast<std::uint64_t>(m_text[m_at++] - '0');
        }
        if (m_at == from) return std::nullopt;
        take('L');  // Python 2 wrote long numbers so
        return value;
    }
    bool atEnd() {
        blanks();
        return m_at == m_text.size();
    }

  private:
    void blanks() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t'))
            ++m_at;
    }
    std::string_view m_text;
    std::size_t m_at = 0;
};

/// False where the literal is not what numpy writes. Leaves `descr` empty for a structure's list.
bool parseLiteral(std::string_view text, NpyHeader& header, std::string& descr) {
    Literal literal(text);
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!literal.take('{')) return false;
    while (!literal.take('}')) {
        const auto key = literal.quoted();
        if (!key || !literal.take(':')) return false;
        if (*key == "descr" && !hasDescr) {
            const auto value = literal.quoted();
            if (!value) {
                descr.clear();
                return literal.take('[');
            }
            descr = *value;
            hasDescr = true;
        } else if (*key == "fortran_order" && !hasOrder) {
            header.fortranOrder = literal.word("True");
            if (!header.fortranOrder && !literal.word("False")) return false;
            hasOrder = true;
        } else if (*key == "shape" && !hasShape) {
            if (!literal.take('(')) return false;
            while (!literal.take(')')) {
                const auto side = literal.number();
                if (!side || header.shape.size() >= 32) return false;
                header.shape.push_back(*side);
                if (literal.take(',')) continue;
                if (!literal.take(')')) return false;
                break;
            }
            hasShape = true;
        } else {
            return false;
        }
        if (literal.take(',')) continue;
        if (!literal.take('}')) return false;
        break;
    }
    return hasDescr && hasOrder && hasShape && literal.atEnd();
}

}  // namespace

Result<NpyHeader> readNpyHeader(ByteFile& bytes, const std::string& name) {
    std::array<std::byte, 12> start{};
    const auto have = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), start.size()));
    const auto read = bytes.read(0, std::span(start.data(), have));
    if (!read) return read.error();
    constexpr std::array<unsigned char, 6> kMagic{0x93, 'N', 'U', 'M', 'P', 'Y'};
    const bool magic =
        have >= 10 && std::equal(kMagic.begin(), kMagic.end(), start.begin(),
                                 [](unsigned char a, std::byte b) { return std::byte{a} == b; });
    const int version = static_cast<int>(start[6]);
    if (!magic || version < 1 || version > 3 || (version > 1 && have < 12)) {
        return makeError(ErrorCode::CorruptData,
                         "%s: no .npy of version 1 to 3; save it again with numpy.save", name.c_str());
    }
    ByteReader reader(std::span<const std::byte>(start).subspan(8));
    const std::uint32_t length = version == 1 ? reader.u16() : reader.u32();
    const std::uint64_t headerAt = version == 1 ? 10 : 12;
    constexpr std::uint32_t kMostHeader = 1 << 16;
    if (length > kMostHeader || length > bytes.size() - headerAt) {
        return makeError(ErrorCode::CorruptData, "%s: a header of %u bytes in a file of %llu", name.c_str(),
                         length, static_cast<unsigned long long>(bytes.size()));
    }
    std::string text(length, '\0');
    const auto body = bytes.read(headerAt, std::as_writable_bytes(std::span(text)));
    if (!body) return body.error();

    NpyHeader header;
    header.dataOffset = headerAt + length;
    std::string descr;
    if (!parseLiteral(text, header, descr)) {
        return makeError(ErrorCode::CorruptData,
                         "%s: the header '%s' is not numpy's; save it again with numpy.save", name.c_str(),
                         shown(text).c_str());
    }
    const auto type = sampleTypeFromName(descr);
    if (!type) {
        return makeError(
            ErrorCode::Unsupported,
            "%s: elements of type '%s' are no heights; save the array as an integer or a float type",
            name.c_str(), descr.empty() ? "structure" : shown(descr).c_str());
    }
    header.type = *type;
    header.order = descr[0] == '>' ? ByteOrder::Big : ByteOrder::Little;

    // The shape against the file, without a product that could wrap.
    std::uint64_t room = (bytes.size() - header.dataOffset) / static_cast<std::uint64_t>(sampleBytes(*type));
    bool empty = false;
    for (const std::uint64_t side : header.shape)
        empty = empty || side == 0;
    for (const std::uint64_t side : header.shape) {
        if (!empty) room /= side;
    }
    if (room == 0 && !empty) {
        return makeError(ErrorCode::CorruptData,
                         "%s: an array of %s %s needs more than the file's %llu bytes; save it again with "
                         "numpy.save",
                         name.c_str(), shapeText(header).c_str(), std::string(toString(*type)).c_str(),
                         static_cast<unsigned long long>(bytes.size()));
    }
    return header;
}

std::string shapeText(const NpyHeader& header) {
    std::string text;
    for (const std::uint64_t side : header.shape) {
        if (!text.empty()) text += " x ";
        text += std::to_string(side);
    }
    return text.empty() ? "(a single number)" : text;
}

Result<double> npyNumber(ByteFile& bytes, const NpyHeader& header, std::uint64_t index) {
    std::array<std::byte, 8> raw{};
    const auto size = static_cast<std::size_t>(sampleBytes(header.type));
    const auto read = bytes.read(header.dataOffset + index * size, std::span(raw.data(), size));
    if (!read) return read.error();
    ByteReader reader(raw, header.order);
    switch (header.type) {
        case SampleType::UInt8:
            return static_cast<double>(reader.u8());
        case SampleType::Int8:
            return static_cast<double>(static_cast<std::int8_t>(reader.u8()));
        case SampleType::UInt16:
            return static_cast<double>(reader.u16());
        case SampleType::Int16:
            return static_cast<double>(reader.i16());
        case SampleType::UInt32:
            return static_cast<double>(reader.u32());
        case SampleType::Int32:
            return static_cast<double>(reader.i32());
        case SampleType::UInt64:
            return static_cast<double>(reader.u64());
        case SampleType::Int64:
            return static_cast<double>(static_cast<std::int64_t>(reader.u64()));
        case SampleType::Float32:
            return double{reader.f32()};
        case SampleType::Float64:
            return reader.f64();
        case SampleType::Float16:
            break;
    }
    return makeError(ErrorCode::Unsupported, "a float16 where a coordinate is wanted");
}

}  // namespace karst::importer
