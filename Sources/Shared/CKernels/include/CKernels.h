#pragma once
#include <stddef.h>
#include <stdint.h>

// The inner loops of the picture engine. Each function is pure, returns the same bytes on every processor, and does
// not allocate. Weights have 14 fractional bits: the weights of an output sample sum to 16384.

/// The instruction sets that kernels support.
typedef enum {
    APOD_KERNEL_SCALAR = 0,
    APOD_KERNEL_SSE2 = 1,
    APOD_KERNEL_AVX2 = 2,
    APOD_KERNEL_NEON = 3,
} apod_kernel_level;

/// The best level of this processor.
apod_kernel_level apod_kernel_best(void);

/// Samples of slack that rows need after their end, because the vertical pass reads and writes whole blocks.
#define APOD_KERNEL_BLOCK 64

/// The vertical pass: `out[x] = (128 + sum of rows[k][x] * weights[k]) >> 8` for x below `count`, so that `out` has 6
/// fractional bits. `taps` is even. Rows must be readable, and `out` writable, up to the next multiple of
/// APOD_KERNEL_BLOCK. The processor must support `level`.
void apod_vertical(apod_kernel_level level, const uint8_t *const *rows, const int16_t *weights, ptrdiff_t taps,
                   int16_t *out, ptrdiff_t count);

/// The horizontal pass: `out[i]` is the sum of `in[starts[i] + k] * weights[i * taps + k]`, rounded, without the 20
/// fractional bits, clamped to 0...255. `taps` is a multiple of 8; `in` must be readable up to `starts[i] + taps`.
void apod_horizontal(apod_kernel_level level, const int16_t *in, const int32_t *starts, const int16_t *weights,
                     ptrdiff_t taps, uint8_t *out, ptrdiff_t count);

/// Splits `count` pixels of `channels` (2, 3 or 4) samples into planes: plane c begins at `planes + c * stride`.
void apod_deinterleave(const int16_t *pixels, ptrdiff_t channels, int16_t *planes, ptrdiff_t stride, ptrdiff_t count);

/// Joins planes to `count` pixels of `channels` (2, 3 or 4) samples: plane c begins at `planes + c * stride`.
void apod_interleave(const uint8_t *planes, ptrdiff_t stride, ptrdiff_t channels, uint8_t *pixels, ptrdiff_t count);

/// Composes straight-alpha pixels (`channels` 2 or 4) over a background of `channels - 1` samples: rounded, without
/// alpha.
void apod_flatten(const uint8_t *pixels, ptrdiff_t channels, const uint8_t *background, uint8_t *out, ptrdiff_t count);

/// Converts inverted CMYK (255 is no ink, as Adobe stores it) to RGB by multiplication.
void apod_cmyk_to_rgb(const uint8_t *cmyk, uint8_t *rgb, ptrdiff_t count);

/// Adds runs of `factor` pixels of a row to `sums`, one sum per run and channel; the last run may be shorter. `count`
/// is in pixels.
void apod_box_add(const uint8_t *row, ptrdiff_t channels, ptrdiff_t count, ptrdiff_t factor, uint32_t *sums);

/// Divides the sums of `apod_box_add` over `rows` rows by the pixels of each box, rounded, and clears them.
void apod_box_divide(uint32_t *sums, ptrdiff_t channels, ptrdiff_t count, ptrdiff_t factor, ptrdiff_t rows,
                     uint8_t *out);

/// Converts YCbCr (Rec. 601, full range, as in JPEG) to RGB.
void apod_ycc_to_rgb(const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *rgb, ptrdiff_t count);

// Upsampling of chroma with half the resolution of luma, as in libjpeg: 3 parts of the nearest sample and one part of
// the next. `count` is the number of input samples.

/// Horizontally, to twice as many samples; `count` is at least 2.
void apod_upsample_across(const uint8_t *in, uint8_t *out, ptrdiff_t count);
/// Vertically, between two rows; `bias` is 1 for the upper row of a sample, 2 for the lower.
void apod_upsample_down(const uint8_t *near, const uint8_t *far, int bias, uint8_t *out, ptrdiff_t count);
/// In both directions, to twice as many samples.
void apod_upsample_both(const uint8_t *near, const uint8_t *far, uint8_t *out, ptrdiff_t count);
/// Repeats each sample `times` times.
void apod_repeat(const uint8_t *in, ptrdiff_t times, uint8_t *out, ptrdiff_t count);

/// Converts RGB to YCbCr, as in JPEG.
void apod_rgb_to_ycc(const uint8_t *rgb, uint8_t *luma, uint8_t *blue, uint8_t *red, ptrdiff_t count);

/// Halves two rows of `count` samples, rounded up: means of 2 x 2 samples, of 2 at an odd end.
void apod_halve(const uint8_t *upper, const uint8_t *lower, uint8_t *out, ptrdiff_t count);

/// Measures the loss of halving the chroma of two rows. For each cell of 2 x 2 samples, adds 4 times the squared
/// distances of both planes' samples from their means to `sum`, and the square of that to `squares`. Ignores an odd
/// column.
void apod_chroma_loss(const uint8_t *upper_blue, const uint8_t *lower_blue, const uint8_t *upper_red,
                      const uint8_t *lower_red, ptrdiff_t count, uint64_t *sum, uint64_t *squares);

