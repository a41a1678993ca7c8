#include <karst/base/byte_reader.h>
#include <karst/base/hash.h>
#include <karst/base/math.h>
#include <karst/heightfield/crater.h>

namespace karst::heightfield {
namespace {

// docs/formats/crater_log_v1.md
constexpr std::uint32_t kMagic = 0x4c43524b;  // "KRCL"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 16, kCraterBytes = 40, kHashBytes = 8;

void put(std::vector<std::byte>& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
        out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

std::uint64_t hashOf(std::span<const std::byte> bytes) {
    return Hasher().bytes(bytes.data(), bytes.size()).value();
}

}  // namespace

std::vector<std::byte> encodeCraters(std::span<const Crater> craters) {
    std::vector<std::byte> out;
    out.reserve(kHeaderBytes + craters.size() * kCraterBytes + kHashBytes);
    put(out, kMagic, 4);
    put(out, kVersion, 4);
    put(out, craters.size(), 8);
    for (const Crater& c : craters) {
        for (const double field : {c.x, c.z, c.radius, c.depth, c.rimHeight})
            put(out, bitCast<std::uint64_t>(field), 8);
    }
    put(out, hashOf(out), 8);
    return out;
}

Result<std::vector<Crater>> decodeCraters(std::span<const std::byte> bytes) {
    if (bytes.size() < kHeaderBytes + kHashBytes) {
        return makeError(ErrorCode::CorruptData, "crater log: %zu bytes are less than an empty log's %zu",
                         bytes.size(), kHeaderBytes + kHashBytes);
    }
    ByteReader reader(bytes);
    if (const std::uint32_t magic = reader.u32(); magic != kMagic) {
        return makeError(ErrorCode::CorruptData, "crater log: magic 0x%08x at offset 0 is not 0x%08x", magic,
                         kMagic);
    }
    if (const std::uint32_t version = reader.u32(); version != kVersion) {
        return makeError(ErrorCode::Unsupported, "crater log: version %u at offset 4 is not %u", version,
                         kVersion);
    }
    const std::uint64_t count = reader.u64();
    const std::size_t body = bytes.size() - kHeaderBytes - kHashBytes;
    if (body % kCraterBytes != 0 || count != body / kCraterBytes) {
        return makeError(ErrorCode::CorruptData,
                         "crater log: count %llu at offset 8 does not fit %zu bytes of craters",
                         static_cast<unsigned long long>(count), body);
    }
    std::vector<Crater> craters(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < craters.size(); ++i) {
        Crater& c = craters[i];
        for (double* field : {&c.x, &c.z, &c.radius, &c.depth, &c.rimHeight})
            *field = reader.f64();
        if (Result<void> valid = validate(c); !valid) {
            return makeError(ErrorCode::CorruptData, "crater log: crater %zu: %s", i,
                             valid.error().message.c_str());
        }
    }
    const std::size_t hashAt = reader.position();
    if (reader.u64() != hashOf(bytes.first(hashAt))) {
        return makeError(ErrorCode::CorruptData, "crater log: wrong hash at offset %zu", hashAt);
    }
    return craters;
}

}  // namespace karst::heightfield
