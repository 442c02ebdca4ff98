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

// A pixel of 3 or 4 bytes a step, all of its channels at once. Pixels of 3 bytes are read and written as 4 but at the
// row's end: the byte too many that is written belongs to the next pixel, whose turn comes then.

static inline __m128i load(const uint8_t *bytes) {
    int32_t value;
    memcpy(&value, bytes, 4);
    return _mm_cvtsi32_si128(value);
}

static inline void store(uint8_t *bytes, __m128i pixel) {
    const int32_t value = _mm_cvtsi128_si32(pixel);
    memcpy(bytes, &value, 4);
}

static inline __m128i load_last(ptrdiff_t pixel, const uint8_t *bytes) {
    int32_t value = 0;
    memcpy(&value, bytes, (size_t)pixel);
    return _mm_cvtsi32_si128(value);
}

static inline void store_last(ptrdiff_t pixel, uint8_t *bytes, __m128i value) {
    const int32_t word = _mm_cvtsi128_si32(value);
    memcpy(bytes, &word, (size_t)pixel);
}

/// `predicted(before, above, above_before)` for every pixel of a row that is not empty, from left to right. `step` is a
/// constant to the compiler in each of the functions below.
#define FOR_EACH_PIXEL(step, predicted)                                                                            \
    do {                                                                                                            \
        __m128i before = _mm_setzero_si128(), above_before = _mm_setzero_si128();                                   \
        ptrdiff_t i = 0;                                                                                            \
        for (; i + (step) < count; i += (step)) {                                                                   \
            const __m128i over = load(above + i);                                                                   \
            before = _mm_add_epi8(load(in + i), predicted(before, over, above_before));                             \
            above_before = over;                                                                                    \
            store(out + i, before);                                                                                 \
        }                                                                                                           \
        const __m128i over = load_last((step), above + i);                                                          \
        store_last((step), out + i,                                                                                 \
                   _mm_add_epi8(load_last((step), in + i), predicted(before, over, above_before)));                 \
    } while (0)

static inline __m128i predict_sub(__m128i before, __m128i above, __m128i above_before) {
    (void)above, (void)above_before;
    return before;
}

/// The instruction rounds up; what it adds is taken away again.
static inline __m128i predict_average(__m128i before, __m128i above, __m128i above_before) {
    (void)above_before;
    const __m128i odd = _mm_and_si128(_mm_xor_si128(before, above), _mm_set1_epi8(1));
    return _mm_sub_epi8(_mm_avg_epu8(before, above), odd);
}

static inline __m128i absolute(__m128i value) {
    return _mm_max_epi16(value, _mm_sub_epi16(_mm_setzero_si128(), value));
}

static inline __m128i choose(__m128i mask, __m128i yes, __m128i no) {
    return _mm_or_si128(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

static inline __m128i predict_paeth(__m128i before, __m128i above, __m128i above_before) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i a = _mm_unpacklo_epi8(before, zero), b = _mm_unpacklo_epi8(above, zero);
    const __m128i c = _mm_unpacklo_epi8(above_before, zero);
    const __m128i b_less_c = _mm_sub_epi16(b, c), a_less_c = _mm_sub_epi16(a, c);
    const __m128i to_a = absolute(b_less_c), to_b = absolute(a_less_c);
    const __m128i to_c = absolute(_mm_add_epi16(b_less_c, a_less_c));
    const __m128i nearest = _mm_min_epi16(to_c, _mm_min_epi16(to_a, to_b));
    const __m128i value =
        choose(_mm_cmpeq_epi16(nearest, to_a), a, choose(_mm_cmpeq_epi16(nearest, to_b), b, c));
    return _mm_packus_epi16(value, value);
}

static void sub_sse2(ptrdiff_t pixel, const uint8_t *in, uint8_t *out, ptrdiff_t count) {
    // Nothing above is looked at.
    const uint8_t *above = in;
    if (pixel == 3) FOR_EACH_PIXEL(3, predict_sub);
    else FOR_EACH_PIXEL(4, predict_sub);
}

static void average_sse2(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out, ptrdiff_t count) {
    if (pixel == 3) FOR_EACH_PIXEL(3, predict_average);
    else FOR_EACH_PIXEL(4, predict_average);
}

static void paeth_sse2(ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *out, ptrdiff_t count) {
    if (pixel == 3) FOR_EACH_PIXEL(3, predict_paeth);
    else FOR_EACH_PIXEL(4, predict_paeth);
}

#endif

int apod_unfilter(apod_kernel_level level, int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above,
                  uint8_t *out, ptrdiff_t count) {
#if defined(__x86_64__)
    if (level >= APOD_KERNEL_SSE2 && (pixel == 3 || pixel == 4) && count > 0) {
        switch (filter) {
        case 1: sub_sse2(pixel, in, out, count); return 0;
        case 3: average_sse2(pixel, in, above, out, count); return 0;
        case 4: paeth_sse2(pixel, in, above, out, count); return 0;
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
