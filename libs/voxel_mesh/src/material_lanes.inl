// The loops of material_kernels.h, included once for each width, in a namespace of its own; see
// cube_lanes.inl.

using Int = std::int32_t __attribute__((vector_size(4 * KARST_LANES)));
using Word = std::uint32_t __attribute__((vector_size(4 * KARST_LANES)));
using Float = float __attribute__((vector_size(4 * KARST_LANES)));
using Bytes = std::uint8_t __attribute__((vector_size(4 * KARST_LANES)));

KARST_LANES_TARGET inline Bytes loadBytes(const std::uint8_t* p) {
    Bytes b;
    std::memcpy(&b, p, sizeof(b));
    return b;
}

KARST_LANES_TARGET inline Word loadWords(const std::uint32_t* p) {
    Word w;
    std::memcpy(&w, p, sizeof(w));
    return w;
}

template <int kIds>
KARST_LANES_TARGET inline bool paintWith(const std::uint8_t* samples, const std::uint8_t* materials,
                                         const Palette& palette, std::uint8_t* plane) {
    Bytes ids[kIds], marks[kIds];
    for (int k = 0; k < kIds; ++k) {
        const bool taken = k < palette.count;
        std::uint8_t copies[sizeof(Bytes)];
        std::memset(copies, palette.ids[taken ? k : 0], sizeof(copies));
        ids[k] = loadBytes(copies);
        std::memset(copies, taken ? 1 << k : 0, sizeof(copies));
        marks[k] = loadBytes(copies);
    }
    Bytes missing{};
    for (std::size_t i = 0; i < kPlanePart; i += sizeof(Bytes)) {
        const Bytes filled = (Bytes)(loadBytes(samples + i) != 0), material = loadBytes(materials + i);
        Bytes bits{};
        for (int k = 0; k < kIds; ++k)
            bits |= (Bytes)(material == ids[k]) & marks[k];
        bits &= filled;
        missing |= (Bytes)(bits == 0) & filled;
        std::memcpy(plane + i, &bits, sizeof(bits));
    }
    std::uint64_t words[sizeof(Bytes) / 8], any = 0;
    std::memcpy(words, &missing, sizeof(missing));
    for (const std::uint64_t word : words)
        any |= word;
    return any == 0;
}

// Paints kPlanePart samples; whether every material was in the palette.
KARST_LANES_TARGET bool paintPart(const std::uint8_t* samples, const std::uint8_t* materials,
                                  const Palette& palette, std::uint8_t* plane) {
    return palette.count > 4 ? paintWith<8>(samples, materials, palette, plane)
                             : paintWith<4>(samples, materials, palette, plane);
}

KARST_LANES_TARGET void computeWeightLanes(WeightBlock& block, std::size_t count) {
    for (std::size_t i = 0; i < count; i += KARST_LANES) {
        const Word set = loadWords(block.sets + i);
        Int sums[4], previous{};
        for (int k = 0; k < 4; ++k) {
            Word id = (set >> (8 * k)) & 255;
            id |= id << 8;
            id |= id << 16;
            Word pairs{};
            for (int half = 0; half < 2; ++half) {
                const Word same = (Word)((Bytes)loadWords(block.materials[half] + i) == (Bytes)id);
                const Word counted = same & loadWords(block.samples[half] + i);
                pairs += (counted & 0x00ff00ff) + ((counted >> 8) & 0x00ff00ff);
            }
            sums[k] = (Int)((pairs & 0xffff) + (pairs >> 16));
            // A place that repeats the one before it is not used.
            if (k > 0) sums[k] &= (Int)((Int)id != previous);
            previous = (Int)id;
        }
        Int total = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        total -= (Int)(total == 0);
        const Float divisor = __builtin_convertvector(total, Float);
        // The quotient of numbers this small is never rounded up to a whole one.
        Int weights[4], rest = total - total + 255, largest = sums[0];
        for (int k = 0; k < 4; ++k) {
            weights[k] =
                __builtin_convertvector(__builtin_convertvector(sums[k], Float) * 255.0f / divisor, Int);
            rest -= weights[k];
            const Int more = (Int)(sums[k] > largest);
            largest = (sums[k] & more) | (largest & ~more);
        }
        for (int k = 0; k < 4; ++k) {
            const Int takes = (Int)(sums[k] == largest);
            weights[k] += rest & takes;
            rest &= ~takes;
        }
        const Int packed = weights[0] | weights[1] << 8 | weights[2] << 16 | weights[3] << 24;
        std::memcpy(block.weights + i, &packed, sizeof(packed));
    }
}

KARST_LANES_TARGET std::size_t countBits(const std::uint64_t* used, std::size_t vertices) {
    std::size_t count = 0;
    for (std::size_t v = 0; v < vertices; ++v)
        count += static_cast<std::size_t>(__builtin_popcountll(used[v]));
    return count;
}

KARST_LANES_TARGET void writeTriangles(const SurfaceQuad* quads, const std::uint32_t* quadSets,
                                       std::size_t count, const std::uint64_t* used,
                                       const std::uint32_t* firstCopies, std::uint32_t* indices) {
    for (std::size_t q = 0; q < count; ++q, indices += 6) {
        const std::uint64_t before = (std::uint64_t{1} << quadSets[q]) - 1;
        std::uint32_t out[4];
        for (int k = 0; k < 4; ++k) {
            const std::uint32_t v = quads[q].vertices[k];
            out[k] = firstCopies[v] + static_cast<std::uint32_t>(__builtin_popcountll(used[v] & before));
        }
        indices[0] = indices[3] = out[0];
        indices[1] = out[1];
        indices[2] = indices[4] = out[2];
        indices[5] = out[3];
    }
}
