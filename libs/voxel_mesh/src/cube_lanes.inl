// The work on a block of cubes, written for vectors of KARST_LANES floats. Included once for each width, in a
// namespace of its own; KARST_LANES_TARGET is the attribute that lets the compiler use wider registers.

using Float = float __attribute__((vector_size(4 * KARST_LANES)));
using Word = std::uint32_t __attribute__((vector_size(4 * KARST_LANES)));
using Index = std::uint16_t __attribute__((vector_size(2 * KARST_LANES)));
using Int = std::int32_t __attribute__((vector_size(4 * KARST_LANES)));

KARST_LANES_TARGET inline Float toFloats(Int i) {
    return __builtin_convertvector(i, Float);
}

// Byte kByte of each lane; no byte above kLast is set.
template <int kByte, int kLast>
KARST_LANES_TARGET inline Float byteOf(Word words) {
    if constexpr (kByte < kLast)
        return toFloats((Int)((words >> (8 * kByte)) & 255));
    else
        return toFloats((Int)(words >> (8 * kByte)));
}

KARST_LANES_TARGET inline Float lerp(Float a, Float b, Float t) {
    return a + t * (b - a);
}

KARST_LANES_TARGET inline Float magnitude(Float f) {
    return (Float)((Int)f & 0x7fffffff);
}

// Adding a number between 128 and 256 leaves 16 bits of fraction.
KARST_LANES_TARGET inline Float quantised(Float f) {
    return (f + 192.0f) - 192.0f;
}

KARST_LANES_TARGET inline Word load(const std::uint32_t* p) {
    Word w;
    std::memcpy(&w, p, sizeof(w));
    return w;
}

// Where an edge crosses, as a part of its length from its lower end; 0 where it does not.
struct Crossing {
    Float at;
    Int mask;
};
KARST_LANES_TARGET inline Crossing crossing(Float low, Float high, Int counted) {
    const Int mask = (((Int)low ^ (Int)high) >> 31) & counted;
    const Float l = magnitude(low), h = magnitude(high);
    return {(Float)((Int)(l / (l + h)) & mask), mask};
}

KARST_LANES_TARGET inline Float squareRoots(Float f) {
#if defined(__x86_64__) && KARST_LANES == 8
    return (Float)_mm256_sqrt_ps((__m256)f);
#elif defined(__x86_64__)
    return (Float)_mm_sqrt_ps((__m128)f);
#else
    for (int k = 0; k < KARST_LANES; ++k)
        f[k] = std::sqrt(f[k]);
    return f;
#endif
}

KARST_LANES_TARGET inline void storeVectors(Vec3f* out, Float x, Float y, Float z) {
    // Each group of four lanes gives x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3.
    using Four = float __attribute__((vector_size(16)));
    Four parts[KARST_LANES / 4 * 3];
    for (int g = 0; g < KARST_LANES / 4; ++g) {
        Four a, b, c;
        std::memcpy(&a, reinterpret_cast<const char*>(&x) + 16 * g, 16);
        std::memcpy(&b, reinterpret_cast<const char*>(&y) + 16 * g, 16);
        std::memcpy(&c, reinterpret_cast<const char*>(&z) + 16 * g, 16);
        const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                   abHigh = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        const Four bc = __builtin_shufflevector(b, c, 1, 5, 3, 7);
        parts[3 * g] = __builtin_shufflevector(ab, c, 0, 1, 4, 2);
        parts[3 * g + 1] = __builtin_shufflevector(bc, abHigh, 0, 1, 4, 5);
        parts[3 * g + 2] =
            __builtin_shufflevector(__builtin_shufflevector(c, abHigh, 2, 6, 3, 7), bc, 0, 1, 6, 7);
    }
    std::memcpy(out, parts, sizeof(parts));
}

struct Vectors {
    Float x, y, z;
};

KARST_LANES_TARGET inline Float select(Int mask, Float yes, Float no) {
    return (Float)(((Int)yes & mask) | ((Int)no & ~mask));
}

