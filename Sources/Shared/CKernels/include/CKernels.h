#pragma once
#include <stddef.h>
#include <stdint.h>

// The inner loops of the picture engine. Every function is a pure function of its arguments, gives the same bytes on
// every processor, and does not allocate. Weights have 14 fractional bits: those of one output sample sum to 16384.

/// The instruction sets that kernels are written for.
typedef enum {
    APOD_KERNEL_SCALAR = 0,
    APOD_KERNEL_SSE2 = 1,
    APOD_KERNEL_AVX2 = 2,
    APOD_KERNEL_NEON = 3,
} apod_kernel_level;

/// The best level of this processor.
apod_kernel_level apod_kernel_best(void);

/// How many samples of slack rows need behind their last one: the vertical pass reads and writes whole blocks.
#define APOD_KERNEL_BLOCK 64

/// The vertical pass: `out[x] = (128 + sum of rows[k][x] * weights[k]) >> 8` for x below `count`, so that `out` has 6
/// fractional bits. `taps` is even. Every row can be read, and `out` written, up to the next multiple of
/// APOD_KERNEL_BLOCK. `level` is at most that of the processor.
void apod_vertical(apod_kernel_level level, const uint8_t *const *rows, const int16_t *weights, ptrdiff_t taps,
                   int16_t *out, ptrdiff_t count);

/// The horizontal pass: `out[i]` is the sum of `in[starts[i] + k] * weights[i * taps + k]`, rounded, without the 20
/// fractional bits, held within 0...255. `taps` is a multiple of 8; `in` can be read up to `starts[i] + taps`.
void apod_horizontal(apod_kernel_level level, const int16_t *in, const int32_t *starts, const int16_t *weights,
                     ptrdiff_t taps, uint8_t *out, ptrdiff_t count);

/// Takes `count` pixels of `channels` (2, 3 or 4) samples apart: plane c begins at `planes + c * stride`.
void apod_deinterleave(const int16_t *pixels, ptrdiff_t channels, int16_t *planes, ptrdiff_t stride, ptrdiff_t count);

/// Puts `count` pixels of `channels` (2, 3 or 4) samples together: plane c begins at `planes + c * stride`.
void apod_interleave(const uint8_t *planes, ptrdiff_t stride, ptrdiff_t channels, uint8_t *pixels, ptrdiff_t count);

/// Lays straight-alpha pixels (`channels` 2 or 4) on a background of `channels - 1` samples: rounded, without alpha.
void apod_flatten(const uint8_t *pixels, ptrdiff_t channels, const uint8_t *background, uint8_t *out, ptrdiff_t count);

/// Turns inverted CMYK (255 is no ink, as Adobe stores it) into RGB by multiplication.
void apod_cmyk_to_rgb(const uint8_t *cmyk, uint8_t *rgb, ptrdiff_t count);

/// Adds the sums of runs of `factor` pixels of one row to `sums`, one sum a run and channel; the last run may be
/// shorter. `count` is in pixels.
void apod_box_add(const uint8_t *row, ptrdiff_t channels, ptrdiff_t count, ptrdiff_t factor, uint32_t *sums);

/// Divides the sums of `apod_box_add` over `rows` rows by the pixels in each box, rounded, and clears them.
void apod_box_divide(uint32_t *sums, ptrdiff_t channels, ptrdiff_t count, ptrdiff_t factor, ptrdiff_t rows,
                     uint8_t *out);

/// Turns pixels of YCbCr (Rec. 601, full range, as JPEG has them) into RGB.
void apod_ycc_to_rgb(const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *rgb, ptrdiff_t count);

// Chroma that has half of the luma's samples made as fine again: each is 3 parts its nearest sample and one part the next
// one, as libjpeg does it. `count` samples come in.

/// Along a row: gives twice as many; `count` is at least 2.
void apod_upsample_across(const uint8_t *in, uint8_t *out, ptrdiff_t count);
/// Between two rows; `bias` is 1 for the upper of a sample's two rows, 2 for the lower.
void apod_upsample_down(const uint8_t *near, const uint8_t *far, int bias, uint8_t *out, ptrdiff_t count);
/// Both: gives twice as many.
void apod_upsample_both(const uint8_t *near, const uint8_t *far, uint8_t *out, ptrdiff_t count);
/// Repeats each sample `times` times.
void apod_repeat(const uint8_t *in, ptrdiff_t times, uint8_t *out, ptrdiff_t count);

/// Turns pixels of RGB into YCbCr, as JPEG has it.
void apod_rgb_to_ycc(const uint8_t *rgb, uint8_t *luma, uint8_t *blue, uint8_t *red, ptrdiff_t count);

/// Halves two rows of `count` samples to one of half as many, rounded up: means of 2 x 2, of 2 at an odd end.
void apod_halve(const uint8_t *upper, const uint8_t *lower, uint8_t *out, ptrdiff_t count);

/// What halving the chroma of two rows would lose: adds up, over cells of 2 x 2 samples, 4 times the squared distances of
/// both planes' samples from their means, and the squares of those. An odd column is left out.
void apod_chroma_loss(const uint8_t *upper_blue, const uint8_t *lower_blue, const uint8_t *upper_red,
                      const uint8_t *lower_red, ptrdiff_t count, uint64_t *sum, uint64_t *squares);