/// The forward DCT of 8 x 8 samples minus 128 (T.81, A.3.3): 64 coefficients in row-major order.
void apod_forward_dct(const uint8_t *samples, ptrdiff_t stride, float *out);

// Resampling in floating point, for example in linear light: samples are floats from 0 to 1, with premultiplied alpha.

/// Converts pixels of `channels` samples (with `alpha`, the last is alpha) by `light`, a table of 256 values.
void apod_light_from_samples(const uint8_t *pixels, ptrdiff_t channels, int alpha, ptrdiff_t count, const float *light,
                             float *out);

/// `out[i]` is the sum of the pixels `in[starts[i] + k]`, each times `weights[i * taps + k]`.
void apod_light_horizontal(const float *in, ptrdiff_t channels, const int32_t *starts, const float *weights,
                           ptrdiff_t taps, float *out, ptrdiff_t count);

void apod_light_add(const float *in, float weight, float *out, ptrdiff_t count);

/// Converts light to samples of straight alpha by a table of `steps` + 1 values.
void apod_samples_from_light(const float *in, ptrdiff_t channels, int alpha, ptrdiff_t count, const uint8_t *samples,
                             ptrdiff_t steps, uint8_t *out);

/// Copies pixels of `channels` (1 or 3) samples and appends an opaque alpha to each.
void apod_add_alpha(const uint8_t *pixels, ptrdiff_t channels, uint8_t *out, ptrdiff_t count);

/// Inverts filter 0 to 4 (none, sub, up, average, Paeth: PNG 9.2) of a row of `count` bytes, with `pixel` bytes (1 to
/// 8) per pixel. `in` is the filtered row, `above` the previous row without its filter (zeros for the first row),
/// `out` the result; they must not overlap. Returns 0, or -1 for an unknown filter.
int apod_unfilter(apod_kernel_level level, int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above,
                  uint8_t *out, ptrdiff_t count);

// Conversion to sRGB. `wide` samples have 16 bits in native byte order, others 8; the result has 8. `out` may be
// `pixels`. Alpha, the last of 2 or 4 channels, is kept.

/// Converts pixels of `channels` (3 or 4) samples to light by `curves`, 256 or (`wide`) 65536 values per colour; to
/// sRGB's light by `matrix`, row-major and scaled to `steps`; and to samples by a table of `steps` + 1 values.
void apod_light_to_srgb(const uint8_t *pixels, int wide, ptrdiff_t channels, ptrdiff_t count, const float *curves,
                        const float *matrix, const uint8_t *samples, ptrdiff_t steps, uint8_t *out);

/// Converts the gray of pixels of `channels` (1 or 2) samples by `grays`, 256 or (`wide`) 65536 values.
void apod_look_up_gray(const uint8_t *pixels, int wide, ptrdiff_t channels, ptrdiff_t count, const uint8_t *grays,
                       uint8_t *out);

/// Applies filter 0 to 4 to a row; `apod_unfilter` inverts it. `in` and `above` are unfiltered rows (zeros above the
/// first), which `out` must not overlap.
void apod_filter(int filter, ptrdiff_t pixel, const uint8_t *in, const uint8_t *above, uint8_t *restrict out,
                 ptrdiff_t count);

/// Three estimates of the compressed size of a filtered row: the sum of its bytes as distances from 0,
int64_t apod_filtered_sum(const uint8_t *row, ptrdiff_t count);
/// the entropy of its bytes,
int64_t apod_filtered_entropy(const uint8_t *row, ptrdiff_t count);
/// and the number of different pairs of bytes.
int64_t apod_filtered_pairs(const uint8_t *row, ptrdiff_t count);

/// The blocks at a position in each MCU, as the entropy decoder stores them.
typedef struct {
    /// The DC coefficient of each block, before `dc_offset` is added; the sum wraps at 16 bits.
    const int16_t *dc;
    /// The offset of each block's coefficients; -1 for a block with only a DC coefficient.
    const int32_t *ac_offsets;
    /// The distance of consecutive blocks in `dc` and `ac_offsets`.
    ptrdiff_t stride;
    int16_t *coefficients;
    int16_t dc_offset;
    /// Quantisation steps, in the order of a block's coefficients.
    const uint16_t *steps;
} apod_dct_blocks;

/// Applies the inverse DCT to the `size` x `size` lowest frequencies of each of `count` blocks (ITU-T T.81 A.3.3).
/// `size` is 1, 2, 3, 4, 5, 6 or 8; at 8 the samples equal libjpeg-turbo's `islow`. Coefficients are in rows of 1, 2,
/// 4, 4, 8, 8 or 8; the place of the DC coefficient is overwritten. Sample 0 of row y of block i is written to
/// `rows[y] + x + i * x_step`.
void apod_inverse_dct(apod_kernel_level level, int size, const apod_dct_blocks *blocks, ptrdiff_t count,
                      uint8_t *const *rows, ptrdiff_t x, ptrdiff_t x_step);
