#include "CKernels.h"
#include <string.h>

// Compiles a function for AVX2, too. Programs choose one of the two when they start, which needs glibc.
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WITH_AVX2 __attribute__((target_clones("avx2", "default")))
#else
#define WITH_AVX2
#endif

static inline uint8_t clamped_to_byte(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

// Loops over pixels. Each number of channels has its own loop, so strides are constants.

WITH_AVX2 void apod_deinterleave(const int16_t *pixels, ptrdiff_t channels, int16_t *planes, ptrdiff_t stride,
                                 ptrdiff_t count) {
    int16_t *restrict a = planes, *restrict b = planes + stride, *restrict c = planes + 2 * stride;
    int16_t *restrict d = planes + 3 * stride;
    switch (channels) {
    case 2:
        for (ptrdiff_t i = 0; i < count; i++) a[i] = pixels[2 * i], b[i] = pixels[2 * i + 1];
        break;
    case 3:
        for (ptrdiff_t i = 0; i < count; i++) {
            a[i] = pixels[3 * i], b[i] = pixels[3 * i + 1], c[i] = pixels[3 * i + 2];
        }
        break;
    default:
        for (ptrdiff_t i = 0; i < count; i++) {
            a[i] = pixels[4 * i], b[i] = pixels[4 * i + 1], c[i] = pixels[4 * i + 2], d[i] = pixels[4 * i + 3];
        }
    }
}

WITH_AVX2 void apod_interleave(const uint8_t *planes, ptrdiff_t stride, ptrdiff_t channels, uint8_t *pixels,
                               ptrdiff_t count) {
    const uint8_t *a = planes, *b = planes + stride, *c = planes + 2 * stride, *d = planes + 3 * stride;
    uint8_t *restrict out = pixels;
    switch (channels) {
    case 2:
        for (ptrdiff_t i = 0; i < count; i++) out[2 * i] = a[i], out[2 * i + 1] = b[i];
        break;
    case 3:
        for (ptrdiff_t i = 0; i < count; i++) out[3 * i] = a[i], out[3 * i + 1] = b[i], out[3 * i + 2] = c[i];
        break;
    default:
        for (ptrdiff_t i = 0; i < count; i++) {
            out[4 * i] = a[i], out[4 * i + 1] = b[i], out[4 * i + 2] = c[i], out[4 * i + 3] = d[i];
        }
    }
}

/// Returns `value / 255`, rounded, for values up to 255 * 255.
static inline uint8_t divided_by_255(uint32_t value) { return (uint8_t)((value + 128 + ((value + 128) >> 8)) >> 8); }

void apod_flatten(const uint8_t *pixels, ptrdiff_t channels, const uint8_t *background, uint8_t *out, ptrdiff_t count) {
    const ptrdiff_t colours = channels - 1;
    for (ptrdiff_t i = 0; i < count; i++) {
        const uint8_t *pixel = pixels + channels * i;
        const uint32_t alpha = pixel[colours];
        for (ptrdiff_t c = 0; c < colours; c++) {
            out[colours * i + c] = divided_by_255(pixel[c] * alpha + background[c] * (255 - alpha));
        }
    }
}

void apod_cmyk_to_rgb(const uint8_t *cmyk, uint8_t *rgb, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) rgb[3 * i + c] = divided_by_255((uint32_t)cmyk[4 * i + c] * cmyk[4 * i + 3]);
    }
}

void apod_box_add(const uint8_t *row, ptrdiff_t channels, ptrdiff_t count, ptrdiff_t factor, uint32_t *sums) {
    for (ptrdiff_t begin = 0; begin < count; begin += factor, sums += channels) {
        const ptrdiff_t end = count - begin < factor ? count : begin + factor;
        for (ptrdiff_t c = 0; c < channels; c++) {
            uint32_t sum = 0;
            for (ptrdiff_t i = begin; i < end; i++) sum += row[i * channels + c];
            sums[c] += sum;
        }
    }
}

void apod_box_divide(uint32_t *sums, ptrdiff_t channels, ptrdiff_t count, ptrdiff_t factor, ptrdiff_t rows,
                     uint8_t *out) {
    for (ptrdiff_t begin = 0; begin < count; begin += factor, sums += channels, out += channels) {
        const uint32_t width = (uint32_t)(count - begin < factor ? count - begin : factor);
        const uint32_t pixels = width * (uint32_t)rows;
        for (ptrdiff_t c = 0; c < channels; c++) {
            out[c] = (uint8_t)((sums[c] + pixels / 2) / pixels);
            sums[c] = 0;
        }
    }
}

