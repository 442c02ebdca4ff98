#include "CKernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

static inline uint8_t clamped_to_byte(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

// Portable code. Works on blocks of sums, which the compiler keeps in vector registers.

static void vertical_scalar(const uint8_t *const *rows, const int16_t *weights, ptrdiff_t taps, int16_t *out,
                            ptrdiff_t count) {
    int32_t sums[APOD_KERNEL_BLOCK];
    for (ptrdiff_t x = 0; x < count; x += APOD_KERNEL_BLOCK) {
        for (int i = 0; i < APOD_KERNEL_BLOCK; i++) sums[i] = 128;
        for (ptrdiff_t k = 0; k < taps; k += 2) {
            const uint8_t *upper = rows[k] + x, *lower = rows[k + 1] + x;
            const int32_t a = weights[k], b = weights[k + 1];
            for (int i = 0; i < APOD_KERNEL_BLOCK; i++) sums[i] += upper[i] * a + lower[i] * b;
        }
        for (int i = 0; i < APOD_KERNEL_BLOCK; i++) {
            const int32_t value = sums[i] >> 8;
            out[x + i] = (int16_t)(value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value);
        }
    }
}

static void horizontal_scalar(const int16_t *in, const int32_t *starts, const int16_t *weights, ptrdiff_t taps,
                              uint8_t *out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        const int16_t *samples = in + starts[i], *own = weights + i * taps;
        int32_t sum = 1 << 19;
        for (ptrdiff_t k = 0; k < taps; k++) sum += samples[k] * own[k];
        out[i] = clamped_to_byte(sum >> 20);
    }
}

#if defined(__x86_64__)

/// Returns two adjacent weights in the halves of a 32-bit number, for `madd`.
static inline uint32_t weight_pair(const int16_t *weights) {
    return (uint32_t)(uint16_t)weights[0] | (uint32_t)(uint16_t)weights[1] << 16;
}

static void vertical_sse2(const uint8_t *const *rows, const int16_t *weights, ptrdiff_t taps, int16_t *out,
                          ptrdiff_t count) {
    const __m128i zero = _mm_setzero_si128();
    for (ptrdiff_t x = 0; x < count; x += 32) {
        __m128i sums[8];
        for (int j = 0; j < 8; j++) sums[j] = _mm_set1_epi32(128);
        for (ptrdiff_t k = 0; k < taps; k += 2) {
            const __m128i pair = _mm_set1_epi32((int)weight_pair(weights + k));
#pragma clang loop unroll(full)
            for (int j = 0; j < 2; j++) {
                const __m128i upper = _mm_loadu_si128((const __m128i *)(rows[k] + x + 16 * j));
                const __m128i lower = _mm_loadu_si128((const __m128i *)(rows[k + 1] + x + 16 * j));
                const __m128i low = _mm_unpacklo_epi8(upper, lower), high = _mm_unpackhi_epi8(upper, lower);
                __m128i *s = sums + 4 * j;
                s[0] = _mm_add_epi32(s[0], _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), pair));
                s[1] = _mm_add_epi32(s[1], _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), pair));
                s[2] = _mm_add_epi32(s[2], _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), pair));
                s[3] = _mm_add_epi32(s[3], _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), pair));
            }
        }
        for (int j = 0; j < 4; j++) {
            const __m128i a = _mm_srai_epi32(sums[2 * j], 8), b = _mm_srai_epi32(sums[2 * j + 1], 8);
            _mm_storeu_si128((__m128i *)(out + x + 8 * j), _mm_packs_epi32(a, b));
        }
    }
}

static void horizontal_sse2(const int16_t *in, const int32_t *starts, const int16_t *weights, ptrdiff_t taps,
                            uint8_t *out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        const int16_t *samples = in + starts[i], *own = weights + i * taps;
        __m128i sum = _mm_setzero_si128();
        for (ptrdiff_t k = 0; k < taps; k += 8) {
            const __m128i a = _mm_loadu_si128((const __m128i *)(samples + k));
            const __m128i b = _mm_loadu_si128((const __m128i *)(own + k));
            sum = _mm_add_epi32(sum, _mm_madd_epi16(a, b));
        }
        sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));
        sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1));
        out[i] = clamped_to_byte((_mm_cvtsi128_si32(sum) + (1 << 19)) >> 20);
    }
}