// The negated gradient of the cube's trilinear interpolation. Corner k is at x = k & 1, z = k >> 1 & 1, y = k
// >> 2.
KARST_LANES_TARGET inline Vectors cubeGradient(const Float* c, Float u, Float v, Float w) {
    return {lerp(lerp(c[0] - c[1], c[2] - c[3], w), lerp(c[4] - c[5], c[6] - c[7], w), v),
            lerp(lerp(c[0] - c[4], c[1] - c[5], u), lerp(c[2] - c[6], c[3] - c[7], u), w),
            lerp(lerp(c[0] - c[2], c[1] - c[3], u), lerp(c[4] - c[6], c[5] - c[7], u), v)};
}

// Negated central differences of the corners' samples `f`: along their axis they are interpolated between the
// cube's two samples, then across.
KARST_LANES_TARGET inline Vectors centralGradient(const BlockRows& rows, std::size_t i, const Word* row,
                                                  const Float* f, Float u, Float v, Float w) {
    Float alongX[4], alongY[4], alongZ[4];
    for (int r = 0; r < 4; ++r)
        alongX[r] = lerp(byteOf<0, 3>(row[r]) - f[2 * r + 1], f[2 * r] - byteOf<3, 3>(row[r]), u);
    for (int s = 0; s < 2; ++s) {
        const Word below = load(rows.below[s] + i), above = load(rows.above[s] + i);
        alongY[2 * s] = lerp(byteOf<0, 1>(below) - f[2 * s + 4], f[2 * s] - byteOf<0, 1>(above), v);
        alongY[2 * s + 1] = lerp(byteOf<1, 1>(below) - f[2 * s + 5], f[2 * s + 1] - byteOf<1, 1>(above), v);
        const Word north = load(rows.north[s] + i), south = load(rows.south[s] + i);
        alongZ[2 * s] = lerp(byteOf<0, 1>(north) - f[4 * s + 2], f[4 * s] - byteOf<0, 1>(south), w);
        alongZ[2 * s + 1] = lerp(byteOf<1, 1>(north) - f[4 * s + 3], f[4 * s + 1] - byteOf<1, 1>(south), w);
    }
    return {0.5f * lerp(lerp(alongX[0], alongX[1], w), lerp(alongX[2], alongX[3], w), v),
            0.5f * lerp(lerp(alongY[0], alongY[1], u), lerp(alongY[2], alongY[3], u), w),
            0.5f * lerp(lerp(alongZ[0], alongZ[1], u), lerp(alongZ[2], alongZ[3], u), v)};
}

KARST_LANES_TARGET inline Float squares(const Vectors& n) {
    return (n.x * n.x + n.y * n.y) + n.z * n.z;
}

// `n` at length 1; `second` where it is almost 0, and up where that is too.
KARST_LANES_TARGET inline Vectors unitVectors(Vectors n, const Vectors& second) {
    const Int first = squares(n) > kNoNormal;
    n = {select(first, n.x, second.x), select(first, n.y, second.y), select(first, n.z, second.z)};
    const Int any = squares(n) > kNoNormal;
    const Float zero = n.x - n.x;
    n = {select(any, n.x, zero), select(any, n.y, zero + 1.0f), select(any, n.z, zero)};
    const Float inverse = 1.0f / squareRoots(squares(n));
    return {n.x * inverse, n.y * inverse, n.z * inverse};
}

