#pragma once
#include <stddef.h>
#include <stdint.h>

// Wrappers of libjpeg and libpng that return a status. Both libraries report errors with longjmp, which must never
// cross a Swift frame. Every function therefore calls setjmp itself, and callbacks must return normally.

typedef enum {
    APOD_OK = 0,
    /// Damaged data. The message describes the damage.
    APOD_CORRUPT,
    /// The data ends too early.
    APOD_TRUNCATED,
    /// Valid data with a feature that the library does not support.
    APOD_UNSUPPORTED,
    /// The data does not begin with the signature of the format.
    APOD_NOT_IMAGE,
    /// The picture exceeds a limit, which the message names.
    APOD_TOO_LARGE,
    APOD_TOO_MANY_SCANS,
    APOD_NO_MEMORY,
    /// A callback has failed, or has requested to stop.
    APOD_STOPPED,
    /// A programming error of the caller.
    APOD_MISUSE,
} apod_status;

/// A source of compressed bytes. `read` copies up to `capacity` bytes at `offset` to `buffer`. It returns the number of
/// copied bytes: 0 at the end, -1 on failure or to stop. With a capacity of 0, it only checks whether to stop.
typedef struct {
    void *context;
    ptrdiff_t (*read)(void *context, uint8_t *buffer, ptrdiff_t capacity, uint64_t offset);
} apod_input;

/// A destination of compressed bytes. `write` accepts all bytes and returns 0, or -1 on failure or to stop.
typedef struct {
    void *context;
    int (*write)(void *context, const uint8_t *bytes, ptrdiff_t count);
} apod_output;

#define APOD_MESSAGE_CAPACITY 200

/// Makes glibc's malloc return blocks of a megabyte and more to the system when they are freed. By default, glibc
/// returns only the first such block; each thread keeps the memory of later blocks.
void apod_return_large_blocks(void);

/// The name and version of the JPEG library that this build uses.
const char *apod_jpeg_version(void);
/// The version of the loaded libpng.
const char *apod_png_version(void);

// JPEG decoder

typedef struct apod_jpeg_decoder apod_jpeg_decoder;

typedef enum {
    APOD_JPEG_GRAY,
    APOD_JPEG_YCBCR,
    APOD_JPEG_RGB,
    /// Four inks, stored as CMYK.
    APOD_JPEG_CMYK,
    /// Four inks, stored as YCCK.
    APOD_JPEG_YCCK,
} apod_jpeg_colour;

typedef struct {
    uint32_t width, height;
    apod_jpeg_colour colour;
    /// Bytes of all coefficients, which libjpeg keeps in memory if the picture has several scans; 0 for a single scan.
    uint64_t coefficient_bytes;
    /// The embedded profile, owned by the decoder; NULL without a profile.
    const uint8_t *profile;
    size_t profile_bytes;
} apod_jpeg_header;

/// The dimensions of a component as `apod_jpeg_read_planes` decodes it.
typedef struct {
    uint32_t width, height;
    /// The size of the whole picture in samples of this component; may be fractional.
    double extent_width, extent_height;
    /// Samples written to each row: a multiple of the block width.
    uint32_t written_width;
    /// Rows per call of `apod_jpeg_read_planes`.
    uint32_t group_rows;
} apod_jpeg_plane;