__attribute__((target("avx2"))) static void vertical_avx2(const uint8_t *const *rows, const int16_t *weights,
                                                          ptrdiff_t taps, int16_t *out, ptrdiff_t count) {
    for (ptrdiff_t x = 0; x < count; x += 64) {
        __m256i sums[8];
        for (int j = 0; j < 8; j++) sums[j] = _mm256_set1_epi32(128);
        for (ptrdiff_t k = 0; k < taps; k += 2) {
            const __m256i pair = _mm256_set1_epi32((int)weight_pair(weights + k));
            const uint8_t *a = rows[k] + x, *b = rows[k + 1] + x;
#pragma clang loop unroll(full)
            for (int j = 0; j < 4; j++) {
                const __m256i upper = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(a + 16 * j)));
                const __m256i lower = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(b + 16 * j)));
                const __m256i low = _mm256_madd_epi16(_mm256_unpacklo_epi16(upper, lower), pair);
                const __m256i high = _mm256_madd_epi16(_mm256_unpackhi_epi16(upper, lower), pair);
                sums[2 * j] = _mm256_add_epi32(sums[2 * j], low);
                sums[2 * j + 1] = _mm256_add_epi32(sums[2 * j + 1], high);
            }
        }
        // Like `unpack`, `packs` works within 128-bit lanes, so it restores the order of the samples.
        for (int j = 0; j < 4; j++) {
            const __m256i a = _mm256_srai_epi32(sums[2 * j], 8), b = _mm256_srai_epi32(sums[2 * j + 1], 8);
            _mm256_storeu_si256((__m256i *)(out + x + 16 * j), _mm256_packs_epi32(a, b));
        }
    }
}

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE static inline __attribute__((target("avx2"), always_inline))

AVX2_INLINE __m256i partial_sums(const int16_t *samples, const int16_t *weights, ptrdiff_t taps) {
    __m256i sum = _mm256_setzero_si256();
    ptrdiff_t k = 0;
    for (; k + 16 <= taps; k += 16) {
        const __m256i a = _mm256_loadu_si256((const __m256i *)(samples + k));
        const __m256i b = _mm256_loadu_si256((const __m256i *)(weights + k));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
    }
    if (k < taps) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(samples + k));
        const __m128i b = _mm_loadu_si128((const __m128i *)(weights + k));
        sum = _mm256_add_epi32(sum, _mm256_zextsi128_si256(_mm_madd_epi16(a, b)));
    }
    return sum;
}

/// Returns four output samples as 32-bit numbers, not clamped.
AVX2_INLINE __m128i four_sums(const int16_t *in, const int32_t *starts, const int16_t *weights, ptrdiff_t taps) {
    const __m256i a = partial_sums(in + starts[0], weights, taps);
    const __m256i b = partial_sums(in + starts[1], weights + taps, taps);
    const __m256i c = partial_sums(in + starts[2], weights + 2 * taps, taps);
    const __m256i d = partial_sums(in + starts[3], weights + 3 * taps, taps);
    const __m256i all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    const __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    return _mm_srai_epi32(_mm_add_epi32(sum, _mm_set1_epi32(1 << 19)), 20);
}

/// Writes outputs in groups of 8. Returns the number of outputs written.
AVX2_INLINE ptrdiff_t horizontal_eights(const int16_t *in, const int32_t *starts, const int16_t *weights,
                                        ptrdiff_t taps, uint8_t *out, ptrdiff_t count) {
    ptrdiff_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const int16_t *own = weights + i * taps;
        const __m128i sums = _mm_packs_epi32(four_sums(in, starts + i, own, taps),
                                             four_sums(in, starts + i + 4, own + 4 * taps, taps));
        _mm_storel_epi64((__m128i *)(out + i), _mm_packus_epi16(sums, sums));
    }
    return i;
}

AVX2 static void horizontal_avx2(const int16_t *in, const int32_t *starts, const int16_t *weights, ptrdiff_t taps,
                                 uint8_t *out, ptrdiff_t count) {
    ptrdiff_t i;
    // With a constant number of taps, the compiler unrolls the loops over the taps.
    switch (taps) {
    case 8: i = horizontal_eights(in, starts, weights, 8, out, count); break;
    case 16: i = horizontal_eights(in, starts, weights, 16, out, count); break;
    case 24: i = horizontal_eights(in, starts, weights, 24, out, count); break;
    case 32: i = horizontal_eights(in, starts, weights, 32, out, count); break;
    default: i = horizontal_eights(in, starts, weights, taps, out, count);
    }
    horizontal_sse2(in, starts + i, weights + i * taps, taps, out + i, count - i);
}

apod_kernel_level apod_kernel_best(void) {
    return __builtin_cpu_supports("avx2") ? APOD_KERNEL_AVX2 : APOD_KERNEL_SSE2;
}

#elif defined(__aarch64__)

