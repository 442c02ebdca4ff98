// The transforms of dct.c in vectors of LANES times 8 numbers of 16 bits. Included once per KIND of vectors.
// Each lane contains a row of a block. If blocks have at most 4 columns, a lane contains the same row of two blocks.

/// Transposes 8 x 8 numbers in each lane.
INLINE void NAME(transpose)(vector r[8]) {
    // Each round rotates the 6 bits of a number's position by one bit, so three rounds exchange row and column.
    for (int round = 0; round < 3; round++) {
        vector zipped[8];
        for (int i = 0; i < 4; i++) {
            zipped[2 * i] = NAME(zip_low16)(r[i], r[i + 4]);
            zipped[2 * i + 1] = NAME(zip_high16)(r[i], r[i + 4]);
        }
        for (int i = 0; i < 8; i++) r[i] = zipped[i];
    }
}

/// Transposes two matrices of 4 x 4 numbers that are side by side in each lane.
INLINE void NAME(transpose_two)(vector r[4]) {
    const vector a = NAME(zip_low16)(r[0], r[2]), b = NAME(zip_high16)(r[0], r[2]);
    const vector c = NAME(zip_low16)(r[1], r[3]), d = NAME(zip_high16)(r[1], r[3]);
    const vector first[2] = {NAME(zip_low16)(a, c), NAME(zip_high16)(a, c)};
    const vector second[2] = {NAME(zip_low16)(b, d), NAME(zip_high16)(b, d)};
    for (int i = 0; i < 2; i++) {
        r[2 * i] = NAME(zip_low64)(first[i], second[i]);
        r[2 * i + 1] = NAME(zip_high64)(first[i], second[i]);
    }
}

/// Applies a pass of the full transform to columns, like the scalar `pass_8`.
INLINE void NAME(pass_8)(vector r[8], int shift) {
    const NAME(wide) t0 = NAME(plus_half)(NAME(times8192)(NAME(add16)(r[0], r[4])), shift);
    const NAME(wide) t1 = NAME(plus_half)(NAME(times8192)(NAME(sub16)(r[0], r[4])), shift);
    const NAME(wide) t2 = NAME(turned)(r[2], r[6], C, C - H), t3 = NAME(turned)(r[2], r[6], C + D, C);
    const NAME(wide) even[4] = {NAME(plus)(t0, t3), NAME(plus)(t1, t2), NAME(minus)(t1, t2), NAME(minus)(t0, t3)};
    const vector z3 = NAME(add16)(r[7], r[3]), z4 = NAME(add16)(r[5], r[1]);
    const NAME(wide) a = NAME(turned)(z3, z4, F - I, F), b = NAME(turned)(z3, z4, F, F - B);
    const NAME(wide) odd[4] = {
        NAME(plus)(NAME(turned)(r[7], r[1], -E, G - E), b),
        NAME(plus)(NAME(turned)(r[5], r[3], -K, L - K), a),
        NAME(plus)(NAME(turned)(r[5], r[3], J - K, -K), b),
        NAME(plus)(NAME(turned)(r[7], r[1], A - E, -E), a),
    };
    for (int i = 0; i < 4; i++) {
        r[i] = NAME(narrowed)(NAME(plus)(even[i], odd[i]), shift);
        r[7 - i] = NAME(narrowed)(NAME(minus)(even[i], odd[i]), shift);
    }
}

/// Applies a pass of a reduced transform to columns.
INLINE void NAME(pass_by_matrix)(int size, const int16_t *matrix, vector r[8], int shift) {
    vector out[6];
#pragma clang loop unroll(full)
    for (int y = 0; y < size; y++) {
        NAME(wide) sum = NAME(plus_half)(NAME(turned)(r[0], r[1], matrix[y], matrix[size + y]), shift);
#pragma clang loop unroll(full)
        for (int v = 2; v < size; v += 2) {
            const int next = v + 1 < size ? matrix[(v + 1) * size + y] : 0;
            sum = NAME(plus)(sum, NAME(turned)(r[v], r[v + 1], matrix[v * size + y], next));
        }
        out[y] = NAME(narrowed)(sum, shift);
    }
    for (int y = 0; y < size; y++) r[y] = out[y];
}

/// Transposes the samples back and writes each block.
INLINE void NAME(store)(int size, const vector r[8], const placed_block *blocks, uint8_t *const *rows) {
    const int stride = size <= 4 ? 4 : 8, count = stride / 2;
    vector s[4];
    for (int i = 0; i < count; i++) s[i] = NAME(samples)(r[2 * i], r[2 * i + 1]);
    // Zip as in `transpose`. Each lane then has two rows of 8, or four rows of 4 samples.
    for (int round = 0; round < (stride == 8 ? 3 : 2); round++) {
        vector zipped[4];
        for (int i = 0; i < count / 2; i++) {
            zipped[2 * i] = NAME(zip_low8)(s[i], s[i + count / 2]);
            zipped[2 * i + 1] = NAME(zip_high8)(s[i], s[i + count / 2]);
        }
        for (int i = 0; i < count; i++) s[i] = zipped[i];
    }
    uint8_t samples[4][LANES][16];
    memcpy(samples, s, sizeof samples);
    for (int i = 0; i < LANES * 8 / stride; i++) {
        for (int y = 0; y < size; y++) {
            const uint8_t *row = stride == 8 ? &samples[y / 2][i][y % 2 * 8] : &samples[i % 2][i / 2][y * 4];
            memcpy(rows[y] + blocks[i].x, row, (size_t)size);
        }
    }
}

