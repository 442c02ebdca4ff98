#include "CKernels.h"
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Each filter predicts a byte from the same byte of the pixel to the left (a), the pixel above (b) and the pixel above
// left (c), and stores the difference (PNG 9.2).

/// Returns a, b or c, whichever is nearest to a + b - c, or the first of equally near values (PNG 9.4).
static inline uint8_t paeth(int a, int b, int c) {
    const int to_a = abs(b - c), to_b = abs(a - c), to_c = abs(a + b - 2 * c);
    return (uint8_t)(to_a <= to_b && to_a <= to_c ? a : to_b <= to_c ? b : c);
}

static inline void copy_first(ptrdiff_t pixel, const uint8_t *in, uint8_t *restrict out) {
    for (ptrdiff_t i = 0; i < pixel; i++) out[i] = in[i];
}

static void sub(ptrdiff_t pixel, const uint8_t *in, uint8_t *out, ptrdiff_t count) {
    copy_first(pixel, in, out);
    for (ptrdiff_t i = pixel; i < count; i++) out[i] = (uint8_t)(in[i] + out[i - pixel]);
}

static void up(const uint8_t *in, const uint8_t *above, uint8_t *restrict out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) out[i] = (uint8_t)(in[i] + above[i]);
}

static void average(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < pixel; i++) out[i] = (uint8_t)(in[i] + above[i] / 2);
    for (ptrdiff_t i = pixel; i < count; i++) out[i] = (uint8_t)(in[i] + (out[i - pixel] + above[i]) / 2);
}

static void paeth_row(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < pixel; i++) out[i] = (uint8_t)(in[i] + above[i]);
    for (ptrdiff_t i = pixel; i < count; i++) {
        out[i] = (uint8_t)(in[i] + paeth(out[i - pixel], above[i], above[i - pixel]));
    }
}

#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_VECTORS

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// A vector has 16 bytes, or 8 samples of 16 bits in functions such as `plus16`.
#if defined(__x86_64__)

typedef __m128i vector;

ALWAYS_INLINE vector all(uint8_t byte) { return _mm_set1_epi8((char)byte); }
ALWAYS_INLINE vector from_word(uint32_t word) { return _mm_cvtsi32_si128((int)word); }
ALWAYS_INLINE uint32_t to_word(vector a) { return (uint32_t)_mm_cvtsi128_si32(a); }
ALWAYS_INLINE vector load_16(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }
ALWAYS_INLINE void store_16(uint8_t *bytes, vector a) { _mm_storeu_si128((__m128i *)bytes, a); }
ALWAYS_INLINE vector widened(vector bytes) { return _mm_unpacklo_epi8(bytes, _mm_setzero_si128()); }
ALWAYS_INLINE vector narrowed(vector samples) { return _mm_packus_epi16(samples, samples); }
ALWAYS_INLINE vector inverted(vector a) { return _mm_xor_si128(a, all(0xFF)); }
ALWAYS_INLINE vector plus(vector a, vector b) { return _mm_add_epi8(a, b); }
ALWAYS_INLINE vector minus(vector a, vector b) { return _mm_sub_epi8(a, b); }
ALWAYS_INLINE vector mean_up(vector a, vector b) { return _mm_avg_epu8(a, b); }
ALWAYS_INLINE vector plus16(vector a, vector b) { return _mm_add_epi16(a, b); }
ALWAYS_INLINE vector minus16(vector a, vector b) { return _mm_sub_epi16(a, b); }
ALWAYS_INLINE vector least16(vector a, vector b) { return _mm_min_epi16(a, b); }
ALWAYS_INLINE vector most16(vector a, vector b) { return _mm_max_epi16(a, b); }
ALWAYS_INLINE vector is_greater16(vector a, vector b) { return _mm_cmpgt_epi16(a, b); }

/// Selects each bit from `yes` if its mask bit is 1, otherwise from `no`. All mask bits of a sample are equal.
ALWAYS_INLINE vector choose(vector mask, vector yes, vector no) {
    return _mm_xor_si128(no, _mm_and_si128(mask, _mm_xor_si128(yes, no)));
}