/// Returns NULL if out of memory. With `allows_truncated`, decodes an incomplete picture as far as possible. With
/// `allows_damage`, skips invalid data as libjpeg does.
apod_jpeg_decoder *apod_jpeg_open(apod_input input, uint32_t scan_limit, int allows_truncated, int allows_damage);
void apod_jpeg_close(apod_jpeg_decoder *decoder);
/// libjpeg's error message.
const char *apod_jpeg_message(const apod_jpeg_decoder *decoder);
apod_status apod_jpeg_read_header(apod_jpeg_decoder *decoder, apod_jpeg_header *header);
/// Starts a decode into planes, without colour conversion or upsampling, at `scale` eighths of the size: 1, 2, 4 or 8.
/// Supports only APOD_JPEG_GRAY (1 plane) and APOD_JPEG_YCBCR (3 planes).
apod_status apod_jpeg_start_planes(apod_jpeg_decoder *decoder, int scale, apod_jpeg_plane planes[3]);
/// Decodes the next group of rows of every plane. `rows[c][i]` receives row i of plane c.
apod_status apod_jpeg_read_planes(apod_jpeg_decoder *decoder, uint8_t **const rows[3]);
/// Starts a decode into rows of gray, RGB or CMYK pixels, at `scale` eighths of the size.
apod_status apod_jpeg_start_rows(apod_jpeg_decoder *decoder, int scale, uint32_t *width, uint32_t *height);
apod_status apod_jpeg_read_row(apod_jpeg_decoder *decoder, uint8_t *row);
/// Reads the bytes after the last row, up to the end marker.
apod_status apod_jpeg_finish(apod_jpeg_decoder *decoder);
int apod_jpeg_is_truncated(const apod_jpeg_decoder *decoder);
/// Whether invalid data has been skipped so far.
int apod_jpeg_is_damaged(const apod_jpeg_decoder *decoder);

// Encoder of progressive JPEGs

typedef struct apod_jpeg_encoder apod_jpeg_encoder;

/// Returns NULL if out of memory.
apod_jpeg_encoder *apod_jpeg_encoder_open(apod_output output);
void apod_jpeg_encoder_close(apod_jpeg_encoder *encoder);
const char *apod_jpeg_encoder_message(const apod_jpeg_encoder *encoder);
/// The maximum number of scans of a picture.
#define APOD_JPEG_SCANS 16

/// A scan of a progressive picture (T.81, annex G). `components` is a bit set (bit 0 is luma), `first` and `last` are
/// frequencies in zigzag order, `bits` is the lowest bit that the scan codes (Al), and `bits_before` is the lowest bit
/// that earlier scans coded (Ah), or 0.
typedef struct {
    uint8_t components, first, last, bits_before, bits;
} apod_jpeg_scan;

typedef struct {
    uint32_t width, height;
    /// 1 (gray) or 3 (YCbCr).
    int channels;
    /// Luma samples per chroma sample, 1 or 2.
    int across, down;
    /// Quantisation steps of luma, then of chroma: 64 each, in row-major order, 1 to 255.
    const uint8_t *steps;
    const apod_jpeg_scan *scans;
    int scan_count;
} apod_jpeg_settings;

apod_status apod_jpeg_encoder_start(apod_jpeg_encoder *encoder, apod_jpeg_settings settings);
/// Writes an application segment APP`number` of at most 65,533 bytes. Call it before the first block.
apod_status apod_jpeg_encoder_write_segment(apod_jpeg_encoder *encoder, int number, const uint8_t *bytes,
                                            size_t count);
/// Writes `rows` rows of blocks of a component, from row `first` on, each of 64 quantised coefficients in row-major
/// order. The encoder keeps all coefficients until the picture is finished.
apod_status apod_jpeg_encoder_write_blocks(apod_jpeg_encoder *encoder, int component, uint32_t first, uint32_t rows,
                                           const int16_t *blocks);
apod_status apod_jpeg_encoder_finish(apod_jpeg_encoder *encoder);

// PNG decoder

typedef struct apod_png_decoder apod_png_decoder;

typedef struct {
    uint32_t width, height;
    /// The decoded channels: 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
    int channels;
    /// The depth of the stored samples.
    int bits_per_sample;
    int interlaced;
    /// Whether the rows can be decoded without libpng: not interlaced, at most 8 bits per sample, and no transparent
    /// colour except in a palette.
    int direct;
    /// Whether the samples are indices of a palette.
    int indexed;
    /// The offset of the length field of the first IDAT chunk.
    uint64_t data_offset;
    /// The embedded profile, owned by the decoder; NULL without a profile.
    const uint8_t *profile;
    size_t profile_bytes;
    /// Whether the file has an sRGB chunk.
    int is_srgb;
    /// gAMA and cHRM in units of 1/100000. The chromaticities are x and y of white, red, green and blue.
    int has_gamma, has_chromaticities;
    uint32_t gamma;
    int32_t chromaticities[8];
    /// cICP: primaries, transfer function, matrix, full range.
    int has_cicp;
    uint8_t cicp[4];
    /// The brightest pixel (cLLI) and the peak luminance of the mastering display (mDCV), in 1/10000 cd/m²; 0 if
    /// unknown.
    uint32_t brightest_pixel, brightest_light;
} apod_png_header;

