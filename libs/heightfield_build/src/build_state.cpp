#include "build_state.h"

#include <karst/base/hash.h>

#include "file_output.h"
#include "state_arrays.h"

namespace karst::heightfield {
namespace {

// State file: magic, version, mark, then whether the survey is whole, then the rest; a hash of all before it
// at the end.
constexpr std::uint32_t kStateMagic = 0x5342544b;  // "KTBS"
constexpr std::uint32_t kStateVersion = 2;

bool parseState(const BuildInput& input, const BuildOptions& options, std::uint64_t mark,
                std::span<const std::byte> bytes, BuildState& state) {
    if (bytes.size() < 24) return false;
    const std::span<const std::byte> body = bytes.first(bytes.size() - 8);
    ByteReader tail(bytes.last(8));
    if (Hasher().bytes(body.data(), body.size()).value() != tail.u64()) return false;
    ByteReader in(body);
    if (in.u32() != kStateMagic || in.u32() != kStateVersion || in.u64() != mark) return false;
    state.survey.heights.min = in.f32();
    state.survey.heights.max = in.f32();
    state.survey.voids = in.u64();
    state.survey.corners = CornerGrid(input.columns(), input.rows(), options.tileCells);
    if (!readArray(in, std::span(state.survey.corners.values()))) return false;
    state.nextRow = in.u32();
    state.rowBefore.resize(input.columns());
    return readArray(in, std::span(state.rowBefore)) && readArray(in, state.sink) &&
           readArray(in, state.production) && state.nextRow > 0 && state.nextRow < input.rows();
}

}  // namespace

Result<void> writeState(const std::filesystem::path& file, std::uint64_t mark, BuildState& state) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    out.u32(kStateMagic);
    out.u32(kStateVersion);
    out.u64(mark);
    out.f32(state.survey.heights.min);
    out.f32(state.survey.heights.max);
    out.u64(state.survey.voids);
    writeArray(out, std::span<const float>(state.survey.corners.values()));
    out.u32(state.nextRow);
    writeArray(out, std::span<const float>(state.rowBefore));
    writeArray(out, std::span<const std::byte>(state.sink));
    writeArray(out, std::span<const std::byte>(state.production));
    out.u64(Hasher().bytes(bytes.data(), bytes.size()).value());
    // Its hash tells a state that a power cut spoilt; then the build begins anew.
    return replaceFile(file, bytes, false);
}

bool readState(const BuildInput& input, const BuildOptions& options, std::uint64_t mark, BuildState& state,
               const Externals& externals) {
    if (!options.resume || options.stateFile.empty()) return false;
    const Result<std::vector<std::byte>> bytes = readWholeFile(options.stateFile);
    if (bytes && parseState(input, options, mark, *bytes, state)) return true;
    state = {};
    if (bytes || bytes.error().code != ErrorCode::NotFound) {
        const std::string name = options.stateFile.string();
        externals.log->write(LogLevel::Warning,
                             name + ": is damaged, or of another input or of other options: begins anew");
    }
    return false;
}

}  // namespace karst::heightfield