WITH_AVX2 void apod_ycc_to_rgb(const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *rgb,
                               ptrdiff_t count) {
    // 1.402, 0.344136, 0.714136 and 1.772 in 16 fractional bits (T.871 section 7).
    for (ptrdiff_t i = 0; i < count; i++) {
        const int32_t y = (luma[i] << 16) + (1 << 15), cb = blue[i] - 128, cr = red[i] - 128;
        rgb[3 * i] = clamped_to_byte((y + 91881 * cr) >> 16);
        rgb[3 * i + 1] = clamped_to_byte((y - 22554 * cb - 46802 * cr) >> 16);
        rgb[3 * i + 2] = clamped_to_byte((y + 116130 * cb) >> 16);
    }
}

void apod_upsample_across(const uint8_t *in, uint8_t *restrict out, ptrdiff_t count) {
    out[0] = in[0];
    out[1] = (uint8_t)((3 * in[0] + in[1] + 2) >> 2);
    for (ptrdiff_t i = 1; i < count - 1; i++) {
        out[2 * i] = (uint8_t)((3 * in[i] + in[i - 1] + 1) >> 2);
        out[2 * i + 1] = (uint8_t)((3 * in[i] + in[i + 1] + 2) >> 2);
    }
    out[2 * count - 2] = (uint8_t)((3 * in[count - 1] + in[count - 2] + 1) >> 2);
    out[2 * count - 1] = in[count - 1];
}

void apod_upsample_down(const uint8_t *near, const uint8_t *far, int bias, uint8_t *restrict out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) out[i] = (uint8_t)((3 * near[i] + far[i] + bias) >> 2);
}

static inline int both_rows(const uint8_t *near, const uint8_t *far, ptrdiff_t i) { return 3 * near[i] + far[i]; }

WITH_AVX2 void apod_upsample_both(const uint8_t *near, const uint8_t *far, uint8_t *restrict out, ptrdiff_t count) {
    out[0] = (uint8_t)((4 * both_rows(near, far, 0) + 8) >> 4);
    out[1] = (uint8_t)((3 * both_rows(near, far, 0) + both_rows(near, far, 1) + 7) >> 4);
    for (ptrdiff_t i = 1; i < count - 1; i++) {
        // With 16-bit numbers, and both samples stored together, the compiler vectorises this loop.
        const uint16_t own = (uint16_t)(3 * both_rows(near, far, i));
        const uint16_t left = (uint16_t)(own + both_rows(near, far, i - 1) + 8) >> 4;
        const uint16_t right = (uint16_t)(own + both_rows(near, far, i + 1) + 7) >> 4;
        const uint16_t pair = (uint16_t)(left | right << 8);
        memcpy(out + 2 * i, &pair, sizeof pair);
    }
    out[2 * count - 2] = (uint8_t)((3 * both_rows(near, far, count - 1) + both_rows(near, far, count - 2) + 8) >> 4);
    out[2 * count - 1] = (uint8_t)((4 * both_rows(near, far, count - 1) + 7) >> 4);
}

void apod_repeat(const uint8_t *in, ptrdiff_t times, uint8_t *restrict out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        for (ptrdiff_t k = 0; k < times; k++) out[i * times + k] = in[i];
    }
}

WITH_AVX2 void apod_rgb_to_ycc(const uint8_t *rgb, uint8_t *luma, uint8_t *blue, uint8_t *red, ptrdiff_t count) {
    // The weights of T.871 section 7, with 16 fractional bits. The weights of luma sum to 1, and the weights of each
    // chroma component to 0.
    for (ptrdiff_t i = 0; i < count; i++) {
        const int32_t r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        luma[i] = (uint8_t)((19595 * r + 38470 * g + 7471 * b + (1 << 15)) >> 16);
        // Adds one less than a half, so 255.5 does not become 256.
        blue[i] = (uint8_t)((-11059 * r - 21709 * g + 32768 * b + (128 << 16) + (1 << 15) - 1) >> 16);
        red[i] = (uint8_t)((32768 * r - 27439 * g - 5329 * b + (128 << 16) + (1 << 15) - 1) >> 16);
    }
}

