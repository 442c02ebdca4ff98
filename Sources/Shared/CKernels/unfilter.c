#include "CKernels.h"
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Each filter predicts a byte from those of the pixel before (a), the row above (b) and the pixel before that (c); what
// is stored is the difference (PNG 9.2).

/// The one of the three nearest to a + b - c; the first of them if two are equally near (PNG 9.4).
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

#if defined(__x86_64__)

// A pixel a step, all of its channels at once, each in 16 bits, so that what the next pixel waits for is short. Pixels
// of 3 bytes are read and written as 4 but at the row's end: the byte too many that is written belongs to the next
// pixel, whose turn comes then. `pixel` is a constant to the compiler in each of the functions below.

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/// The bytes of a pixel, and 4 for 3.
ALWAYS_INLINE __m128i load(ptrdiff_t pixel, const uint8_t *bytes) {
    int32_t value = 0;
    memcpy(&value, bytes, pixel == 3 ? 4 : (size_t)pixel);
    return _mm_cvtsi32_si128(value);
}

ALWAYS_INLINE void store(ptrdiff_t pixel, uint8_t *bytes, __m128i value) {
    const int32_t word = _mm_cvtsi128_si32(value);
    memcpy(bytes, &word, pixel == 3 ? 4 : (size_t)pixel);
}

ALWAYS_INLINE __m128i load_last(ptrdiff_t pixel, const uint8_t *bytes) {
    int32_t value = 0;
    memcpy(&value, bytes, (size_t)pixel);
    return _mm_cvtsi32_si128(value);
}

ALWAYS_INLINE void store_last(ptrdiff_t pixel, uint8_t *bytes, __m128i value) {
    const int32_t word = _mm_cvtsi128_si32(value);
    memcpy(bytes, &word, (size_t)pixel);
}

ALWAYS_INLINE __m128i widened(__m128i bytes) { return _mm_unpacklo_epi8(bytes, _mm_setzero_si128()); }
ALWAYS_INLINE __m128i narrowed(__m128i samples) { return _mm_packus_epi16(samples, samples); }

/// `yes` where the mask has ones, which fill whole samples.
ALWAYS_INLINE __m128i choose(__m128i mask, __m128i yes, __m128i no) {
    return _mm_xor_si128(no, _mm_and_si128(mask, _mm_xor_si128(yes, no)));
}

// Which of a, b and c is nearest to a + b - c follows from where 3c - a - b lies: at or below the smaller one of a and
// b it is the larger one, at or above the larger one it is the smaller one, and between them c. If two are equally near,
// this gives the one that comes first in the order of a, b, c, as PNG wants it.
#define PAETH(choose)                                                                                               \
    const __m128i least = _mm_min_epi16(a, b), most = _mm_max_epi16(a, b);                                          \
    const __m128i place = _mm_sub_epi16(three_c_less_b, a);                                                         \
    const __m128i inner = choose(_mm_cmpgt_epi16(most, place), c, least);                                           \
    const __m128i value = choose(_mm_cmpgt_epi16(place, least), inner, most)

ALWAYS_INLINE __m128i paeth_sse2(__m128i a, __m128i b, __m128i c, __m128i three_c_less_b) {
    PAETH(choose);
    return value;
}

#define BLENDED(mask, yes, no) _mm_blendv_epi8(no, yes, mask)

__attribute__((target("avx2"))) ALWAYS_INLINE __m128i paeth_avx2(__m128i a, __m128i b, __m128i c,
                                                                 __m128i three_c_less_b) {
    PAETH(BLENDED);
    return value;
}

/// A row that is not empty, from left to right.
#define PAETH_ROW(pixel, predicted)                                                                                 \
    do {                                                                                                            \
        __m128i a = _mm_setzero_si128(), c = _mm_setzero_si128();                                                   \
        ptrdiff_t i = 0;                                                                                            \
        for (; i + (pixel) < count; i += (pixel)) {                                                                 \
            const __m128i b = widened(load((pixel), above + i)), difference = widened(load((pixel), in + i));       \
            const __m128i three_c_less_b = _mm_sub_epi16(_mm_add_epi16(c, _mm_add_epi16(c, c)), b);                 \
            /* The sum wraps at 256: it is one of bytes. */                                                         \
            a = _mm_add_epi8(difference, predicted(a, b, c, three_c_less_b));                                       \
            c = b;                                                                                                  \
            store((pixel), out + i, narrowed(a));                                                                   \
        }                                                                                                           \
        const __m128i b = widened(load_last((pixel), above + i));                                                   \
        const __m128i three_c_less_b = _mm_sub_epi16(_mm_add_epi16(c, _mm_add_epi16(c, c)), b);                     \
        const __m128i difference = widened(load_last((pixel), in + i));                                             \
        store_last((pixel), out + i, narrowed(_mm_add_epi8(difference, predicted(a, b, c, three_c_less_b))));       \
    } while (0)

