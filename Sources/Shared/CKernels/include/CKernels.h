#pragma once
#include <stddef.h>
#include <stdint.h>

// The inner loops of image processing. Functions are pure, return the same bytes on every processor, and do not
// allocate. Weights have 14 fractional bits; the weights of an output sample sum to 16384.

/// The instruction sets that kernels support.
typedef enum {
    APOD_KERNEL_SCALAR = 0,
    APOD_KERNEL_SSE2 = 1,
    APOD_KERNEL_AVX2 = 2,
    APOD_KERNEL_NEON = 3,
} apod_kernel_level;

/// Returns the best level of this processor.
apod_kernel_level apod_kernel_best(void);

/// The block size of the vertical pass, in samples. Rows need space for another block after their end, because the pass
/// reads and writes whole blocks.
#define APOD_KERNEL_BLOCK 64

/// The vertical pass: `out[x] = (128 + sum of rows[k][x] * weights[k]) >> 8` for x below `count`. `out` has 6
/// fractional bits. `taps` is even. Rows must be readable, and `out` writable, up to the next multiple of
/// APOD_KERNEL_BLOCK. The processor must support `level`.
void apod_vertical(apod_kernel_level level, const uint8_t *const *rows, const int16_t *weights, ptrdiff_t taps,
                   int16_t *out, ptrdiff_t count);

/// The horizontal pass: `out[i]` is the sum of `in[starts[i] + k] * weights[i * taps + k]` over k, which has 20
/// fractional bits, rounded to an integer and clamped to 0...255. `taps` is a multiple of 8; `in` must be readable up
/// to `starts[i] + taps`.
void apod_horizontal(apod_kernel_level level, const int16_t *in, const int32_t *starts, const int16_t *weights,
                     ptrdiff_t taps, uint8_t *out, ptrdiff_t count);

/// Splits `count` pixels of `channels` (2, 3 or 4) samples into planes. Plane c begins at `planes + c * stride`.
void apod_deinterleave(const int16_t *pixels, ptrdiff_t channels, int16_t *planes, ptrdiff_t stride, ptrdiff_t count);

/// Interleaves planes to `count` pixels of `channels` (2, 3 or 4) samples. Plane c begins at `planes + c * stride`.
void apod_interleave(const uint8_t *planes, ptrdiff_t stride, ptrdiff_t channels, uint8_t *pixels, ptrdiff_t count);

/// Composites pixels with straight alpha (`channels` 2 or 4) over a background of `channels - 1` samples. The result is
/// rounded and has no alpha.
void apod_flatten(const uint8_t *pixels, ptrdiff_t channels, const uint8_t *background, uint8_t *out, ptrdiff_t count);

/// Converts inverted CMYK (255 is no ink, as in Adobe files) to RGB by multiplication.
void apod_cmyk_to_rgb(const uint8_t *cmyk, uint8_t *rgb, ptrdiff_t count);

/// Adds each run of `factor` pixels of a row to `sums`, which contains one sum for each run and channel. The last run
/// may be shorter. `count` is in pixels.
void apod_box_add(const uint8_t *row, ptrdiff_t channels, ptrdiff_t count, ptrdiff_t factor, uint32_t *sums);

/// Divides the sums that `apod_box_add` has collected from `rows` rows by the number of pixels of each box, and rounds
/// the results. Clears the sums.
void apod_box_divide(uint32_t *sums, ptrdiff_t channels, ptrdiff_t count, ptrdiff_t factor, ptrdiff_t rows,
                     uint8_t *out);

/// Converts YCbCr (Rec. 601, full range, as in JPEG) to RGB.
void apod_ycc_to_rgb(const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *rgb, ptrdiff_t count);

// Upsampling of chroma that has half the resolution of luma, as in libjpeg: the nearest sample has a weight of 3/4, the
// second nearest sample 1/4. `count` is the number of input samples.

/// Upsamples horizontally to twice as many samples. `count` is at least 2.
void apod_upsample_across(const uint8_t *in, uint8_t *out, ptrdiff_t count);
/// Upsamples vertically: writes one of the two output rows for the input row `near`. For the upper output row, `far` is
/// the input row above and `bias` is 1; for the lower output row, `far` is the input row below and `bias` is 2.
void apod_upsample_down(const uint8_t *near, const uint8_t *far, int bias, uint8_t *out, ptrdiff_t count);
/// Upsamples in both directions: writes one output row with twice as many samples. `count` is at least 2.
void apod_upsample_both(const uint8_t *near, const uint8_t *far, uint8_t *out, ptrdiff_t count);
/// Repeats each sample `times` times.
void apod_repeat(const uint8_t *in, ptrdiff_t times, uint8_t *out, ptrdiff_t count);

