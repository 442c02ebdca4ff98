// Compares the NEON kernels with the portable kernels on random and extreme numbers. Exits with status 1 at the first
// difference. Tests/Kernels/run builds it for ARM, and runs it under emulation on other processors.

#include "CKernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/// xorshift64 (Marsaglia, 2003).
static uint64_t random_state = 88172645463325252;

static uint32_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

static int below(int bound) { return (int)(random_word() % (uint32_t)bound); }

/// The kind of random numbers in a round.
typedef enum { SMALL, ANY, EXTREME, KINDS } kind;

static int16_t random_number(kind kind) {
    static const int16_t extremes[] = {INT16_MIN, INT16_MIN + 1, -1, 0, 1, INT16_MAX - 1, INT16_MAX};
    switch (kind) {
    case SMALL: return (int16_t)(below(41) - 20);
    case EXTREME: return extremes[below(LENGTH(extremes))];
    default: return (int16_t)random_word();
    }
}

static uint8_t random_byte(kind kind) {
    return kind == SMALL ? (uint8_t)below(4) : kind == EXTREME ? (uint8_t)-below(2) : (uint8_t)random_word();
}

static void fill(void *bytes, size_t count, kind kind) {
    for (size_t i = 0; i < count; i++) ((uint8_t *)bytes)[i] = random_byte(kind);
}

/// The initial value of all output bytes, to detect writes outside a kernel's output.
#define UNTOUCHED 0xA5

/// The size of the longest output of a round, in bytes.
#define MOST 4096

typedef void kernel(apod_kernel_level level, uint8_t *out, const void *input);

/// Runs a kernel with NEON and with portable code, and compares the outputs.
static void compare(const char *name, kernel *run, const void *input) {
    static uint8_t expected[MOST], out[MOST];
    memset(expected, UNTOUCHED, MOST);
    memset(out, UNTOUCHED, MOST);
    run(APOD_KERNEL_SCALAR, expected, input);
    run(APOD_KERNEL_NEON, out, input);
    for (int i = 0; i < MOST; i++) {
        if (out[i] == expected[i]) continue;
        printf("FAIL %s by NEON: byte %d is %d instead of %d\n", name, i, out[i], expected[i]);
        exit(1);
    }
}

typedef struct {
    uint8_t samples[24][320];
    int16_t weights[24];
    ptrdiff_t taps, count;
} vertical_input;

static void run_vertical(apod_kernel_level level, uint8_t *out, const void *input) {
    const vertical_input *in = input;
    const uint8_t *rows[24];
    for (int k = 0; k < 24; k++) rows[k] = in->samples[k];
    int16_t sums[320];
    apod_vertical(level, rows, in->weights, in->taps, sums, in->count);
    memcpy(out, sums, (size_t)in->count * sizeof *sums);
}

static void check_vertical(kind kind) {
    static vertical_input in;
    fill(in.samples, sizeof in.samples, kind);
    in.taps = 2 * (1 + below(12));
    in.count = 1 + below(320);
    for (int k = 0; k < in.taps; k++) in.weights[k] = random_number(kind);
    compare("vertical", run_vertical, &in);
}

typedef struct {
    int16_t samples[400], weights[60 * 40];
    int32_t starts[60];
    ptrdiff_t taps, count;
} horizontal_input;

static void run_horizontal(apod_kernel_level level, uint8_t *out, const void *input) {
    const horizontal_input *in = input;
    apod_horizontal(level, in->samples, in->starts, in->weights, in->taps, out, in->count);
}

static void check_horizontal(kind kind) {
    static horizontal_input in;
    in.taps = 8 * (1 + below(5));
    in.count = below(61);
    // The sums must fit into 32 bits. Every second sum of small numbers ends in a half, which rounds up.
    for (int i = 0; i < 400; i++) {
        in.samples[i] = kind == SMALL ? (int16_t)((below(7) - 3) * 8192) : random_number(kind);
    }
    for (int i = 0; i < in.count * in.taps; i++) {
        const int number = random_number(kind);
        in.weights[i] = (int16_t)(kind == SMALL ? number * 64 : number / (int)in.taps);
    }
    for (int i = 0; i < in.count; i++) in.starts[i] = below(401 - (int)in.taps);
    compare("horizontal", run_horizontal, &in);
}