static void paeth_row_sse2(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out, ptrdiff_t count) {
    switch (pixel) {
    case 1: PAETH_ROW(1, paeth_sse2); return;
    case 2: PAETH_ROW(2, paeth_sse2); return;
    case 3: PAETH_ROW(3, paeth_sse2); return;
    default: PAETH_ROW(4, paeth_sse2);
    }
}

__attribute__((target("avx2"))) static void paeth_row_avx2(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above,
                                                           uint8_t *out, ptrdiff_t count) {
    switch (pixel) {
    case 1: PAETH_ROW(1, paeth_avx2); return;
    case 2: PAETH_ROW(2, paeth_avx2); return;
    case 3: PAETH_ROW(3, paeth_avx2); return;
    default: PAETH_ROW(4, paeth_avx2);
    }
}

// The instruction for means rounds up, and the filter wants them rounded down: with ~a and ~b for a and b it does. As
// ~(x + ~m) is m - x, the next pixel's ~a comes without turning anything round.
#define AVERAGE_ROW(pixel)                                                                                          \
    do {                                                                                                            \
        const __m128i ones = _mm_set1_epi8(-1);                                                                     \
        __m128i before = ones;                                                                                      \
        ptrdiff_t i = 0;                                                                                            \
        for (; i + (pixel) < count; i += (pixel)) {                                                                 \
            const __m128i over = _mm_xor_si128(load((pixel), above + i), ones);                                     \
            before = _mm_sub_epi8(_mm_avg_epu8(before, over), load((pixel), in + i));                               \
            store((pixel), out + i, _mm_xor_si128(before, ones));                                                   \
        }                                                                                                           \
        const __m128i over = _mm_xor_si128(load_last((pixel), above + i), ones);                                    \
        before = _mm_sub_epi8(_mm_avg_epu8(before, over), load_last((pixel), in + i));                              \
        store_last((pixel), out + i, _mm_xor_si128(before, ones));                                                  \
    } while (0)

static void average_sse2(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out, ptrdiff_t count) {
    switch (pixel) {
    case 1: AVERAGE_ROW(1); return;
    case 2: AVERAGE_ROW(2); return;
    case 3: AVERAGE_ROW(3); return;
    default: AVERAGE_ROW(4);
    }
}

/// The last pixel of 1, 2 or 4 bytes in every place.
ALWAYS_INLINE __m128i repeated_last(ptrdiff_t pixel, __m128i pixels) {
    if (pixel == 4) return _mm_shuffle_epi32(pixels, 0xFF);
    __m128i last = _mm_srli_si128(pixels, 14);
    if (pixel == 1) {
        last = _mm_srli_si128(last, 1);
        last = _mm_unpacklo_epi8(last, last);
    }
    return _mm_shuffle_epi32(_mm_shufflelo_epi16(last, 0), 0);
}

/// Pixels of 1, 2 or 4 bytes, 16 bytes a step: sums of the first 1, 2, 3, … differences, by doubling.
static void sub_sse2(ptrdiff_t pixel, const uint8_t *in, uint8_t *out, ptrdiff_t count) {
    __m128i before = _mm_setzero_si128();
    ptrdiff_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m128i sums = _mm_loadu_si128((const __m128i *)(in + i));
        if (pixel == 1) sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 1));
        if (pixel <= 2) sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 2));
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 4));
        sums = _mm_add_epi8(sums, _mm_slli_si128(sums, 8));
        sums = _mm_add_epi8(sums, before);
        _mm_storeu_si128((__m128i *)(out + i), sums);
        before = repeated_last(pixel, sums);
    }
    if (i == 0) {
        sub(pixel, in, out, count);
        return;
    }
    for (; i < count; i++) out[i] = (uint8_t)(in[i] + out[i - pixel]);
}

static void sub_of_three(const uint8_t *in, uint8_t *out, ptrdiff_t count) {
    __m128i before = _mm_setzero_si128();
    ptrdiff_t i = 0;
    for (; i + 3 < count; i += 3) {
        before = _mm_add_epi8(load(3, in + i), before);
        store(3, out + i, before);
    }
    store_last(3, out + i, _mm_add_epi8(load_last(3, in + i), before));
}

#endif

int apod_unfilter(apod_kernel_level level, int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above,
                  uint8_t *out, ptrdiff_t count) {
#if defined(__x86_64__)
    if (level >= APOD_KERNEL_SSE2 && pixel <= 4 && count >= pixel) {
        switch (filter) {
        case 1:
            if (pixel == 3) sub_of_three(in, out, count);
            else sub_sse2(pixel, in, out, count);
            return 0;
        case 3: average_sse2(pixel, in, above, out, count); return 0;
        case 4:
            if (level >= APOD_KERNEL_AVX2) paeth_row_avx2(pixel, in, above, out, count);
            else paeth_row_sse2(pixel, in, above, out, count);
            return 0;
        default: break;
        }
    }
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
