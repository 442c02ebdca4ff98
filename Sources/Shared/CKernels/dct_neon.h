// The vector operations of dct_vectors.h in NEON.

INLINE vector NAME(add16)(vector a, vector b) { return vaddq_s16(a, b); }
INLINE vector NAME(sub16)(vector a, vector b) { return vsubq_s16(a, b); }
INLINE vector NAME(mul16)(vector a, vector b) { return vmulq_s16(a, b); }
INLINE vector NAME(zero)(void) { return vdupq_n_s16(0); }

INLINE vector NAME(zip_low8)(vector a, vector b) {
    return vreinterpretq_s16_s8(vzip1q_s8(vreinterpretq_s8_s16(a), vreinterpretq_s8_s16(b)));
}

INLINE vector NAME(zip_high8)(vector a, vector b) {
    return vreinterpretq_s16_s8(vzip2q_s8(vreinterpretq_s8_s16(a), vreinterpretq_s8_s16(b)));
}

INLINE vector NAME(zip_low16)(vector a, vector b) { return vzip1q_s16(a, b); }
INLINE vector NAME(zip_high16)(vector a, vector b) { return vzip2q_s16(a, b); }

INLINE vector NAME(zip_low64)(vector a, vector b) {
    return vreinterpretq_s16_s64(vzip1q_s64(vreinterpretq_s64_s16(a), vreinterpretq_s64_s16(b)));
}

INLINE vector NAME(zip_high64)(vector a, vector b) {
    return vreinterpretq_s16_s64(vzip2q_s64(vreinterpretq_s64_s16(a), vreinterpretq_s64_s16(b)));
}

/// Eight 32-bit numbers in two halves.
typedef struct {
    int32x4_t low, high;
} NAME(wide);

INLINE NAME(wide) NAME(plus)(NAME(wide) a, NAME(wide) b) {
    return (NAME(wide)){vaddq_s32(a.low, b.low), vaddq_s32(a.high, b.high)};
}

INLINE NAME(wide) NAME(minus)(NAME(wide) a, NAME(wide) b) {
    return (NAME(wide)){vsubq_s32(a.low, b.low), vsubq_s32(a.high, b.high)};
}

/// Returns a * by_a + b * by_b.
INLINE NAME(wide) NAME(turned)(vector a, vector b, int by_a, int by_b) {
    return (NAME(wide)){
        vmlal_n_s16(vmull_n_s16(vget_low_s16(a), (int16_t)by_a), vget_low_s16(b), (int16_t)by_b),
        vmlal_n_s16(vmull_n_s16(vget_high_s16(a), (int16_t)by_a), vget_high_s16(b), (int16_t)by_b),
    };
}

INLINE NAME(wide) NAME(times8192)(vector a) {
    return (NAME(wide)){vshll_n_s16(vget_low_s16(a), 13), vshll_n_s16(vget_high_s16(a), 13)};
}

/// Adds a half, so that a right shift by `shift` rounds.
INLINE NAME(wide) NAME(plus_half)(NAME(wide) a, int shift) {
    const int32x4_t half = vdupq_n_s32(1 << (shift - 1));
    return NAME(plus)(a, (NAME(wide)){half, half});
}

/// Shifts right by `shift` and clamps to 16 bits.
INLINE vector NAME(narrowed)(NAME(wide) a, int shift) {
    const int32x4_t right = vdupq_n_s32(-shift);
    return vcombine_s16(vqmovn_s32(vshlq_s32(a.low, right)), vqmovn_s32(vshlq_s32(a.high, right)));
}

/// Converts the numbers of a, then of b, to samples: clamps to -128...127 and adds 128.
INLINE vector NAME(samples)(vector a, vector b) {
    const int8x16_t held = vcombine_s8(vqmovn_s16(a), vqmovn_s16(b));
    return vreinterpretq_s16_s8(veorq_s8(held, vdupq_n_s8(-128)));
}

INLINE vector NAME(eight)(const void *numbers) { return vld1q_s16(numbers); }

INLINE vector NAME(two_fours)(const void *first, const void *second) {
    return vcombine_s16(vld1_s16(first), vld1_s16(second));
}

INLINE vector NAME(lanes)(vector first, vector last) {
    (void)last;
    return first;
}

/// Multiplies by 2 to the power of `bits`. A negative power rounds.
INLINE vector NAME(scaled)(vector a, int bits) { return vrshlq_s16(a, vdupq_n_s16((int16_t)bits)); }

/// Returns samples minus 128.
INLINE vector NAME(centred)(const uint8_t *samples) {
    return vreinterpretq_s16_u16(vsubl_u8(vld1_u8(samples), vdup_n_u8(128)));
}

INLINE uint16x8_t NAME(high_product)(uint16x8_t a, uint16x8_t b) {
    const uint32x4_t low = vmull_u16(vget_low_u16(a), vget_low_u16(b));
    const uint32x4_t high = vmull_u16(vget_high_u16(a), vget_high_u16(b));
    return vcombine_u16(vshrn_n_u32(low, 16), vshrn_n_u32(high, 16));
}

/// Divides numbers below 2^15 minus `half` by multiplication, and rounds.
INLINE vector NAME(quotient)(vector a, const uint16_t *half, const uint16_t *reciprocal, const uint16_t *scale) {
    const vector sign = vshrq_n_s16(a, 15);
    const uint16x8_t sum = vaddq_u16(vreinterpretq_u16_s16(vabsq_s16(a)), vld1q_u16(half));
    const uint16x8_t product = NAME(high_product)(NAME(high_product)(sum, vld1q_u16(reciprocal)), vld1q_u16(scale));
    return vsubq_s16(veorq_s16(vreinterpretq_s16_u16(product), sign), sign);
}

INLINE void NAME(split)(vector a, int16_t *rows) { vst1q_s16(rows, a); }

/// Sets bit `first` + i if number i of a is not 0, and bit `first` + 8 + i if number i of b is not 0.
INLINE void NAME(add_nonzero)(vector a, vector b, int first, uint64_t *nonzero) {
    static const uint16_t bits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const uint16x8_t places = vld1q_u16(bits);
    const uint64_t low = vaddvq_u16(vandq_u16(vtstq_s16(a, a), places));
    const uint64_t high = vaddvq_u16(vandq_u16(vtstq_s16(b, b), places));
    *nonzero |= (low | high << 8) << first;
}
