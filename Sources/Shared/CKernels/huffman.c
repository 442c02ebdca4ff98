#include "CKernels.h"

#include <stdlib.h>
#include <string.h>

/// The position in zigzag order of each row-major position, and the inverse (T.81, figure A.6).
static const uint8_t order[64] = {
    0,  1,  5,  6,  14, 15, 27, 28, 2,  4,  7,  13, 16, 26, 29, 42, 3,  8,  12, 17, 25, 30,
    41, 43, 9,  11, 18, 24, 31, 40, 44, 53, 10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38,
    46, 51, 55, 60, 21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63,
};
static const uint8_t places[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

enum { END_OF_BLOCK = 0, SIXTEEN_ZEROS = 0xF0, SILENT_END = 0xFF };

static inline int bit_count(int value) { return value == 0 ? 0 : 32 - __builtin_clz((unsigned)abs(value)); }

/// Writes a symbol and its magnitude bits: the lowest `size` bits of a value, or of a negative value minus 1.
static inline uint8_t *put(uint8_t *out, int symbol, int size, int value) {
    const uint32_t bits = (uint32_t)(value + (value >> 31)) & ((1u << size) - 1);
    out[0] = (uint8_t)symbol;
    out[1] = (uint8_t)bits;
    out[2] = (uint8_t)(bits >> 8);
    return out + APOD_SYMBOL_BYTES;
}

/// Writes the symbols of the AC coefficients.
static inline uint8_t *put_ac(uint8_t *out, const int16_t *block, uint64_t nonzero, uint32_t *uses) {
    uint64_t ordered = 0;
    for (uint64_t rest = nonzero & ~1ull; rest != 0; rest &= rest - 1) ordered |= 1ull << order[__builtin_ctzll(rest)];
    int last = 0;
    for (; ordered != 0; ordered &= ordered - 1) {
        const int k = __builtin_ctzll(ordered);
        int zeros = k - last - 1;
        for (; zeros > 15; zeros -= 16) {
            out = put(out, SIXTEEN_ZEROS, 0, 0);
            uses[SIXTEEN_ZEROS]++;
        }
        const int value = block[places[k]], size = bit_count(value), symbol = zeros << 4 | size;
        uses[symbol]++;
        out = put(out, symbol, size, value);
        last = k;
    }
    if (last == 63) return put(out, SILENT_END, 0, 0);
    uses[END_OF_BLOCK]++;
    return put(out, END_OF_BLOCK, 0, 0);
}

ptrdiff_t apod_write_symbols(apod_mcu_component *components, ptrdiff_t count, ptrdiff_t mcus, uint8_t *out) {
    uint8_t *const start = out;
    for (ptrdiff_t mcu = 0; mcu < mcus; mcu++) {
        for (apod_mcu_component *own = components; own < components + count; own++) {
            for (ptrdiff_t i = 0; i < own->across * own->down; i++) {
                const ptrdiff_t column = mcu * own->across + i % own->across, row = i / own->across;
                const ptrdiff_t place = row * own->columns + column;
                // A block that only completes an MCU repeats the DC coefficient, which needs the fewest bits.
                const int exists = column < own->columns && row < own->rows;
                const int16_t *block = own->blocks + 64 * place;
                const int difference = exists ? block[0] - own->dc : 0, size = bit_count(difference);
                own->dc += difference;
                own->dc_uses[size]++;
                out = put(out, size, size, difference);
                out = put_ac(out, block, exists ? own->nonzero[place] : 0, own->ac_uses);
            }
        }
    }
    return out - start;
}

/// Writes 4 bytes, and a zero after each byte of 0xFF (T.81 F.1.2.3).
static inline uint8_t *put_word(uint8_t *out, uint32_t word) {
    if (__builtin_expect((word & 0x80808080 & (~word - 0x01010101)) == 0, 1)) {
        word = __builtin_bswap32(word);
        memcpy(out, &word, 4);
        return out + 4;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        *out++ = (uint8_t)(word >> shift);
        if (out[-1] == 0xFF) *out++ = 0;
    }
    return out;
}

typedef struct {
    const uint8_t *symbols;
    uint8_t *out;
    uint64_t bits;
    int pending;
} code_writer;

static inline void put_code(code_writer *writer, const apod_code *codes) {
    const apod_code code = codes[writer->symbols[0]];
    uint16_t magnitude;
    memcpy(&magnitude, writer->symbols + 1, sizeof magnitude);
    writer->symbols += APOD_SYMBOL_BYTES;
    writer->bits = writer->bits << code.length | code.bits | (magnitude & code.mask);
    writer->pending += code.length;
    if (writer->pending < 32) return;
    writer->pending -= 32;
    writer->out = put_word(writer->out, (uint32_t)(writer->bits >> writer->pending));
}

ptrdiff_t apod_write_codes(const uint8_t *symbols, ptrdiff_t count, const apod_code *codes, const uint8_t *is_chroma,
                           ptrdiff_t blocks, apod_bits *state, uint8_t *out) {
    code_writer writer = {symbols, out, state->bits, state->count};
    for (ptrdiff_t block = 0; writer.symbols < symbols + count; block = block + 1 == blocks ? 0 : block + 1) {
        const apod_code *own = codes + 512 * is_chroma[block];
        put_code(&writer, own);
        for (int symbol = 1; symbol != END_OF_BLOCK && symbol != SILENT_END;) {
            symbol = *writer.symbols;
            put_code(&writer, own + 256);
        }
    }
    *state = (apod_bits){writer.bits, writer.pending};
    return writer.out - out;
}