/// Converts RGB to YCbCr, as in JPEG.
void apod_rgb_to_ycc(const uint8_t *rgb, uint8_t *luma, uint8_t *blue, uint8_t *red, ptrdiff_t count);

/// Averages cells of 2 x 2 samples of two rows. If `count` is odd, the last cell has 2 samples. Halves round up.
void apod_halve(const uint8_t *upper, const uint8_t *lower, uint8_t *out, ptrdiff_t count);

/// Measures the loss from halving the chroma resolution of two rows. The loss of a cell of 2 x 2 samples is 4 times the
/// sum of the squared distances of both planes' samples from their means. Adds the losses to `sum` and their squares to
/// `squares`. Ignores an odd last column.
void apod_chroma_loss(const uint8_t *upper_blue, const uint8_t *lower_blue, const uint8_t *upper_red,
                      const uint8_t *lower_red, ptrdiff_t count, uint64_t *sum, uint64_t *squares);

/// Applies the forward DCT to 8 x 8 samples minus 128 (T.81, A.3.3). Writes 64 coefficients in row-major order.
void apod_forward_dct(const uint8_t *samples, ptrdiff_t stride, float *out);

// Resampling in floating point, for example in linear light. Samples are floats from 0 to 1, premultiplied by alpha.

/// Converts pixels of `channels` samples to light by `light`, a table of 256 values. If `alpha` is set, the last sample
/// is alpha.
void apod_light_from_samples(const uint8_t *pixels, ptrdiff_t channels, int alpha, ptrdiff_t count, const float *light,
                             float *out);

/// `out[i]` is the sum of the pixels `in[starts[i] + k]`, each times `weights[i * taps + k]`.
void apod_light_horizontal(const float *in, ptrdiff_t channels, const int32_t *starts, const float *weights,
                           ptrdiff_t taps, float *out, ptrdiff_t count);

void apod_light_add(const float *in, float weight, float *out, ptrdiff_t count);

/// Converts light to samples by `samples`, a table of `steps` + 1 values. The result has straight alpha.
void apod_samples_from_light(const float *in, ptrdiff_t channels, int alpha, ptrdiff_t count, const uint8_t *samples,
                             ptrdiff_t steps, uint8_t *out);

/// Copies pixels of `channels` (1 or 3) samples, and appends opaque alpha to each.
void apod_add_alpha(const uint8_t *pixels, ptrdiff_t channels, uint8_t *out, ptrdiff_t count);

/// Inverts filter 0 to 4 (none, sub, up, average, Paeth: PNG 9.2) of a row of `count` bytes, with `pixel` (1 to 8)
/// bytes per pixel. `in` is the filtered row, and `above` the previous row after unfiltering (zeros for the first row).
/// `in`, `above` and `out` must not overlap. Returns 0, or -1 for an unknown filter.
int apod_unfilter(apod_kernel_level level, int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above,
                  uint8_t *out, ptrdiff_t count);

// Conversion to sRGB. `wide` samples have 16 bits in native byte order, other samples have 8 bits, and the result has 8
// bits. `out` may be `pixels`. Alpha, the last of 2 or 4 channels, is kept.

/// Converts pixels of `channels` (3 or 4) samples in three steps: to light by `curves`, 256 or (`wide`) 65536 values
/// per colour; to linear sRGB light by `matrix`, row-major and scaled to `steps`; to samples by `samples`, a table of
/// `steps` + 1 values.
void apod_light_to_srgb(const uint8_t *pixels, int wide, ptrdiff_t channels, ptrdiff_t count, const float *curves,
                        const float *matrix, const uint8_t *samples, ptrdiff_t steps, uint8_t *out);

/// Converts gray pixels of `channels` (1 or 2) samples by `grays`, a table of 256 or (`wide`) 65536 values.
void apod_look_up_gray(const uint8_t *pixels, int wide, ptrdiff_t channels, ptrdiff_t count, const uint8_t *grays,
                       uint8_t *out);

/// Applies filter 0 to 4 to a row, the inverse of `apod_unfilter`. `in` and `above` are unfiltered rows (`above` has
/// zeros for the first row). `out` must not overlap them.
void apod_filter(int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *restrict out,
                 ptrdiff_t count);

/// Estimates the compressed size of a filtered row by the sum of the distances of its bytes from 0 modulo 256.
int64_t apod_filtered_sum(const uint8_t *row, ptrdiff_t count);
/// Estimates the compressed size of a filtered row by the entropy of its bytes.
int64_t apod_filtered_entropy(const uint8_t *row, ptrdiff_t count);
/// Estimates the compressed size of a filtered row by the number of different pairs of adjacent bytes.
int64_t apod_filtered_pairs(const uint8_t *row, ptrdiff_t count);

