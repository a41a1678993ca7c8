#include <karst/import/raster_info.h>

namespace karst::importer {

int sampleBytes(SampleType type) {
    switch (type) {
        case SampleType::UInt8:
        case SampleType::Int8:
            return 1;
        case SampleType::UInt16:
        case SampleType::Int16:
        case SampleType::Float16:
            return 2;
        case SampleType::UInt32:
        case SampleType::Int32:
        case SampleType::Float32:
            return 4;
        case SampleType::UInt64:
        case SampleType::Int64:
        case SampleType::Float64:
            return 8;
    }
    return 8;
}

std::string_view toString(SampleType type) {
    switch (type) {
        case SampleType::UInt8:
            return "uint8";
        case SampleType::Int8:
            return "int8";
        case SampleType::UInt16:
            return "uint16";
        case SampleType::Int16:
            return "int16";
        case SampleType::UInt32:
            return "uint32";
        case SampleType::Int32:
            return "int32";
        case SampleType::UInt64:
            return "uint64";
        case SampleType::Int64:
            return "int64";
        case SampleType::Float16:
            return "float16";
        case SampleType::Float32:
            return "float32";
        case SampleType::Float64:
            return "float64";
    }
    return "unknown";
}

std::string_view toString(SpacingFrom from) {
    switch (from) {
        case SpacingFrom::Assumed:
            return "assumed";
        case SpacingFrom::File:
            return "file";
        case SpacingFrom::Degrees:
            return "degrees";
        case SpacingFrom::Option:
            return "option";
    }
    return "unknown";
}

}  // namespace karst::importer
