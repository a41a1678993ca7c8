#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace karst {

/// The XXH64 checksum of bytes, as Yann Collet's specification defines it: the same on every machine, and the
/// value that the usual tools print. Finds damage; no protection against forgery.
std::uint64_t xxh64(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace karst