WITH_AVX2 void apod_halve(const uint8_t *upper, const uint8_t *lower, uint8_t *out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count / 2; i++) {
        out[i] = (uint8_t)((upper[2 * i] + upper[2 * i + 1] + lower[2 * i] + lower[2 * i + 1] + 2) >> 2);
    }
    if (count % 2 == 1) out[count / 2] = (uint8_t)((upper[count - 1] + lower[count - 1] + 1) >> 1);
}

/// Returns 4 times the sum of the squared distances of 4 samples from their mean.
static inline int32_t spread(const uint8_t *upper, const uint8_t *lower) {
    // Differences of 16 bits, which the compiler squares and adds with a single instruction.
    const int16_t above = (int16_t)(upper[0] - upper[1]), below = (int16_t)(lower[0] - lower[1]);
    const int16_t between = (int16_t)(upper[0] + upper[1] - lower[0] - lower[1]);
    return 2 * (above * above + below * below) + between * between;
}

WITH_AVX2 void apod_chroma_loss(const uint8_t *upper_blue, const uint8_t *lower_blue, const uint8_t *upper_red,
                                const uint8_t *lower_red, ptrdiff_t count, uint64_t *sum, uint64_t *squares) {
    uint64_t total = 0, total_squares = 0;
    for (ptrdiff_t x = 0; x + 1 < count; x += 2) {
        const uint32_t loss = (uint32_t)(spread(upper_blue + x, lower_blue + x) + spread(upper_red + x, lower_red + x));
        total += loss;
        total_squares += (uint64_t)loss * loss;
    }
    *sum += total;
    *squares += total_squares;
}

WITH_AVX2 void apod_forward_dct(const uint8_t *samples, ptrdiff_t stride, float *out) {
    // cos(k pi / 16) / 2, and 1 / sqrt(8) for k = 0. By symmetry, every cosine of (2x + 1) u pi / 16 is one of these.
    static const float basis[8][8] = {
        {0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f},
        {0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f, -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f},
        {0.46193977f, 0.19134172f, -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f, 0.46193977f},
        {0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f, 0.49039264f, 0.09754516f, -0.41573481f},
        {0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f, 0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f},
        {0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f, -0.41573481f, -0.09754516f, 0.49039264f, -0.27778512f},
        {0.19134172f, -0.46193977f, 0.46193977f, -0.19134172f, -0.19134172f, 0.46193977f, -0.46193977f, 0.19134172f},
        {0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f, 0.49039264f, -0.41573481f, 0.27778512f, -0.09754516f},
    };
    // Transforms columns first, because vectors contain rows of 8 sums.
    float columns[8][8];
    for (int v = 0; v < 8; v++) {
        for (int x = 0; x < 8; x++) columns[v][x] = 0;
        for (int y = 0; y < 8; y++) {
            for (int x = 0; x < 8; x++) columns[v][x] += basis[v][y] * (float)(samples[y * stride + x] - 128);
        }
    }
    for (int v = 0; v < 8; v++) {
        for (int u = 0; u < 8; u++) {
            float sum = 0;
            for (int x = 0; x < 8; x++) sum += basis[u][x] * columns[v][x];
            out[v * 8 + u] = sum;
        }
    }
}

void apod_light_from_samples(const uint8_t *pixels, ptrdiff_t channels, int alpha, ptrdiff_t count, const float *light,
                             float *out) {
    if (!alpha) {
        for (ptrdiff_t i = 0; i < count * channels; i++) out[i] = light[pixels[i]];
        return;
    }
    const ptrdiff_t colours = channels - 1;
    for (ptrdiff_t i = 0; i < count; i++, pixels += channels, out += channels) {
        const float opacity = (float)pixels[colours] / 255;
        for (ptrdiff_t c = 0; c < colours; c++) out[c] = light[pixels[c]] * opacity;
        out[colours] = opacity;
    }
}

void apod_light_horizontal(const float *in, ptrdiff_t channels, const int32_t *starts, const float *weights,
                           ptrdiff_t taps, float *out, ptrdiff_t count) {
    if (channels == 4) {
        // With four channels, the compiler keeps the sums of a pixel in a vector.
        for (ptrdiff_t i = 0; i < count; i++, weights += taps, out += 4) {
            const float *pixel = in + starts[i] * 4;
            float sums[4] = {0, 0, 0, 0};
            for (ptrdiff_t k = 0; k < taps; k++, pixel += 4) {
                for (int c = 0; c < 4; c++) sums[c] += pixel[c] * weights[k];
            }
            memcpy(out, sums, sizeof sums);
        }
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++, weights += taps, out += channels) {
        const float *pixel = in + starts[i] * channels;
        float sums[4] = {0, 0, 0, 0};
        for (ptrdiff_t k = 0; k < taps; k++, pixel += channels) {
            for (ptrdiff_t c = 0; c < channels; c++) sums[c] += pixel[c] * weights[k];
        }
        for (ptrdiff_t c = 0; c < channels; c++) out[c] = sums[c];
    }
}

