#include "CKernels.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

static inline uint8_t clamped_to_byte(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

static inline int16_t clamped_to_16_bits(int32_t value) {
    return value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : (int16_t)value;
}

/// Coefficients per row of a block.
static inline ptrdiff_t row_stride(int size) { return size <= 2 ? size : size <= 4 ? 4 : 8; }

// The full transform, identical to libjpeg-turbo's `islow`: the algorithm of Loeffler, Ligtenberg and Moschytz (ICASSP
// 1989). Constants have 13 fractional bits; numbers between the passes have 2. Sums and products of 16 bits wrap;
// rounding clamps to 16 bits. In the odd half, two rotations share the sums z3 and z4.

enum {
    A = 2446,  // 0.298631336
    B = 3196,  // 0.390180644
    C = 4433,  // 0.541196100
    D = 6270,  // 0.765366865
    E = 7373,  // 0.899976223
    F = 9633,  // 1.175875602
    G = 12299, // 1.501321110
    H = 15137, // 1.847759065
    I = 16069, // 1.961570560
    J = 16819, // 2.053119869
    K = 20995, // 2.562915447
    L = 25172, // 3.072711026
};

static void pass_8(const int16_t *in, ptrdiff_t stride, int shift, int16_t *out) {
    int16_t r[8];
    for (int i = 0; i < 8; i++) r[i] = in[i * stride];
    const int32_t half = 1 << (shift - 1);
    const int32_t t0 = (int16_t)(r[0] + r[4]) * 8192 + half, t1 = (int16_t)(r[0] - r[4]) * 8192 + half;
    const int32_t t2 = r[2] * C + r[6] * (C - H), t3 = r[2] * (C + D) + r[6] * C;
    const int32_t even[4] = {t0 + t3, t1 + t2, t1 - t2, t0 - t3};
    const int16_t z3 = (int16_t)(r[7] + r[3]), z4 = (int16_t)(r[5] + r[1]);
    const int32_t a = z3 * (F - I) + z4 * F, b = z3 * F + z4 * (F - B);
    const int32_t odd[4] = {
        r[7] * -E + r[1] * (G - E) + b,
        r[5] * -K + r[3] * (L - K) + a,
        r[5] * (J - K) + r[3] * -K + b,
        r[7] * (A - E) + r[1] * -E + a,
    };
    for (int i = 0; i < 4; i++) {
        out[i * stride] = clamped_to_16_bits((even[i] + odd[i]) >> shift);
        out[(7 - i) * stride] = clamped_to_16_bits((even[i] - odd[i]) >> shift);
    }
}

static void block_8(const int16_t *block, const uint16_t *steps, uint8_t *const *rows, ptrdiff_t x) {
    int16_t values[64];
    for (int i = 0; i < 64; i++) values[i] = (int16_t)(block[i] * steps[i]);
    for (int i = 0; i < 8; i++) pass_8(values + i, 8, 11, values + i);
    for (int y = 0; y < 8; y++) {
        pass_8(values + 8 * y, 1, 18, values + 8 * y);
        for (int i = 0; i < 8; i++) rows[y][x + i] = clamped_to_byte(values[8 * y + i] + 128);
    }
}

/// Whether only the first row of a block has nonzero coefficients.
static inline int is_flat(const int16_t *block) {
    for (int v = 1; v < 8; v++) {
        uint64_t row[2];
        memcpy(row, block + 8 * v, sizeof row);
        if ((row[0] | row[1]) != 0) return 0;
    }
    return 1;
}

/// Transforms a block that `is_flat` accepts. All rows of samples are equal. The first pass is only a shift, which
/// wraps.
static void flat_block_8(const int16_t *block, const uint16_t *steps, uint8_t *const *rows, ptrdiff_t x) {
    int16_t values[8];
    for (int i = 0; i < 8; i++) values[i] = (int16_t)((int16_t)(block[i] * steps[i]) * 4);
    pass_8(values, 1, 18, values);
    uint8_t samples[8];
    for (int i = 0; i < 8; i++) samples[i] = clamped_to_byte(values[i] + 128);
    for (int y = 0; y < 8; y++) memcpy(rows[y] + x, samples, 8);
}

/// Applies a pass of the forward transform to a row or a column. The result has `bits` more fractional bits.
static void forward_pass(int16_t *r, ptrdiff_t stride, int bits) {
    int16_t sums[4], d[4];
    for (int i = 0; i < 4; i++) {
        sums[i] = (int16_t)(r[i * stride] + r[(7 - i) * stride]);
        d[i] = (int16_t)(r[i * stride] - r[(7 - i) * stride]);
    }
    const int16_t outer = (int16_t)(sums[0] + sums[3]), inner = (int16_t)(sums[1] + sums[2]);
    const int16_t high = (int16_t)(sums[0] - sums[3]), low = (int16_t)(sums[1] - sums[2]);
    const int shift = 13 - bits;
    const int32_t half = 1 << (shift - 1);
    r[0] = (int16_t)(bits > 0 ? (outer + inner) * (1 << bits) : (outer + inner + (1 << (-bits - 1))) >> -bits);
    r[4 * stride] = (int16_t)(bits > 0 ? (outer - inner) * (1 << bits) : (outer - inner + (1 << (-bits - 1))) >> -bits);
    r[2 * stride] = clamped_to_16_bits((high * (C + D) + low * C + half) >> shift);
    r[6 * stride] = clamped_to_16_bits((high * C + low * (C - H) + half) >> shift);
    const int16_t z3 = (int16_t)(d[3] + d[1]), z4 = (int16_t)(d[2] + d[0]);
    const int32_t a = z3 * (F - I) + z4 * F + half, b = z3 * F + z4 * (F - B) + half;
    r[7 * stride] = clamped_to_16_bits((d[3] * (A - E) + d[0] * -E + a) >> shift);
    r[5 * stride] = clamped_to_16_bits((d[2] * (J - K) + d[1] * -K + b) >> shift);
    r[3 * stride] = clamped_to_16_bits((d[2] * -K + d[1] * (L - K) + a) >> shift);
    r[stride] = clamped_to_16_bits((d[3] * -E + d[0] * (G - E) + b) >> shift);
}

static void quantize_scalar(const uint8_t *const *rows, ptrdiff_t x, const apod_divisors *divisors, int16_t *block,
                            uint64_t *nonzero) {
    for (int y = 0; y < 8; y++) {
        for (int i = 0; i < 8; i++) block[8 * y + i] = (int16_t)(rows[y][x + i] - 128);
        forward_pass(block + 8 * y, 1, 2);
    }
    *nonzero = 0;
    for (int i = 0; i < 8; i++) forward_pass(block + i, 8, -2);
    for (int i = 0; i < 64; i++) {
        const int magnitude = (abs(block[i]) + divisors->half[i]) / divisors->divisor[i];
        block[i] = (int16_t)(block[i] < 0 ? -magnitude : magnitude);
        *nonzero |= (uint64_t)(magnitude != 0) << i;
    }
}

// The reduced transforms, which compute `size` x `size` samples from the lowest frequencies. The matrices have 13
// fractional bits, with sqrt(1/8) for DC and cos((2n+1)k*pi/(2*size))/2 for frequency k. 3 fractional bits remain
// between the passes.

static const int16_t matrix_3[] = {2896, 2896, 2896, 3547, 0, -3547, 2048, -4096, 2048};
static const int16_t matrix_4[] = {2896, 2896, 2896, 2896, 3784, 1567, -1567, -3784,
                                   2896, -2896, -2896, 2896, 1567, -3784, 3784, -1567};
static const int16_t matrix_5[] = {2896, 2896, 2896, 2896, 2896, 3896, 2408, 0, -2408, -3896, 3314, -1266, -4096,
                                   -1266, 3314, 2408, -3896, 0, 3896, -2408, 1266, -3314, 4096, -3314, 1266};
static const int16_t matrix_6[] = {2896, 2896, 2896, 2896, 2896, 2896, 3956, 2896, 1060, -1060, -2896, -3956,
                                   3547, 0, -3547, -3547, 0, 3547, 2896, -2896, -2896, 2896, 2896, -2896,
                                   2048, -4096, 2048, 2048, -4096, 2048, 1060, -2896, 3956, -3956, 2896, -1060};

static void block_by_matrix(int size, const int16_t *matrix, const int16_t *block, const uint16_t *steps,
                            uint8_t *const *rows, ptrdiff_t x) {
    const ptrdiff_t stride = row_stride(size);
    int16_t columns[6][6];
    for (int y = 0; y < size; y++) {
        for (int u = 0; u < size; u++) {
            uint32_t sum = 1 << 9;
            for (int v = 0; v < size; v++) {
                const ptrdiff_t place = v * stride + u;
                sum += (uint32_t)((int16_t)(block[place] * steps[place]) * matrix[v * size + y]);
            }
            columns[y][u] = clamped_to_16_bits((int32_t)sum >> 10);
        }
    }
    for (int y = 0; y < size; y++) {
        for (int i = 0; i < size; i++) {
            uint32_t sum = 1 << 15;
            for (int u = 0; u < size; u++) sum += (uint32_t)(columns[y][u] * matrix[u * size + i]);
            rows[y][x + i] = clamped_to_byte(((int32_t)sum >> 16) + 128);
        }
    }
}

static inline void block_2(const int16_t *block, const uint16_t *steps, uint8_t *const *rows, ptrdiff_t x) {
    int32_t v[4];
    for (int i = 0; i < 4; i++) v[i] = (int16_t)(block[i] * steps[i]);
    const int32_t a = v[0] + v[2] + 4, b = v[0] - v[2] + 4, c = v[1] + v[3], d = v[1] - v[3];
    rows[0][x] = clamped_to_byte(((a + c) >> 3) + 128);
    rows[0][x + 1] = clamped_to_byte(((a - c) >> 3) + 128);
    rows[1][x] = clamped_to_byte(((b + d) >> 3) + 128);
    rows[1][x + 1] = clamped_to_byte(((b - d) >> 3) + 128);
}

static inline void block_scalar(int size, const int16_t *block, const uint16_t *steps, uint8_t *const *rows,
                                ptrdiff_t x) {
    switch (size) {
    case 2: block_2(block, steps, rows, x); break;
    case 3: block_by_matrix(3, matrix_3, block, steps, rows, x); break;
    case 4: block_by_matrix(4, matrix_4, block, steps, rows, x); break;
    case 5: block_by_matrix(5, matrix_5, block, steps, rows, x); break;
    case 6: block_by_matrix(6, matrix_6, block, steps, rows, x); break;
    default: block_8(block, steps, rows, x);
    }
}

typedef struct {
    const int16_t *block;
    /// The column of the block's samples in each row.
    ptrdiff_t x;
} placed_block;

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(what) JOIN(what, KIND)
#define INLINE static inline __attribute__((always_inline)) TARGET

#if defined(__x86_64__)

#define KIND sse2
#define TARGET
#define LANES 1
#define vector __m128i
#define OF(what) JOIN(_mm, what)
#define WHOLE(what) JOIN(JOIN(_mm, what), si128)
#include "dct_x86.h"
#include "dct_vectors.h"
#undef KIND
#undef TARGET
#undef LANES
#undef vector
#undef OF
#undef WHOLE

#define KIND avx2
#define TARGET __attribute__((target("avx2")))
#define LANES 2
#define vector __m256i
#define OF(what) JOIN(_mm256, what)
#define WHOLE(what) JOIN(JOIN(_mm256, what), si256)
#include "dct_x86.h"
#include "dct_vectors.h"

#elif defined(__aarch64__)

#define KIND neon
#define TARGET
#define LANES 1
#define vector int16x8_t
#include "dct_neon.h"
#include "dct_vectors.h"

#endif

/// The largest number that `blocks_at_once` returns.
#define MOST_AT_ONCE 4

/// Returns the number of blocks that `transform` processes together.
static ptrdiff_t blocks_at_once(apod_kernel_level level, int size) {
    const ptrdiff_t lanes = level == APOD_KERNEL_AVX2 ? 2 : 1;
    return level == APOD_KERNEL_SCALAR || size <= 2 ? 1 : size <= 4 ? 2 * lanes : lanes;
}

static void transform(apod_kernel_level level, int size, const placed_block *blocks, const uint16_t *steps,
                      uint8_t *const *rows) {
    switch (level) {
#if defined(__x86_64__)
    case APOD_KERNEL_AVX2: transform_avx2(size, blocks, steps, rows); return;
    case APOD_KERNEL_SSE2: transform_sse2(size, blocks, steps, rows); return;
#elif defined(__aarch64__)
    case APOD_KERNEL_NEON: transform_neon(size, blocks, steps, rows); return;
#endif
    default: block_scalar(size, blocks->block, steps, rows, blocks->x);
    }
}

/// Returns the sample of a block with only a DC coefficient, whose samples are all equal.
static uint8_t flat_sample(int size, int16_t dc) {
    if (size <= 2) return clamped_to_byte(((dc + 4) >> 3) + 128);
    if (size < 8) {
        const int16_t column = clamped_to_16_bits((dc * 2896 + (1 << 9)) >> 10);
        return clamped_to_byte(((column * 2896 + (1 << 15)) >> 16) + 128);
    }
    return clamped_to_byte((((int16_t)(dc * 4) + 16) >> 5) + 128);
}

static inline void fill(int size, uint8_t sample, uint8_t *const *rows, ptrdiff_t x) {
    for (int y = 0; y < size; y++) memset(rows[y] + x, sample, (size_t)size);
}

void apod_inverse_dct(apod_kernel_level level, int size, const apod_dct_blocks *blocks, ptrdiff_t count,
                      uint8_t *const *rows, ptrdiff_t x, ptrdiff_t x_step) {
    const ptrdiff_t at_once = blocks_at_once(level, size);
    placed_block waiting[MOST_AT_ONCE];
    ptrdiff_t waiters = 0;
    for (ptrdiff_t i = 0; i < count; i++, x += x_step) {
        const int16_t dc = (int16_t)(blocks->dc[i * blocks->stride] + blocks->dc_offset);
        const int32_t place = blocks->ac_offsets[i * blocks->stride];
        if (place < 0 || size == 1) {
            const uint8_t sample = flat_sample(size, (int16_t)(dc * blocks->steps[0]));
            switch (size) {
            case 1: rows[0][x] = sample; break;
            case 2: fill(2, sample, rows, x); break;
            case 3: fill(3, sample, rows, x); break;
            case 4: fill(4, sample, rows, x); break;
            case 5: fill(5, sample, rows, x); break;
            case 6: fill(6, sample, rows, x); break;
            default: fill(8, sample, rows, x);
            }
            continue;
        }
        int16_t *block = blocks->coefficients + place;
        block[0] = dc;
        if (size == 2) {
            block_2(block, blocks->steps, rows, x);
        } else if (size == 8 && is_flat(block)) {
            flat_block_8(block, blocks->steps, rows, x);
        } else {
            waiting[waiters++] = (placed_block){block, x};
            if (waiters == at_once) {
                transform(level, size, waiting, blocks->steps, rows);
                waiters = 0;
            }
        }
    }
    if (waiters == 0) return;
    // Repeats the first waiting block, because `transform` needs `at_once` blocks.
    for (ptrdiff_t i = waiters; i < at_once; i++) waiting[i] = waiting[0];
    transform(level, size, waiting, blocks->steps, rows);
}

apod_divisors apod_divisors_of(const uint8_t *steps) {
    apod_divisors divisors;
    for (int i = 0; i < 64; i++) {
        // The transform multiplies by 8. For a dividend below 2^15, the quotient is exact: the reciprocal has 15 bits
        // after its first 1, and is rounded up.
        const uint32_t divisor = 8 * (uint32_t)steps[i];
        const int shift = 31 - __builtin_clz(divisor), is_power = (divisor & (divisor - 1)) == 0;
        divisors.divisor[i] = (uint16_t)divisor;
        divisors.half[i] = (uint16_t)(divisor / 2);
        divisors.reciprocal[i] = (uint16_t)(is_power ? 1 << 15 : ((1u << (16 + shift)) + divisor - 1) / divisor);
        divisors.scale[i] = (uint16_t)(1 << (16 - shift + is_power));
    }
    return divisors;
}

void apod_quantize(apod_kernel_level level, const uint8_t *const *rows, ptrdiff_t count, const apod_divisors *divisors,
                   int16_t *blocks, uint64_t *nonzero) {
    ptrdiff_t i = 0;
#if defined(__x86_64__)
    if (level == APOD_KERNEL_AVX2) {
        for (; i + 1 < count; i += 2) quantize_avx2(rows, 8 * i, divisors, blocks + 64 * i, nonzero + i);
    }
    if (level != APOD_KERNEL_SCALAR) {
        for (; i < count; i++) quantize_sse2(rows, 8 * i, divisors, blocks + 64 * i, nonzero + i);
    }
#elif defined(__aarch64__)
    if (level == APOD_KERNEL_NEON) {
        for (; i < count; i++) quantize_neon(rows, 8 * i, divisors, blocks + 64 * i, nonzero + i);
    }
#endif
    for (; i < count; i++) quantize_scalar(rows, 8 * i, divisors, blocks + 64 * i, nonzero + i);
}