/// Transforms as many blocks as the vectors contain. `matrix` is NULL for the full transform.
INLINE void NAME(blocks)(int size, const int16_t *matrix, const placed_block *blocks, const uint16_t *steps,
                         uint8_t *const *rows) {
    const int stride = size <= 4 ? 4 : 8;
    vector r[8];
    for (int v = 0; v < 8; v++) r[v] = NAME(zero)();
    for (int v = 0; v < size; v++) {
        const int place = v * stride;
        vector coefficients, step;
        if (stride == 8) {
            const placed_block *last = blocks + LANES - 1;
            coefficients = NAME(lanes)(NAME(eight)(blocks->block + place), NAME(eight)(last->block + place));
            step = NAME(lanes)(NAME(eight)(steps + place), NAME(eight)(steps + place));
        } else {
            const placed_block *last = blocks + 2 * (LANES - 1);
            coefficients = NAME(lanes)(NAME(two_fours)(blocks[0].block + place, blocks[1].block + place),
                                       NAME(two_fours)(last[0].block + place, last[1].block + place));
            step = NAME(lanes)(NAME(two_fours)(steps + place, steps + place),
                               NAME(two_fours)(steps + place, steps + place));
        }
        r[v] = NAME(mul16)(coefficients, step);
    }
    if (matrix != NULL) NAME(pass_by_matrix)(size, matrix, r, 10);
    else NAME(pass_8)(r, 11);
    if (stride == 8) NAME(transpose)(r);
    else NAME(transpose_two)(r);
    if (matrix != NULL) NAME(pass_by_matrix)(size, matrix, r, 16);
    else NAME(pass_8)(r, 18);
    NAME(store)(size, r, blocks, rows);
}

TARGET static void NAME(transform)(int size, const placed_block *blocks, const uint16_t *steps, uint8_t *const *rows) {
    switch (size) {
    case 3: NAME(blocks)(3, matrix_3, blocks, steps, rows); break;
    case 4: NAME(blocks)(4, matrix_4, blocks, steps, rows); break;
    case 5: NAME(blocks)(5, matrix_5, blocks, steps, rows); break;
    case 6: NAME(blocks)(6, matrix_6, blocks, steps, rows); break;
    default: NAME(blocks)(8, NULL, blocks, steps, rows);
    }
}

/// Applies a pass of the forward transform to columns, like the scalar `forward_pass`.
INLINE void NAME(forward_pass)(vector r[8], int bits) {
    vector sums[4], d[4];
    for (int i = 0; i < 4; i++) {
        sums[i] = NAME(add16)(r[i], r[7 - i]);
        d[i] = NAME(sub16)(r[i], r[7 - i]);
    }
    const vector outer = NAME(add16)(sums[0], sums[3]), inner = NAME(add16)(sums[1], sums[2]);
    const vector high = NAME(sub16)(sums[0], sums[3]), low = NAME(sub16)(sums[1], sums[2]);
    r[0] = NAME(scaled)(NAME(add16)(outer, inner), bits);
    r[4] = NAME(scaled)(NAME(sub16)(outer, inner), bits);
    const int shift = 13 - bits;
    r[2] = NAME(narrowed)(NAME(plus_half)(NAME(turned)(high, low, C + D, C), shift), shift);
    r[6] = NAME(narrowed)(NAME(plus_half)(NAME(turned)(high, low, C, C - H), shift), shift);
    const vector z3 = NAME(add16)(d[3], d[1]), z4 = NAME(add16)(d[2], d[0]);
    const NAME(wide) a = NAME(plus_half)(NAME(turned)(z3, z4, F - I, F), shift);
    const NAME(wide) b = NAME(plus_half)(NAME(turned)(z3, z4, F, F - B), shift);
    r[7] = NAME(narrowed)(NAME(plus)(NAME(turned)(d[3], d[0], A - E, -E), a), shift);
    r[5] = NAME(narrowed)(NAME(plus)(NAME(turned)(d[2], d[1], J - K, -K), b), shift);
    r[3] = NAME(narrowed)(NAME(plus)(NAME(turned)(d[2], d[1], -K, L - K), a), shift);
    r[1] = NAME(narrowed)(NAME(plus)(NAME(turned)(d[3], d[0], -E, G - E), b), shift);
}

/// Transforms and quantises LANES adjacent blocks.
TARGET static void NAME(quantize)(const uint8_t *const *rows, ptrdiff_t x, const apod_divisors *divisors,
                                  int16_t *blocks, uint64_t *nonzero) {
    vector r[8];
    for (int y = 0; y < 8; y++) r[y] = NAME(centred)(rows[y] + x);
    NAME(transpose)(r);
    NAME(forward_pass)(r, 2);
    NAME(transpose)(r);
    NAME(forward_pass)(r, -2);
    for (int lane = 0; lane < LANES; lane++) nonzero[lane] = 0;
    for (int v = 0; v < 8; v += 2) {
        for (int i = v; i < v + 2; i++) {
            r[i] = NAME(quotient)(r[i], divisors->half + 8 * i, divisors->reciprocal + 8 * i, divisors->scale + 8 * i);
            NAME(split)(r[i], blocks + 8 * i);
        }
        NAME(add_nonzero)(r[v], r[v + 1], 8 * v, nonzero);
    }
}