typedef struct {
    uint8_t row[400], above[400];
    int filter;
    ptrdiff_t pixel, count;
} unfilter_input;

static void run_unfilter(apod_kernel_level level, uint8_t *out, const void *input) {
    const unfilter_input *in = input;
    if (apod_unfilter(level, in->filter, in->pixel, in->row, in->above, out, in->count) != 0) abort();
}

static void check_unfilter(kind kind) {
    static unfilter_input in;
    fill(in.row, sizeof in.row, kind);
    fill(in.above, sizeof in.above, kind);
    in.filter = below(5);
    in.pixel = 1 + below(8);
    in.count = in.pixel * (1 + below(50));
    compare("unfilter", run_unfilter, &in);
}

typedef struct {
    int16_t dc[36], coefficients[12 * 64], dc_offset;
    int32_t ac_offsets[36];
    uint16_t steps[64];
    int size;
    ptrdiff_t stride, count, x_step;
} dct_input;

static void run_dct(apod_kernel_level level, uint8_t *out, const void *input) {
    dct_input in = *(const dct_input *)input;
    uint8_t *rows[8];
    for (int y = 0; y < 8; y++) rows[y] = out + MOST / 8 * y;
    const apod_dct_blocks blocks = {in.dc, in.ac_offsets, in.stride, in.coefficients, in.dc_offset, in.steps};
    apod_inverse_dct(level, in.size, &blocks, in.count, rows, 3, in.x_step);
}

static void check_dct(kind kind) {
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 8};
    static dct_input in;
    in.size = sizes[below(LENGTH(sizes))];
    in.stride = 1 + below(3);
    in.count = below(13);
    in.x_step = in.size + below(4);
    in.dc_offset = random_number(kind);
    const int across = in.size <= 2 ? in.size : in.size <= 4 ? 4 : 8, area = across * in.size;
    for (int i = 0; i < area; i++) in.steps[i] = (uint16_t)random_number(kind);
    memset(in.coefficients, 0, sizeof in.coefficients);
    for (int i = 0; i < in.count; i++) {
        in.dc[i * in.stride] = random_number(kind);
        // The block has only DC, few frequencies, only frequencies of the first row, or all frequencies.
        const int shape = below(4);
        in.ac_offsets[i * in.stride] = shape == 0 ? -1 : i * area;
        for (int place = 0; place < area && shape > 0; place++) {
            const int is_zero = place % across >= in.size || (shape == 1 && below(8) > 0) ||
                                (shape == 2 && place >= across);
            if (!is_zero) in.coefficients[i * area + place] = random_number(kind);
        }
    }
    compare("inverse DCT", run_dct, &in);
}

typedef struct {
    uint8_t samples[8][8 * 7], steps[64];
    ptrdiff_t count;
} quantize_input;

static void run_quantize(apod_kernel_level level, uint8_t *out, const void *input) {
    const quantize_input *in = input;
    const uint8_t *rows[8];
    for (int y = 0; y < 8; y++) rows[y] = in->samples[y];
    const apod_divisors divisors = apod_divisors_of(in->steps);
    int16_t blocks[7 * 64];
    uint64_t nonzero[7];
    apod_quantize(level, rows, in->count, &divisors, blocks, nonzero);
    memcpy(out, blocks, (size_t)in->count * 64 * sizeof *blocks);
    memcpy(out + sizeof blocks, nonzero, (size_t)in->count * sizeof *nonzero);
}

static void check_quantize(kind kind) {
    static quantize_input in;
    fill(in.samples, sizeof in.samples, kind);
    for (int i = 0; i < 64; i++) in.steps[i] = (uint8_t)(1 + below(kind == SMALL ? 4 : 255));
    in.count = below(8);
    compare("quantize", run_quantize, &in);
}

int main(void) {
    if (apod_kernel_best() != APOD_KERNEL_NEON) {
        puts("FAIL NEON is not the best level");
        return 1;
    }
    for (int round = 0; round < 20000; round++) {
        const kind kind = round % KINDS;
        check_vertical(kind);
        check_horizontal(kind);
        check_unfilter(kind);
        check_dct(kind);
        check_quantize(kind);
    }
    return 0;
}