/// Moves all bytes up by `bytes` places, and fills the lowest places with zeros.
#define MOVED_UP(a, bytes) _mm_slli_si128(a, bytes)

/// Repeats the last pixel of 1, 2 or 4 bytes.
ALWAYS_INLINE vector repeated_last(ptrdiff_t pixel, vector pixels) {
    if (pixel == 4) return _mm_shuffle_epi32(pixels, 0xFF);
    vector last = _mm_srli_si128(pixels, 14);
    if (pixel == 1) {
        last = _mm_srli_si128(last, 1);
        last = _mm_unpacklo_epi8(last, last);
    }
    return _mm_shuffle_epi32(_mm_shufflelo_epi16(last, 0), 0);
}

#else

typedef uint8x16_t vector;

ALWAYS_INLINE int16x8_t of16(vector a) { return vreinterpretq_s16_u8(a); }
ALWAYS_INLINE vector from16(int16x8_t a) { return vreinterpretq_u8_s16(a); }

ALWAYS_INLINE vector all(uint8_t byte) { return vdupq_n_u8(byte); }
ALWAYS_INLINE vector from_word(uint32_t word) { return vreinterpretq_u8_u32(vdupq_n_u32(word)); }
ALWAYS_INLINE uint32_t to_word(vector a) { return vgetq_lane_u32(vreinterpretq_u32_u8(a), 0); }
ALWAYS_INLINE vector load_16(const uint8_t *bytes) { return vld1q_u8(bytes); }
ALWAYS_INLINE void store_16(uint8_t *bytes, vector a) { vst1q_u8(bytes, a); }
ALWAYS_INLINE vector widened(vector bytes) { return vreinterpretq_u8_u16(vmovl_u8(vget_low_u8(bytes))); }
ALWAYS_INLINE vector narrowed(vector samples) { return vuzp1q_u8(samples, samples); }
ALWAYS_INLINE vector inverted(vector a) { return vmvnq_u8(a); }
ALWAYS_INLINE vector plus(vector a, vector b) { return vaddq_u8(a, b); }
ALWAYS_INLINE vector minus(vector a, vector b) { return vsubq_u8(a, b); }
ALWAYS_INLINE vector mean_up(vector a, vector b) { return vrhaddq_u8(a, b); }
ALWAYS_INLINE vector plus16(vector a, vector b) { return from16(vaddq_s16(of16(a), of16(b))); }
ALWAYS_INLINE vector minus16(vector a, vector b) { return from16(vsubq_s16(of16(a), of16(b))); }
ALWAYS_INLINE vector least16(vector a, vector b) { return from16(vminq_s16(of16(a), of16(b))); }
ALWAYS_INLINE vector most16(vector a, vector b) { return from16(vmaxq_s16(of16(a), of16(b))); }
ALWAYS_INLINE vector is_greater16(vector a, vector b) { return vreinterpretq_u8_u16(vcgtq_s16(of16(a), of16(b))); }

/// Selects each bit from `yes` if its mask bit is 1, otherwise from `no`.
ALWAYS_INLINE vector choose(vector mask, vector yes, vector no) { return vbslq_u8(mask, yes, no); }

/// Moves all bytes up by `bytes` places, and fills the lowest places with zeros.
#define MOVED_UP(a, bytes) vextq_u8(all(0), a, 16 - (bytes))

/// Repeats the last pixel of 1, 2 or 4 bytes.
ALWAYS_INLINE vector repeated_last(ptrdiff_t pixel, vector pixels) {
    if (pixel == 4) return vreinterpretq_u8_u32(vdupq_laneq_u32(vreinterpretq_u32_u8(pixels), 3));
    if (pixel == 2) return vreinterpretq_u8_u16(vdupq_laneq_u16(vreinterpretq_u16_u8(pixels), 7));
    return vdupq_laneq_u8(pixels, 15);
}

#endif

