#include "CKernels.h"

#include <stdlib.h>
#include <string.h>

// The filters of PNG 9.2 and 9.4, which unfilter.c inverts.

static inline uint8_t predicted(int a, int b, int c) {
    const int to_a = abs(b - c), to_b = abs(a - c), to_c = abs(a + b - 2 * c);
    return (uint8_t)(to_a <= to_b && to_a <= to_c ? a : to_b <= to_c ? b : c);
}

void apod_filter(int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *restrict out,
                 ptrdiff_t count) {
    const ptrdiff_t first = pixel < count ? pixel : count;
    switch (filter) {
    case 1:
        memcpy(out, in, (size_t)first);
        for (ptrdiff_t i = first; i < count; i++) out[i] = (uint8_t)(in[i] - in[i - pixel]);
        break;
    case 2:
        for (ptrdiff_t i = 0; i < count; i++) out[i] = (uint8_t)(in[i] - above[i]);
        break;
    case 3:
        for (ptrdiff_t i = 0; i < first; i++) out[i] = (uint8_t)(in[i] - above[i] / 2);
        for (ptrdiff_t i = first; i < count; i++) out[i] = (uint8_t)(in[i] - (in[i - pixel] + above[i]) / 2);
        break;
    case 4:
        for (ptrdiff_t i = 0; i < first; i++) out[i] = (uint8_t)(in[i] - above[i]);
        for (ptrdiff_t i = first; i < count; i++) {
            out[i] = (uint8_t)(in[i] - predicted(in[i - pixel], above[i], above[i - pixel]));
        }
        break;
    default: memcpy(out, in, (size_t)count);
    }
}

int64_t apod_filtered_sum(const uint8_t *row, ptrdiff_t count) {
    int64_t sum = 0;
    for (ptrdiff_t i = 0; i < count; i++) sum += row[i] < 128 ? row[i] : 256 - row[i];
    return sum;
}

// Returns n times the binary logarithm of n in 256ths, interpolated linearly between powers of two.
static int64_t times_logarithm(uint32_t n) {
    if (n < 2) return 0;
    const int whole = 31 - __builtin_clz(n);
    return (int64_t)n * (whole * 256 + (int64_t)(((uint64_t)(n - (1u << whole)) << 8) >> whole));
}

int64_t apod_filtered_entropy(const uint8_t *row, ptrdiff_t count) {
    uint32_t counts[256] = {0};
    for (ptrdiff_t i = 0; i < count; i++) counts[row[i]]++;
    int64_t bits = times_logarithm((uint32_t)count);
    for (int value = 0; value < 256; value++) bits -= times_logarithm(counts[value]);
    return bits;
}

int64_t apod_filtered_pairs(const uint8_t *row, ptrdiff_t count) {
    uint64_t seen[1024] = {0};
    int64_t pairs = 0;
    for (ptrdiff_t i = 1; i < count; i++) {
        const unsigned pair = (unsigned)row[i - 1] << 8 | row[i];
        const uint64_t bit = (uint64_t)1 << (pair & 63);
        pairs += (seen[pair >> 6] & bit) == 0;
        seen[pair >> 6] |= bit;
    }
    return pairs;
}
