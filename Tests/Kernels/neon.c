// Compares the NEON kernels with the scalar ones over random input. Tests/Kernels/run builds it for ARM and runs it,
// emulated where the processor is another.
#include "CKernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// xorshift64 (Marsaglia, 2003): the same numbers in every run.
static uint64_t state = 88172645463325252u;

static uint32_t below(uint32_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % bound;
}

static void fail(const char *kernel, int a, int b) {
    fprintf(stderr, "%s: NEON differs from the scalar kernel (%d, %d)\n", kernel, a, b);
    exit(1);
}

enum { WIDTH = 512, MOST_TAPS = 64 };

static void test_passes(void) {
    static uint8_t rows[MOST_TAPS][WIDTH];
    static int16_t weights[WIDTH * MOST_TAPS], columns[2][WIDTH], samples[WIDTH + MOST_TAPS];
    static int32_t starts[WIDTH];
    static uint8_t out[2][WIDTH];
    const uint8_t *pointers[MOST_TAPS];
    for (int round = 0; round < 400; round++) {
        const int taps = 2 + 2 * (int)below(MOST_TAPS / 2), wide_taps = 8 + 8 * (int)below(MOST_TAPS / 8);
        const int count = 1 + (int)below(WIDTH);
        for (int k = 0; k < MOST_TAPS; k++) {
            for (int x = 0; x < WIDTH; x++) rows[k][x] = (uint8_t)below(256);
            pointers[k] = rows[k];
        }
        for (int i = 0; i < WIDTH * MOST_TAPS; i++) weights[i] = (int16_t)((int)below(16384 / 8) - 16384 / 24);
        for (int i = 0; i < WIDTH + MOST_TAPS; i++) samples[i] = (int16_t)((int)below(20000) - 2000);
        for (int i = 0; i < WIDTH; i++) starts[i] = (int32_t)below(WIDTH);
        apod_vertical(APOD_KERNEL_SCALAR, pointers, weights, taps, columns[0], count);
        apod_vertical(APOD_KERNEL_NEON, pointers, weights, taps, columns[1], count);
        if (memcmp(columns[0], columns[1], (size_t)count * 2) != 0) fail("apod_vertical", taps, count);
        apod_horizontal(APOD_KERNEL_SCALAR, samples, starts, weights, wide_taps, out[0], count);
        apod_horizontal(APOD_KERNEL_NEON, samples, starts, weights, wide_taps, out[1], count);
        if (memcmp(out[0], out[1], (size_t)count) != 0) fail("apod_horizontal", wide_taps, count);
    }
}

static void test_inverse_dct(int size) {
    enum { MOST = 16 };
    static int16_t coefficients[MOST * 64], means[MOST];
    static int32_t details[MOST];
    static uint16_t steps[64];
    static uint8_t out[2][8][MOST * 8];
    const int stride = size <= 2 ? size : size <= 4 ? 4 : 8, area = size * stride;
    for (int round = 0; round < 4000; round++) {
        const int count = 1 + (int)below(MOST), is_hostile = below(4) == 0;
        memset(coefficients, 0, sizeof coefficients);
        for (int i = 0; i < area; i++) steps[i] = (uint16_t)(is_hostile ? below(65536) : 1 + below(40));
        for (int i = 0; i < count; i++) {
            means[i] = (int16_t)(is_hostile ? below(65536) : below(400) - 200);
            details[i] = below(4) == 0 ? -1 : i * area;
            const int rows = below(4) == 0 ? 1 : size;
            for (int place = 0; place < rows * stride; place++) {
                if (place % stride >= size || below(3) != 0) continue;
                coefficients[i * area + place] = (int16_t)(is_hostile ? below(65536) : below(60) - 30);
            }
        }
        for (int level = 0; level < 2; level++) {
            uint8_t *rows[8];
            for (int y = 0; y < 8; y++) rows[y] = out[level][y];
            const apod_dct_blocks blocks = {means, details, 1, coefficients, (int16_t)(round % 5), steps};
            apod_inverse_dct(level == 0 ? APOD_KERNEL_SCALAR : APOD_KERNEL_NEON, size, &blocks, count, rows, 0, size);
        }
        if (memcmp(out[0], out[1], sizeof out[0]) != 0) fail("apod_inverse_dct", size, round);
    }
}

int main(void) {
    const int sizes[] = {1, 2, 3, 4, 5, 6, 8};
    if (apod_kernel_best() != APOD_KERNEL_NEON) fail("apod_kernel_best", 0, 0);
    test_passes();
    for (int i = 0; i < 7; i++) test_inverse_dct(sizes[i]);
    return 0;
}