/// The blocks at the same position in consecutive MCUs, as the entropy decoder stores them.
typedef struct {
    /// The DC coefficient of each block, before `dc_offset` is added. The sum wraps at 16 bits.
    const int16_t *dc;
    /// The offset of each block's coefficients; -1 for a block with only a DC coefficient.
    const int32_t *ac_offsets;
    /// The distance between consecutive blocks in `dc` and `ac_offsets`.
    ptrdiff_t stride;
    int16_t *coefficients;
    int16_t dc_offset;
    /// Quantisation steps, in the order of a block's coefficients.
    const uint16_t *steps;
} apod_dct_blocks;

/// Applies the inverse DCT to the `size` x `size` lowest frequencies of each of `count` blocks (ITU-T T.81 A.3.3).
/// `size` is 1, 2, 3, 4, 5, 6 or 8; at 8 the samples equal libjpeg-turbo's `islow`. For these sizes, a row of
/// coefficients has 1, 2, 4, 4, 8, 8 or 8 places. Overwrites the first place of each block with the DC coefficient.
/// Sample 0 of row y of block i is written to `rows[y] + x + i * x_step`.
void apod_inverse_dct(apod_kernel_level level, int size, const apod_dct_blocks *blocks, ptrdiff_t count,
                      uint8_t *const *rows, ptrdiff_t x, ptrdiff_t x_step);

/// The divisors of a quantisation table, for `apod_quantize`: each step times 8, half of it, and its reciprocal as two
/// factors of 16 bits.
typedef struct {
    uint16_t divisor[64], half[64], reciprocal[64], scale[64];
} apod_divisors;

/// Returns the divisors for 64 steps from 1 to 255.
apod_divisors apod_divisors_of(const uint8_t *steps);

/// Applies the forward DCT to `count` adjacent blocks of 8 rows, and quantises the coefficients (T.81 A.3.3, A.3.4), like
/// libjpeg-turbo's `islow`. Writes the 64 coefficients of each block in row-major order, and for each block a number
/// whose bit i is set if coefficient i is not 0.
void apod_quantize(apod_kernel_level level, const uint8_t *const *rows, ptrdiff_t count, const apod_divisors *divisors,
                   int16_t *blocks, uint64_t *nonzero);

/// The quantised blocks of a component in a row of MCUs.
typedef struct {
    /// 64 coefficients per block, in row-major order, and the numbers that `apod_quantize` writes.
    const int16_t *blocks;
    const uint64_t *nonzero;
    /// The size in blocks, without blocks that only complete an MCU. Rows follow each other.
    ptrdiff_t columns, rows;
    /// The size of an MCU in blocks.
    ptrdiff_t across, down;
    /// The DC coefficient of the previous block.
    int dc;
    /// How often each of 256 DC symbols and AC symbols occurred.
    uint32_t *dc_uses, *ac_uses;
} apod_mcu_component;

/// The number of bytes of a symbol, and the largest number of symbols of a block.
#define APOD_SYMBOL_BYTES 3
#define APOD_BLOCK_SYMBOLS 65

/// Writes the symbols of a row of MCUs (T.81 F.1.2), each with its magnitude bits in 2 bytes, and counts their uses. The
/// last symbol of each block is 0 (end of block) or 255, which has no code. Returns the number of bytes.
ptrdiff_t apod_write_symbols(apod_mcu_component *components, ptrdiff_t count, ptrdiff_t mcus, uint8_t *out);

/// The Huffman code of a symbol, followed by zeros for its magnitude bits.
typedef struct {
    uint32_t bits;
    /// The magnitude bits.
    uint16_t mask;
    /// The number of bits, at most 27.
    uint16_t length;
} apod_code;

/// Bits that do not fill a word yet: the lowest `count` (0 to 31) of `bits`.
typedef struct {
    uint64_t bits;
    int count;
} apod_bits;

/// Writes the codes of `count` bytes of symbols. `codes` has 256 codes each for DC and AC of luma, then of chroma.
/// `is_chroma` has a number for each of the `blocks` of an MCU. Writes at most 3 bytes per byte of symbols and 8 more,
/// and returns their number.
ptrdiff_t apod_write_codes(const uint8_t *symbols, ptrdiff_t count, const apod_code *codes, const uint8_t *is_chroma,
                           ptrdiff_t blocks, apod_bits *state, uint8_t *out);