/// Returns NULL if out of memory.
apod_png_decoder *apod_png_open(apod_input input);
void apod_png_close(apod_png_decoder *decoder);
const char *apod_png_message(const apod_png_decoder *decoder);
apod_status apod_png_read_header(apod_png_decoder *decoder, apod_png_header *header);
/// Returns the palette of an indexed picture as 256 RGBA colours. Missing entries are opaque black, as in libpng.
void apod_png_palette(const apod_png_decoder *decoder, uint8_t *colours);
/// Starts the decode. Call it once, after `apod_png_read_header`. `wide` keeps samples of 16 bits, in native byte
/// order; all other samples become 8 bits.
apod_status apod_png_start(apod_png_decoder *decoder, int wide);
/// Reads the next row of a picture that is not interlaced.
apod_status apod_png_read_row(apod_png_decoder *decoder, uint8_t *row);
/// Reads all rows of an interlaced picture into `rows`, a pointer per row. Pixels of missing passes repeat their
/// neighbours.
apod_status apod_png_read_image(apod_png_decoder *decoder, uint8_t **rows);
/// Reads the bytes after the last row, up to the end chunk.
apod_status apod_png_finish(apod_png_decoder *decoder);

// PNG encoder

typedef struct apod_png_encoder apod_png_encoder;

/// Returns NULL if out of memory.
apod_png_encoder *apod_png_encoder_open(apod_output output);
void apod_png_encoder_close(apod_png_encoder *encoder);
const char *apod_png_encoder_message(const apod_png_encoder *encoder);
/// Metadata to write before the pixels. Each pointer may be NULL.
typedef struct {
    const uint8_t *profile;
    size_t profile_bytes;
    const uint8_t *exif;
    size_t exif_bytes;
    /// UTF-8 with a terminating zero.
    const char *xmp;
} apod_png_metadata;

/// Starts a picture. For an `interlaced` picture, all rows must be written seven times, once per pass.
apod_status apod_png_encoder_start(apod_png_encoder *encoder, uint32_t width, uint32_t height, int channels,
                                   int interlaced, apod_png_metadata metadata);
apod_status apod_png_encoder_write_row(apod_png_encoder *encoder, const uint8_t *row);
apod_status apod_png_encoder_finish(apod_png_encoder *encoder);

// LZW encoder

typedef struct apod_lzw apod_lzw;

/// Opens an encoder for the palette indices of a GIF frame (GIF89a, appendix F). Returns NULL if out of memory.
///
/// `choices` has `per_pixel` indices for each of `count` pixels; the encoder writes the index that compresses best. If
/// a pixel has fewer choices, its first index is repeated after the last. All indices must be below 2^`depth` (2 to 8),
/// and the array must stay valid until the encoder is closed. The encoder may shorten a string by up to `looks_ahead`
/// pixels (0 to 3) if the next string then grows by more pixels. Each pixel of `looks_ahead` adds about the time of an
/// encoding with a `looks_ahead` of 0.
apod_lzw *apod_lzw_open(const uint8_t *choices, int per_pixel, size_t count, int depth, int looks_ahead);
void apod_lzw_close(apod_lzw *lzw);
/// Compresses pixels until a string table is full. Returns 0 if no pixels are left.
int apod_lzw_step(apod_lzw *lzw);
/// Returns the compressed data, without sub-blocks. Call it once, after the last step; the data is valid until the
/// encoder is closed.
const uint8_t *apod_lzw_finish(apod_lzw *lzw, size_t *count);
