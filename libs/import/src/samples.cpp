#include "samples.h"

#include <karst/base/math.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace karst::importer {
namespace {

constexpr float kVoid = std::numeric_limits<float>::quiet_NaN();

struct Half {
    std::uint16_t bits;
};

double halfToDouble(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    double value = 0;
    if (exponent == 31) {
        value = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
    } else if (exponent == 0) {
        value = std::ldexp(fraction, -24);
    } else {
        value = std::ldexp(fraction + 1024, exponent - 25);
    }
    return (bits & 0x8000) != 0 ? -value : value;
}

template <class T, bool swap>
T load(const std::byte* from) {
    T value;
    if constexpr (swap && sizeof(T) > 1) {
        std::byte turned[sizeof(T)];
        for (std::size_t i = 0; i < sizeof(T); ++i)
            turned[i] = from[sizeof(T) - 1 - i];
        std::memcpy(&value, turned, sizeof(T));
    } else {
        std::memcpy(&value, from, sizeof(T));
    }
    return value;
}

float finished(double value, const SampleRule& rule) {
    const double height = value * rule.scale + rule.offset;
    return std::abs(height) < kNoGround ? static_cast<float>(height) : kVoid;  // also false for NaN
}

template <class T, bool swap>
void decodeIntegers(const SampleRule& rule, const std::byte* from, std::size_t fromStride, std::size_t count,
                    float* to, std::size_t toStride) {
    // A marker that the type cannot hold marks nothing; cast to the type it could fall on a height. The upper
    // limit of 64-bit types is not a double, hence the half-open test.
    const double marker = rule.nodata.value_or(0.5);
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const bool marked = marker >= low && marker < high && std::floor(marker) == marker;
    const T nodata = marked ? static_cast<T>(marker) : T{0};
    const bool plain = rule.scale == 1 && rule.offset == 0;
    // Loops without a choice inside, for the usual files: compilers turn them into vector code.
    if (!marked && fromStride == sizeof(T) && toStride == 1) {
        if (plain) {
            for (std::size_t i = 0; i < count; ++i)
                to[i] = static_cast<float>(load<T, swap>(from + i * sizeof(T)));
        } else {
            for (std::size_t i = 0; i < count; ++i)
                to[i] = finished(static_cast<double>(load<T, swap>(from + i * sizeof(T))), rule);
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const T value = load<T, swap>(from + i * fromStride);
        float& height = to[i * toStride];
        if (marked && value == nodata) {
            height = kVoid;
        } else if (plain) {
            height = static_cast<float>(value);
        } else {
            height = finished(static_cast<double>(value), rule);
        }
    }
}

template <class T, bool swap>
void decodeFloats(const SampleRule& rule, const std::byte* from, std::size_t fromStride, std::size_t count,
                  float* to, std::size_t toStride) {
    // Compared in the samples' own type: a tag of "-9999.9" is a double, the samples are that rounded to T.
    const bool marked = rule.nodata && std::abs(*rule.nodata) < kNoGround;
    double nodata = rule.nodata.value_or(0);
    if constexpr (std::is_same_v<T, float>) {
        if (marked) nodata = double{static_cast<float>(nodata)};
    }
    if constexpr (std::is_same_v<T, float>) {
        // The usual file, in a loop that compilers turn into vector code.
        if (rule.scale == 1 && rule.offset == 0 && fromStride == sizeof(T) && toStride == 1) {
            constexpr float kMostGround = static_cast<float>(kNoGround);
            static_assert(double{kMostGround} < kNoGround, "the largest float below it");
            const float marker = marked ? static_cast<float>(nodata) : kVoid;  // NaN equals nothing
            for (std::size_t i = 0; i < count; ++i) {
                const float value = load<T, swap>(from + i * sizeof(T));
                to[i] = std::abs(value) <= kMostGround && !(value == marker) ? value : kVoid;
            }
            return;
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        double value = 0;
        if constexpr (std::is_same_v<T, Half>) {
            value = halfToDouble(load<std::uint16_t, swap>(from + i * fromStride));
        } else {
            value = double{load<T, swap>(from + i * fromStride)};
        }
        const bool isVoid = !(std::abs(value) < kNoGround) || (marked && value == nodata);
        to[i * toStride] = isVoid ? kVoid : finished(value, rule);
    }
}

template <bool swap>
void decode(const SampleRule& rule, const std::byte* from, std::size_t fromStride, std::size_t count,
            float* to, std::size_t toStride) {
    switch (rule.type) {
        case SampleType::UInt8:
            return decodeIntegers<std::uint8_t, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::Int8:
            return decodeIntegers<std::int8_t, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::UInt16:
            return decodeIntegers<std::uint16_t, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::Int16:
            return decodeIntegers<std::int16_t, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::UInt32:
            return decodeIntegers<std::uint32_t, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::Int32:
            return decodeIntegers<std::int32_t, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::UInt64:
            return decodeIntegers<std::uint64_t, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::Int64:
            return decodeIntegers<std::int64_t, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::Float16:
            return decodeFloats<Half, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::Float32:
            return decodeFloats<float, swap>(rule, from, fromStride, count, to, toStride);
        case SampleType::Float64:
            return decodeFloats<double, swap>(rule, from, fromStride, count, to, toStride);
    }
}

}  // namespace

double heightStepOf(const SampleRule& rule) {
    switch (rule.type) {
        case SampleType::Float16:
        case SampleType::Float32:
        case SampleType::Float64:
            return 0;
        default:
            return std::abs(rule.scale);
    }
}

ByteOrder hostByteOrder() {
    return std::endian::native == std::endian::big ? ByteOrder::Big : ByteOrder::Little;
}

void decodeSamples(const SampleRule& rule, const std::byte* from, std::size_t fromStride, std::size_t count,
                   float* to, std::size_t toStride) {
    if (rule.order == hostByteOrder()) {
        decode<false>(rule, from, fromStride, count, to, toStride);
    } else {
        decode<true>(rule, from, fromStride, count, to, toStride);
    }
}

float heightOfNumber(const SampleRule& rule, double value) {
    // Text has no type; both sides are compared as the float that the height becomes.
    if (!(std::abs(value) < kNoGround)) return kVoid;
    if (rule.nodata && std::abs(*rule.nodata) < kNoGround &&
        static_cast<float>(value) == static_cast<float>(*rule.nodata)) {
        return kVoid;
    }
    return finished(value, rule);
}

Result<void> applyValueRange(SampleRule& rule, const std::optional<heightfield::HeightRange>& range,
                             const std::string& name) {
    if (!range) return {};
    if (!std::isfinite(range->min) || !std::isfinite(range->max)) {
        return makeError(ErrorCode::InvalidArgument, "%s: value range %g..%g must be finite", name.c_str(),
                         double{range->min}, double{range->max});
    }
    double full = 1;
    switch (rule.type) {
        case SampleType::UInt8:
        case SampleType::UInt16:
        case SampleType::UInt32:
        case SampleType::UInt64:
            full = std::ldexp(1.0, 8 * sampleBytes(rule.type)) - 1;
            break;
        case SampleType::Float16:
        case SampleType::Float32:
        case SampleType::Float64:
            break;
        default:
            return makeError(ErrorCode::Unsupported,
                             "%s: a value range maps unsigned or floating samples, these are %s; leave the "
                             "range out",
                             name.c_str(), std::string(toString(rule.type)).c_str());
    }
    rule.scale = (double{range->max} - double{range->min}) / full;
    rule.offset = range->min;
    return {};
}

}  // namespace karst::importer