/// The forward DCT of 8 x 8 samples less 128 (T.81, A.3.3): 64 coefficients, row by row.
void apod_forward_dct(const uint8_t *samples, ptrdiff_t stride, float *out);

// Resampling in floating point, in linear light for one: samples are floats from 0 to 1, alpha multiplied in.

/// Looks pixels of `channels` samples (with `alpha`, the last one is alpha) up in `light`, which has 256 values.
void apod_light_from_samples(const uint8_t *pixels, ptrdiff_t channels, int alpha, ptrdiff_t count, const float *light,
                             float *out);

/// `out[i]` is the sum of the pixels `in[starts[i] + k]`, each times `weights[i * taps + k]`.
void apod_light_horizontal(const float *in, ptrdiff_t channels, const int32_t *starts, const float *weights,
                           ptrdiff_t taps, float *out, ptrdiff_t count);

/// Adds `weight` times each sample.
void apod_light_add(const float *in, float weight, float *out, ptrdiff_t count);

/// Turns light back into samples of straight alpha by a table of `steps` + 1 values.
void apod_samples_from_light(const float *in, ptrdiff_t channels, int alpha, ptrdiff_t count, const uint8_t *samples,
                             ptrdiff_t steps, uint8_t *out);

/// Copies pixels of `channels` (1 or 3) samples and adds an opaque alpha to each.
void apod_add_alpha(const uint8_t *pixels, ptrdiff_t channels, uint8_t *out, ptrdiff_t count);

/// Undoes the filter 0 to 4 (none, sub, up, average, Paeth: PNG 9.2) of one row of `count` bytes, whose pixels take
/// `pixel` bytes (1 to 8) each. `in` is the filtered row, `above` the row before as it came out (zeros for the first
/// one), `out` the row's place; they don't overlap. Gives 0, or -1 if there is no such filter.
int apod_unfilter(apod_kernel_level level, int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above,
                  uint8_t *out, ptrdiff_t count);

// Colours into sRGB. `wide`: samples have 16 bits in the machine's byte order, else 8; what comes out has 8. `out` may be
// `pixels` itself. Alpha, the 4th of 4 channels or the 2nd of 2, is kept.

/// Turns pixels of `channels` (3 or 4) samples into light by `curves`, 256 or (`wide`) 65536 values for each colour, that
/// into sRGB's light by `matrix`, row by row, scaled to `steps`, and that into samples by a table of `steps` + 1 values.
void apod_light_to_srgb(const uint8_t *pixels, int wide, ptrdiff_t channels, ptrdiff_t count, const float *curves,
                        const float *matrix, const uint8_t *samples, ptrdiff_t steps, uint8_t *out);

/// Looks the gray of pixels of `channels` (1 or 2) samples up in `grays`, 256 or (`wide`) 65536 values.
void apod_look_up_gray(const uint8_t *pixels, int wide, ptrdiff_t channels, ptrdiff_t count, const uint8_t *grays,
                       uint8_t *out);

/// Applies the filter 0 to 4 to a row, as `apod_unfilter` undoes it. `in` and `above` are rows as they are (zeros above
/// the first one), `out` does not overlap them.
void apod_filter(int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *restrict out,
                 ptrdiff_t count);

/// How hard a filtered row is to compress, in three ways: the sum of its bytes as distances from 0, ...
int64_t apod_filtered_sum(const uint8_t *row, ptrdiff_t count);
/// ... the entropy of its bytes, ...
int64_t apod_filtered_entropy(const uint8_t *row, ptrdiff_t count);
/// ... and the number of different pairs of bytes.
int64_t apod_filtered_pairs(const uint8_t *row, ptrdiff_t count);

/// The blocks that lie at one place of each MCU, as the entropy decoder leaves them.
typedef struct {
    /// The mean of each block, less `mean_offset`; sums wrap at 16 bits.
    const int16_t *dc;
    /// Where each block's coefficients begin; -1 if it has none but its mean.
    const int32_t *ac_offsets;
    /// Steps from one block to the next in `means` and `details`.
    ptrdiff_t stride;
    int16_t *coefficients;
    int16_t dc_offset;
    /// The quantisation steps, laid out like the coefficients of one block.
    const uint16_t *steps;
} apod_dct_blocks;

/// The inverse DCT of the `size` x `size` lowest frequencies of each of `count` blocks to as many samples (ITU-T T.81
/// A.3.3), `size` being 1, 2, 3, 4, 5, 6 or 8; at 8 the same samples as libjpeg-turbo's `islow`. A block's coefficients are
/// rows of 1, 2, 4, 4, 8, 8 or 8; what its mean's place holds does not count, and is overwritten. Sample 0 of row y of
/// block i goes to `rows[y] + x + i * x_step`.
void apod_inverse_dct(apod_kernel_level level, int size, const apod_dct_blocks *blocks, ptrdiff_t count,
                      uint8_t *const *rows, ptrdiff_t x, ptrdiff_t x_step);