// A block of cubes that share nothing but the field. With kSheets only the edges in `edges` count, a bit for
// each as in cube_sheets.h.
template <bool kCentral, bool kUnit, bool kSheets>
KARST_LANES_TARGET void computeBlock(const BlockRows& rows, const BlockGrid& grid, const std::uint16_t* cubes,
                                     const std::uint16_t* edges, std::size_t count, Vec3f* positions,
                                     Vec3f* normals) {
    for (std::size_t i = 0; i < count; i += KARST_LANES) {
        Word row[4];
        Float f[8], c[8];
        for (int r = 0; r < 4; ++r) {
            row[r] = load(rows.cube[r] + i);
            f[2 * r] = kCentral ? byteOf<1, 3>(row[r]) : byteOf<0, 1>(row[r]);
            f[2 * r + 1] = kCentral ? byteOf<2, 3>(row[r]) : byteOf<1, 1>(row[r]);
        }
        for (int k = 0; k < 8; ++k)
            c[k] = f[k] - 127.5f;
        Int counted[12];
        for (int e = 0; e < 12; ++e) {
            if constexpr (kSheets) {
                Index words;
                std::memcpy(&words, edges + i, sizeof(words));
                counted[e] = __builtin_convertvector(words, Int) << (31 - e) >> 31;
            } else {
                counted[e] = Int{} - 1;
            }
        }
        const Crossing x0 = crossing(c[0], c[1], counted[0]), x1 = crossing(c[2], c[3], counted[1]);
        const Crossing x2 = crossing(c[4], c[5], counted[2]), x3 = crossing(c[6], c[7], counted[3]);
        const Crossing y0 = crossing(c[0], c[4], counted[4]), y1 = crossing(c[1], c[5], counted[5]);
        const Crossing y2 = crossing(c[2], c[6], counted[6]), y3 = crossing(c[3], c[7], counted[7]);
        const Crossing z0 = crossing(c[0], c[2], counted[8]), z1 = crossing(c[1], c[3], counted[9]);
        const Crossing z2 = crossing(c[4], c[6], counted[10]), z3 = crossing(c[5], c[7], counted[11]);
        // Masks are -1: the sums are the negated numbers of edges that cross at 1 of the axis.
        const Int xHighY = x2.mask + x3.mask, xHighZ = x1.mask + x3.mask;
        const Int yHighX = y1.mask + y3.mask, yHighZ = y2.mask + y3.mask;
        const Int zHighX = z1.mask + z3.mask, zHighY = z2.mask + z3.mask;
        const Int number =
            (x0.mask + x1.mask + xHighY) + (y0.mask + y1.mask + yHighZ) + (z0.mask + z1.mask + zHighY);
        const Float inverse = 1.0f / toFloats(-number);
        const Float u =
            quantised((((x0.at + x1.at) + (x2.at + x3.at)) + toFloats(-(yHighX + zHighX))) * inverse);
        const Float v =
            quantised((((y0.at + y1.at) + (y2.at + y3.at)) + toFloats(-(xHighY + zHighY))) * inverse);
        const Float w =
            quantised((((z0.at + z1.at) + (z2.at + z3.at)) + toFloats(-(xHighZ + yHighZ))) * inverse);

        // The cube's place from its index; adding a half keeps the quotients off whole numbers.
        Index index;
        std::memcpy(&index, cubes + i, sizeof(index));
        const Float place = __builtin_convertvector(__builtin_convertvector(index, Int), Float);
        const Float y = toFloats(__builtin_convertvector((place + 0.5f) * grid.inverseLayer, Int));
        const Float inLayer = place - y * grid.layer;
        const Float z = toFloats(__builtin_convertvector((inLayer + 0.5f) * grid.inverseStride, Int));
        const Float x = inLayer - z * grid.stride;
        storeVectors(positions + i, (x - grid.padding) + u, (y - grid.padding) + v, (z - grid.padding) + w);

        Vectors normal;
        if constexpr (kCentral)
            normal = centralGradient(rows, i, row, f, u, v, w);
        else
            normal = cubeGradient(f, u, v, w);
        if constexpr (kUnit) normal = unitVectors(normal, kCentral ? cubeGradient(f, u, v, w) : normal);
        storeVectors(normals + i, normal.x, normal.y, normal.z);
    }
}

template <bool kCentral, bool kUnit>
KARST_LANES_TARGET inline void computeEither(const BlockRows& rows, const BlockGrid& grid,
                                             const std::uint16_t* cubes, const std::uint16_t* edges,
                                             std::size_t count, Vec3f* positions, Vec3f* normals) {
    if (edges)
        computeBlock<kCentral, kUnit, true>(rows, grid, cubes, edges, count, positions, normals);
    else
        computeBlock<kCentral, kUnit, false>(rows, grid, cubes, edges, count, positions, normals);
}

KARST_LANES_TARGET void computeCubes(const BlockRows& rows, const BlockGrid& grid, bool central, bool unit,
                                     const std::uint16_t* cubes, const std::uint16_t* edges,
                                     std::size_t count, Vec3f* positions, Vec3f* normals) {
    if (central && unit)
        computeEither<true, true>(rows, grid, cubes, edges, count, positions, normals);
    else if (central)
        computeEither<true, false>(rows, grid, cubes, edges, count, positions, normals);
    else if (unit)
        computeEither<false, true>(rows, grid, cubes, edges, count, positions, normals);
    else
        computeEither<false, false>(rows, grid, cubes, edges, count, positions, normals);
}
