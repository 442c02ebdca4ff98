// The vector operations of dct_vectors.h in SSE2 and AVX2, which differ only in their names.

INLINE vector NAME(add16)(vector a, vector b) { return OF(add_epi16)(a, b); }
INLINE vector NAME(sub16)(vector a, vector b) { return OF(sub_epi16)(a, b); }
INLINE vector NAME(mul16)(vector a, vector b) { return OF(mullo_epi16)(a, b); }
INLINE vector NAME(zero)(void) { return WHOLE(setzero)(); }
INLINE vector NAME(zip_low8)(vector a, vector b) { return OF(unpacklo_epi8)(a, b); }
INLINE vector NAME(zip_high8)(vector a, vector b) { return OF(unpackhi_epi8)(a, b); }
INLINE vector NAME(zip_low16)(vector a, vector b) { return OF(unpacklo_epi16)(a, b); }
INLINE vector NAME(zip_high16)(vector a, vector b) { return OF(unpackhi_epi16)(a, b); }
INLINE vector NAME(zip_low64)(vector a, vector b) { return OF(unpacklo_epi64)(a, b); }
INLINE vector NAME(zip_high64)(vector a, vector b) { return OF(unpackhi_epi64)(a, b); }

/// Eight 32-bit numbers in two halves.
typedef struct {
    vector low, high;
} NAME(wide);

INLINE NAME(wide) NAME(plus)(NAME(wide) a, NAME(wide) b) {
    return (NAME(wide)){OF(add_epi32)(a.low, b.low), OF(add_epi32)(a.high, b.high)};
}

INLINE NAME(wide) NAME(minus)(NAME(wide) a, NAME(wide) b) {
    return (NAME(wide)){OF(sub_epi32)(a.low, b.low), OF(sub_epi32)(a.high, b.high)};
}

/// Returns a * by_a + b * by_b.
INLINE NAME(wide) NAME(turned)(vector a, vector b, int by_a, int by_b) {
    const vector both = OF(set1_epi32)((int)((uint32_t)(uint16_t)by_a | (uint32_t)by_b << 16));
    return (NAME(wide)){OF(madd_epi16)(OF(unpacklo_epi16)(a, b), both), OF(madd_epi16)(OF(unpackhi_epi16)(a, b), both)};
}

INLINE NAME(wide) NAME(times8192)(vector a) {
    const vector zero = WHOLE(setzero)();
    return (NAME(wide)){OF(srai_epi32)(OF(unpacklo_epi16)(zero, a), 3), OF(srai_epi32)(OF(unpackhi_epi16)(zero, a), 3)};
}

/// Adds a half, so that a right shift by `shift` rounds.
INLINE NAME(wide) NAME(plus_half)(NAME(wide) a, int shift) {
    const vector half = OF(set1_epi32)(1 << (shift - 1));
    return NAME(plus)(a, (NAME(wide)){half, half});
}

/// Shifts right by `shift` and clamps to 16 bits.
INLINE vector NAME(narrowed)(NAME(wide) a, int shift) {
    return OF(packs_epi32)(OF(srai_epi32)(a.low, shift), OF(srai_epi32)(a.high, shift));
}

/// Converts the numbers of a, then of b, to samples in each lane: clamps to -128...127 and adds 128.
INLINE vector NAME(samples)(vector a, vector b) { return OF(add_epi8)(OF(packs_epi16)(a, b), OF(set1_epi8)(-128)); }

INLINE __m128i NAME(eight)(const void *numbers) { return _mm_loadu_si128(numbers); }

INLINE __m128i NAME(two_fours)(const void *first, const void *second) {
    return _mm_unpacklo_epi64(_mm_loadl_epi64(first), _mm_loadl_epi64(second));
}

INLINE vector NAME(lanes)(__m128i first, __m128i last) {
#if LANES == 1
    (void)last;
    return first;
#else
    return _mm256_inserti128_si256(_mm256_castsi128_si256(first), last, 1);
#endif
}

/// Multiplies by 2 to the power of `bits`. A negative power rounds.
INLINE vector NAME(scaled)(vector a, int bits) {
    if (bits >= 0) return OF(slli_epi16)(a, bits);
    return OF(srai_epi16)(OF(add_epi16)(a, OF(set1_epi16)((int16_t)(1 << (-bits - 1)))), -bits);
}

/// Returns samples minus 128.
INLINE vector NAME(centred)(const uint8_t *samples) {
    const vector offset = OF(set1_epi16)(128);
#if LANES == 1
    return OF(sub_epi16)(_mm_unpacklo_epi8(_mm_loadl_epi64((const void *)samples), _mm_setzero_si128()), offset);
#else
    return OF(sub_epi16)(_mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)samples)), offset);
#endif
}

INLINE vector NAME(repeated)(const uint16_t *numbers) {
    const __m128i eight = _mm_loadu_si128((const void *)numbers);
    return NAME(lanes)(eight, eight);
}

/// Divides numbers below 2^15 minus `half` by multiplication, and rounds.
INLINE vector NAME(quotient)(vector a, const uint16_t *half, const uint16_t *reciprocal, const uint16_t *scale) {
    const vector sign = OF(srai_epi16)(a, 15);
    const vector magnitude = OF(sub_epi16)(WHOLE(xor)(a, sign), sign);
    const vector product = OF(mulhi_epu16)(OF(add_epi16)(magnitude, NAME(repeated)(half)), NAME(repeated)(reciprocal));
    const vector quotient = OF(mulhi_epu16)(product, NAME(repeated)(scale));
    return OF(sub_epi16)(WHOLE(xor)(quotient, sign), sign);
}

/// Writes lane k to `rows` + 64 k.
INLINE void NAME(split)(vector a, int16_t *rows) {
#if LANES == 1
    _mm_storeu_si128((void *)rows, a);
#else
    _mm_storeu_si128((void *)rows, _mm256_castsi256_si128(a));
    _mm_storeu_si128((void *)(rows + 64), _mm256_extracti128_si256(a, 1));
#endif
}

/// Sets bit `first` + i if number i of a is not 0, and bit `first` + 8 + i if number i of b is not 0.
INLINE void NAME(add_nonzero)(vector a, vector b, int first, uint64_t *nonzero) {
    const uint32_t zero = (uint32_t)OF(movemask_epi8)(OF(cmpeq_epi8)(OF(packs_epi16)(a, b), NAME(zero)()));
    for (int lane = 0; lane < LANES; lane++) nonzero[lane] |= (uint64_t)(~zero >> (16 * lane) & 0xFFFF) << first;
}
