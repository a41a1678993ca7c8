// The work on a block of cubes, written for vectors of KARST_LANES floats. Included once for each width, in a
// namespace of its own; KARST_LANES_TARGET is the attribute that lets the compiler use wider registers.

using Float = float __attribute__((vector_size(4 * KARST_LANES)));
using Int = std::int32_t __attribute__((vector_size(4 * KARST_LANES)));

KARST_LANES_TARGET inline Float toFloats(Int i) {
    return __builtin_convertvector(i, Float);
}

// The byte at `shift` of each lane.
KARST_LANES_TARGET inline Float byteOf(Int words, int shift) {
    return toFloats((words >> shift) & 255);
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

KARST_LANES_TARGET inline Int load(const std::uint32_t* p) {
    Int i;
    std::memcpy(&i, p, sizeof(i));
    return i;
}

// Where an edge crosses, as a part of its length from its lower end; 0 where it does not.
struct Crossing {
    Float at;
    Int mask;
};
KARST_LANES_TARGET inline Crossing crossing(Float low, Float high) {
    const Int mask = ((Int)low ^ (Int)high) >> 31;
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

// Negated central differences: along their axis they are interpolated between the cube's two samples, then
// across.
KARST_LANES_TARGET inline Vectors centralGradient(const BlockRows& rows, std::size_t i, const Int* row,
                                                  const Float* c, Float u, Float v, Float w) {
    Float alongX[4], alongY[4], alongZ[4];
    for (int r = 0; r < 4; ++r) {
        const Float before = byteOf(row[r], 0) - 127.5f, after = byteOf(row[r], 24) - 127.5f;
        alongX[r] = lerp(before - c[2 * r + 1], c[2 * r] - after, u);
    }
    for (int s = 0; s < 2; ++s) {
        const Int below = load(rows.below[s] + i), above = load(rows.above[s] + i);
        const Int north = load(rows.north[s] + i), south = load(rows.south[s] + i);
        for (int k = 0; k < 2; ++k) {
            const int shift = 8 * k, low = 2 * s + k, at = 4 * s + k;
            alongY[low] = lerp((byteOf(below, shift) - 127.5f) - c[low + 4],
                               c[low] - (byteOf(above, shift) - 127.5f), v);
            alongZ[low] =
                lerp((byteOf(north, shift) - 127.5f) - c[at + 2], c[at] - (byteOf(south, shift) - 127.5f), w);
        }
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

// A block of cubes that share nothing but the field. Rows are those of BlockRows.
KARST_LANES_TARGET void computeBlock(const BlockRows& rows, const BlockGrid& grid, NormalMethod method,
                                     bool unit, const std::uint16_t* cubes, std::size_t count,
                                     Vec3f* positions, Vec3f* normals) {
    const bool central = method == NormalMethod::CentralDifferences;
    const int first = central ? 8 : 0;
    for (std::size_t i = 0; i < count; i += KARST_LANES) {
        // Corner k is at x = k & 1, z = k >> 1 & 1, y = k >> 2.
        Int row[4];
        Float c[8];
        for (int r = 0; r < 4; ++r) {
            row[r] = load(rows.cube[r] + i);
            c[2 * r] = byteOf(row[r], first) - 127.5f;
            c[2 * r + 1] = byteOf(row[r], first + 8) - 127.5f;
        }
        const Crossing x0 = crossing(c[0], c[1]), x1 = crossing(c[2], c[3]), x2 = crossing(c[4], c[5]),
                       x3 = crossing(c[6], c[7]);
        const Crossing y0 = crossing(c[0], c[4]), y1 = crossing(c[1], c[5]), y2 = crossing(c[2], c[6]),
                       y3 = crossing(c[3], c[7]);
        const Crossing z0 = crossing(c[0], c[2]), z1 = crossing(c[1], c[3]), z2 = crossing(c[4], c[6]),
                       z3 = crossing(c[5], c[7]);
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
        std::int32_t indices[KARST_LANES];
        for (int k = 0; k < KARST_LANES; ++k)
            indices[k] = cubes[i + k];
        Int index;
        std::memcpy(&index, indices, sizeof(index));
        const Float place = toFloats(index);
        const Float y = toFloats(__builtin_convertvector((place + 0.5f) * grid.inverseLayer, Int));
        const Float inLayer = place - y * grid.layer;
        const Float z = toFloats(__builtin_convertvector((inLayer + 0.5f) * grid.inverseStride, Int));
        const Float x = inLayer - z * grid.stride;
        storeVectors(positions + i, (x - grid.padding) + u, (y - grid.padding) + v, (z - grid.padding) + w);

        const Vectors inCube = cubeGradient(c, u, v, w);
        Vectors normal = central ? centralGradient(rows, i, row, c, u, v, w) : inCube;
        if (unit) normal = unitVectors(normal, inCube);
        storeVectors(normals + i, normal.x, normal.y, normal.z);
    }
}