static void vertical_neon(const uint8_t *const *rows, const int16_t *weights, ptrdiff_t taps, int16_t *out,
                          ptrdiff_t count) {
    for (ptrdiff_t x = 0; x < count; x += 32) {
        int32x4_t sums[8];
        for (int j = 0; j < 8; j++) sums[j] = vdupq_n_s32(128);
        for (ptrdiff_t k = 0; k < taps; k++) {
            for (int j = 0; j < 2; j++) {
                const uint8x16_t row = vld1q_u8(rows[k] + x + 16 * j);
                const int16x8_t low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(row)));
                const int16x8_t high = vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(row)));
                int32x4_t *s = sums + 4 * j;
                s[0] = vmlal_n_s16(s[0], vget_low_s16(low), weights[k]);
                s[1] = vmlal_n_s16(s[1], vget_high_s16(low), weights[k]);
                s[2] = vmlal_n_s16(s[2], vget_low_s16(high), weights[k]);
                s[3] = vmlal_n_s16(s[3], vget_high_s16(high), weights[k]);
            }
        }
        for (int j = 0; j < 4; j++) {
            const int16x4_t a = vqmovn_s32(vshrq_n_s32(sums[2 * j], 8));
            vst1q_s16(out + x + 8 * j, vcombine_s16(a, vqmovn_s32(vshrq_n_s32(sums[2 * j + 1], 8))));
        }
    }
}

static inline int32x4_t partial_sums(const int16_t *samples, const int16_t *weights, ptrdiff_t taps) {
    int32x4_t low = vdupq_n_s32(0), high = vdupq_n_s32(0);
    for (ptrdiff_t k = 0; k < taps; k += 8) {
        const int16x8_t a = vld1q_s16(samples + k), b = vld1q_s16(weights + k);
        low = vmlal_s16(low, vget_low_s16(a), vget_low_s16(b));
        high = vmlal_high_s16(high, a, b);
    }
    return vaddq_s32(low, high);
}

static void horizontal_neon(const int16_t *in, const int32_t *starts, const int16_t *weights, ptrdiff_t taps,
                            uint8_t *out, ptrdiff_t count) {
    ptrdiff_t i = 0;
    for (; i + 4 <= count; i += 4) {
        int32x4_t sums[4];
        for (int j = 0; j < 4; j++) sums[j] = partial_sums(in + starts[i + j], weights + (i + j) * taps, taps);
        const int32x4_t four = vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3]));
        const int16x4_t samples = vmovn_s32(vshrq_n_s32(vaddq_s32(four, vdupq_n_s32(1 << 19)), 20));
        const uint8x8_t held = vqmovun_s16(vcombine_s16(samples, samples));
        const uint32_t bytes = vget_lane_u32(vreinterpret_u32_u8(held), 0);
        memcpy(out + i, &bytes, 4);
    }
    for (; i < count; i++) {
        const int32_t sum = vaddvq_s32(partial_sums(in + starts[i], weights + i * taps, taps));
        out[i] = clamped_to_byte((sum + (1 << 19)) >> 20);
    }
}

apod_kernel_level apod_kernel_best(void) { return APOD_KERNEL_NEON; }

#else

apod_kernel_level apod_kernel_best(void) { return APOD_KERNEL_SCALAR; }

#endif

void apod_vertical(apod_kernel_level level, const uint8_t *const *rows, const int16_t *weights, ptrdiff_t taps,
                   int16_t *out, ptrdiff_t count) {
    switch (level) {
#if defined(__x86_64__)
    case APOD_KERNEL_AVX2: vertical_avx2(rows, weights, taps, out, count); return;
    case APOD_KERNEL_SSE2: vertical_sse2(rows, weights, taps, out, count); return;
#elif defined(__aarch64__)
    case APOD_KERNEL_NEON: vertical_neon(rows, weights, taps, out, count); return;
#endif
    default: vertical_scalar(rows, weights, taps, out, count); return;
    }
}

void apod_horizontal(apod_kernel_level level, const int16_t *in, const int32_t *starts, const int16_t *weights,
                     ptrdiff_t taps, uint8_t *out, ptrdiff_t count) {
    switch (level) {
#if defined(__x86_64__)
    case APOD_KERNEL_AVX2: horizontal_avx2(in, starts, weights, taps, out, count); return;
    case APOD_KERNEL_SSE2: horizontal_sse2(in, starts, weights, taps, out, count); return;
#elif defined(__aarch64__)
    case APOD_KERNEL_NEON: horizontal_neon(in, starts, weights, taps, out, count); return;
#endif
    default: horizontal_scalar(in, starts, weights, taps, out, count); return;
    }
}