WITH_AVX2 void apod_light_add(const float *in, float weight, float *out, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) out[i] += in[i] * weight;
}

void apod_samples_from_light(const float *in, ptrdiff_t channels, int alpha, ptrdiff_t count, const uint8_t *samples,
                             ptrdiff_t steps, uint8_t *out) {
    const ptrdiff_t colours = channels - alpha;
    for (ptrdiff_t i = 0; i < count; i++, in += channels, out += channels) {
        float gain = (float)steps;
        if (alpha) {
            const float opacity = in[colours];
            out[colours] = (uint8_t)((opacity < 0 ? 0 : opacity > 1 ? 1 : opacity) * 255 + 0.5f);
            // Divides by the unclamped opacity: if alpha overshoots 1, so do the colours.
            gain = out[colours] == 0 ? 0 : gain / opacity;
        }
        for (ptrdiff_t c = 0; c < colours; c++) {
            const float value = in[c] * gain;
            out[c] = samples[value <= 0 ? 0 : value >= (float)steps ? steps : (ptrdiff_t)(value + 0.5f)];
        }
    }
}

WITH_AVX2 void apod_add_alpha(const uint8_t *pixels, ptrdiff_t channels, uint8_t *out, ptrdiff_t count) {
    if (channels == 1) {
        for (ptrdiff_t i = 0; i < count; i++) out[2 * i] = pixels[i], out[2 * i + 1] = 255;
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) out[4 * i + c] = pixels[3 * i + c];
        out[4 * i + 3] = 255;
    }
}

/// Rounds a sample of 16 bits to 8 (PNG 13.12).
static uint8_t narrowed(uint16_t sample) { return (uint8_t)(((uint32_t)sample * 255 + 32895) >> 16); }

static uint8_t sample_of_light(float light, const uint8_t *samples, ptrdiff_t steps) {
    return samples[light <= 0 ? 0 : light >= (float)steps ? steps : (ptrdiff_t)(light + 0.5f)];
}

/// Converts pixels whose samples have `levels` values.
#define CONVERT_LIGHT(in, levels, alpha)                                                                             \
    for (ptrdiff_t i = 0; i < count; i++, in += channels, out += channels) {                                         \
        const float red = curves[in[0]], green = curves[levels + in[1]], blue = curves[2 * levels + in[2]];          \
        if (channels == 4) out[3] = alpha;                                                                           \
        out[0] = sample_of_light(matrix[0] * red + matrix[1] * green + matrix[2] * blue, samples, steps);            \
        out[1] = sample_of_light(matrix[3] * red + matrix[4] * green + matrix[5] * blue, samples, steps);            \
        out[2] = sample_of_light(matrix[6] * red + matrix[7] * green + matrix[8] * blue, samples, steps);            \
    }

void apod_light_to_srgb(const uint8_t *pixels, int wide, ptrdiff_t channels, ptrdiff_t count, const float *curves,
                        const float *matrix, const uint8_t *samples, ptrdiff_t steps, uint8_t *out) {
    if (wide) {
        const uint16_t *in = (const uint16_t *)(const void *)pixels;
        CONVERT_LIGHT(in, 65536, narrowed(in[3]))
    } else {
        CONVERT_LIGHT(pixels, 256, pixels[3])
    }
}

void apod_look_up_gray(const uint8_t *pixels, int wide, ptrdiff_t channels, ptrdiff_t count, const uint8_t *grays,
                       uint8_t *out) {
    const uint16_t *in = (const uint16_t *)(const void *)pixels;
    for (ptrdiff_t i = 0; i < count; i++) {
        const uint8_t gray = grays[wide ? in[i * channels] : pixels[i * channels]];
        if (channels == 2) out[2 * i + 1] = wide ? narrowed(in[2 * i + 1]) : pixels[2 * i + 1];
        out[i * channels] = gray;
    }
}