// The loops process a pixel per step, because each pixel depends on the previous pixel. `nearest` processes all
// channels of a pixel in a vector, with 16 bits each. Pixels of 3 bytes are read and written as 4 bytes, except at the
// end of the row; the extra byte is overwritten by the next pixel. `pixel` is a compile-time constant after inlining.

ALWAYS_INLINE vector load_last(ptrdiff_t pixel, const uint8_t *bytes) {
    uint32_t word = 0;
    memcpy(&word, bytes, (size_t)pixel);
    return from_word(word);
}

ALWAYS_INLINE void store_last(ptrdiff_t pixel, uint8_t *bytes, vector value) {
    const uint32_t word = to_word(value);
    memcpy(bytes, &word, (size_t)pixel);
}

/// Loads a pixel; loads 4 bytes for a pixel of 3.
ALWAYS_INLINE vector load(ptrdiff_t pixel, const uint8_t *bytes) { return load_last(pixel == 3 ? 4 : pixel, bytes); }

ALWAYS_INLINE void store(ptrdiff_t pixel, uint8_t *bytes, vector value) {
    store_last(pixel == 3 ? 4 : pixel, bytes, value);
}

// Selects a, b or c, whichever is nearest to a + b - c. With `place` = 3c - a - b, this is the larger of a and b if
// `place` is at most the smaller, the smaller if `place` is at least the larger, and c if `place` is between them. Of
// two equally near values, this is the first in the order a, b, c, as PNG requires.
#define PAETH(choose)                                                                                               \
    const vector least = least16(a, b), most = most16(a, b), place = minus16(three_c_less_b, a);                    \
    const vector inner = choose(is_greater16(most, place), c, least);                                               \
    return choose(is_greater16(place, least), inner, most)

ALWAYS_INLINE vector nearest(vector a, vector b, vector c, vector three_c_less_b) { PAETH(choose); }

/// Unfilters a row that is not empty, from left to right.
#define PAETH_ROW(pixel, nearest)                                                                                   \
    do {                                                                                                            \
        vector a = all(0), c = all(0);                                                                              \
        ptrdiff_t i = 0;                                                                                            \
        for (; i + (pixel) < count; i += (pixel)) {                                                                 \
            const vector b = widened(load((pixel), above + i)), difference = widened(load((pixel), in + i));        \
            const vector three_c_less_b = minus16(plus16(c, plus16(c, c)), b);                                      \
            /* Adds bytes, so the sum wraps at 256. */                                                              \
            a = plus(difference, nearest(a, b, c, three_c_less_b));                                                 \
            c = b;                                                                                                  \
            store((pixel), out + i, narrowed(a));                                                                   \
        }                                                                                                           \
        const vector b = widened(load_last((pixel), above + i));                                                    \
        const vector three_c_less_b = minus16(plus16(c, plus16(c, c)), b);                                          \
        const vector difference = widened(load_last((pixel), in + i));                                              \
        store_last((pixel), out + i, narrowed(plus(difference, nearest(a, b, c, three_c_less_b))));                 \
    } while (0)

static void paeth_in_vectors(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out, ptrdiff_t count) {
    switch (pixel) {
    case 1: PAETH_ROW(1, nearest); return;
    case 2: PAETH_ROW(2, nearest); return;
    case 3: PAETH_ROW(3, nearest); return;
    default: PAETH_ROW(4, nearest);
    }
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2")))
#define BLENDED(mask, yes, no) _mm_blendv_epi8(no, yes, mask)

AVX2 ALWAYS_INLINE vector nearest_avx2(vector a, vector b, vector c, vector three_c_less_b) { PAETH(BLENDED); }

AVX2 static void paeth_avx2(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out, ptrdiff_t count) {
    switch (pixel) {
    case 1: PAETH_ROW(1, nearest_avx2); return;
    case 2: PAETH_ROW(2, nearest_avx2); return;
    case 3: PAETH_ROW(3, nearest_avx2); return;
    default: PAETH_ROW(4, nearest_avx2);
    }
}

#endif

// The filter adds the average of the pixel to the left (a) and the pixel above (b) to the input. PNG rounds this
// average down, but the instruction for averages rounds up. If m is the average of ~a and ~b, rounded up, then ~m is
// the average of a and b, rounded down. `before` is ~a. The next ~a is ~(in + ~m), which equals m - in and so needs no
// inversion.
#define AVERAGE_ROW(pixel)                                                                                          \
    do {                                                                                                            \
        vector before = all(0xFF);                                                                                  \
        ptrdiff_t i = 0;                                                                                            \
        for (; i + (pixel) < count; i += (pixel)) {                                                                 \
            const vector over = inverted(load((pixel), above + i));                                                 \
            before = minus(mean_up(before, over), load((pixel), in + i));                                           \
            store((pixel), out + i, inverted(before));                                                              \
        }                                                                                                           \
        const vector over = inverted(load_last((pixel), above + i));                                                \
        before = minus(mean_up(before, over), load_last((pixel), in + i));                                          \
        store_last((pixel), out + i, inverted(before));                                                             \
    } while (0)

static void average_in_vectors(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out,
                               ptrdiff_t count) {
    switch (pixel) {
    case 1: AVERAGE_ROW(1); return;
    case 2: AVERAGE_ROW(2); return;
    case 3: AVERAGE_ROW(3); return;
    default: AVERAGE_ROW(4);
    }
}

/// Unfilters pixels of 1, 2 or 4 bytes in steps of 16 bytes, with prefix sums by doubling.
static void sub_in_vectors(ptrdiff_t pixel, const uint8_t *in, uint8_t *out, ptrdiff_t count) {
    vector before = all(0);
    ptrdiff_t i = 0;
    for (; i + 16 <= count; i += 16) {
        vector sums = load_16(in + i);
        if (pixel == 1) sums = plus(sums, MOVED_UP(sums, 1));
        if (pixel <= 2) sums = plus(sums, MOVED_UP(sums, 2));
        sums = plus(sums, MOVED_UP(sums, 4));
        sums = plus(sums, MOVED_UP(sums, 8));
        sums = plus(sums, before);
        store_16(out + i, sums);
        before = repeated_last(pixel, sums);
    }
    if (i == 0) {
        sub(pixel, in, out, count);
        return;
    }
    for (; i < count; i++) out[i] = (uint8_t)(in[i] + out[i - pixel]);
}

static void sub_of_three(const uint8_t *in, uint8_t *out, ptrdiff_t count) {
    vector before = all(0);
    ptrdiff_t i = 0;
    for (; i + 3 < count; i += 3) {
        before = plus(load(3, in + i), before);
        store(3, out + i, before);
    }
    store_last(3, out + i, plus(load_last(3, in + i), before));
}

#endif

int apod_unfilter(apod_kernel_level level, int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above,
                  uint8_t *out, ptrdiff_t count) {
#if defined(HAS_VECTORS)
    if (level != APOD_KERNEL_SCALAR && pixel <= 4 && count >= pixel) {
        switch (filter) {
        case 1:
            if (pixel == 3) sub_of_three(in, out, count);
            else sub_in_vectors(pixel, in, out, count);
            return 0;
        case 3: average_in_vectors(pixel, in, above, out, count); return 0;
        case 4:
#if defined(__x86_64__)
            if (level == APOD_KERNEL_AVX2) {
                paeth_avx2(pixel, in, above, out, count);
                return 0;
            }
#endif
            paeth_in_vectors(pixel, in, above, out, count);
            return 0;
        default: break;
        }
    }
#else
    (void)level;
#endif
    switch (filter) {
    case 0: memcpy(out, in, (size_t)count); return 0;
    case 1: sub(pixel, in, out, count); return 0;
    case 2: up(in, above, out, count); return 0;
    case 3: average(pixel, in, above, out, count); return 0;
    case 4: paeth_row(pixel, in, above, out, count); return 0;
    default: return -1;
    }
}
