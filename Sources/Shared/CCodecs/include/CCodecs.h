#pragma once
#include <stddef.h>
#include <stdint.h>

// Wraps libjpeg and libpng in functions that return a status. Both libraries report errors by longjmp, which must
// never cross a Swift frame. So each function has its own setjmp, and calls back only functions that return.

typedef enum {
    APOD_OK = 0,
    /// Damaged data, described by the message.
    APOD_CORRUPT,
    /// The data ends too early.
    APOD_TRUNCATED,
    /// Valid data of a kind that the library does not support.
    APOD_UNSUPPORTED,
    /// The data does not begin with the signature of the format.
    APOD_NOT_IMAGE,
    /// Exceeds a limit, which the message names.
    APOD_TOO_LARGE,
    APOD_TOO_MANY_SCANS,
    APOD_NO_MEMORY,
    /// A callback has failed.
    APOD_STOPPED,
    /// A programming error of the caller.
    APOD_MISUSE,
} apod_status;

/// A source of compressed bytes. `read` fills `buffer` from `offset` and returns the number of bytes: 0 at the end, -1
/// on failure or to stop. A capacity of 0 only asks whether to stop.
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

/// Makes malloc return blocks of a megabyte and more to the system when they are freed. By default glibc keeps such
/// blocks for each thread after it frees the first.
void apod_return_large_blocks(void);

/// Name and version of the JPEG library of this build.
const char *apod_jpeg_version(void);
/// The version of the loaded libpng.
const char *apod_png_version(void);

// JPEG in

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
    /// The size of all coefficients, which libjpeg keeps for a picture with several scans; 0 for a single scan.
    uint64_t coefficient_bytes;
    /// The embedded profile, owned by the decoder; NULL without a profile.
    const uint8_t *profile;
    size_t profile_bytes;
} apod_jpeg_header;

/// The shape of a component for `apod_jpeg_read_planes`.
typedef struct {
    uint32_t width, height;
    /// The size of the whole picture in samples of this component; may be fractional.
    double extent_width, extent_height;
    /// Samples written to each row: whole blocks.
    uint32_t written_width;
    /// Rows per call.
    uint32_t group_rows;
} apod_jpeg_plane;

/// Returns NULL without memory. `allows_truncated` decodes an incomplete picture as far as possible. `allows_damage`
/// skips invalid data as libjpeg does.
apod_jpeg_decoder *apod_jpeg_open(apod_input input, uint32_t scan_limit, int allows_truncated, int allows_damage);
void apod_jpeg_close(apod_jpeg_decoder *decoder);
/// libjpeg's error message.
const char *apod_jpeg_message(const apod_jpeg_decoder *decoder);
apod_status apod_jpeg_read_header(apod_jpeg_decoder *decoder, apod_jpeg_header *header);
/// Starts to decode planes, without colour conversion and upsampling, at `scale`/8 (1, 2, 4 or 8) of the size. Only
/// for APOD_JPEG_GRAY (1 plane) and APOD_JPEG_YCBCR (3).
apod_status apod_jpeg_start_planes(apod_jpeg_decoder *decoder, int scale, apod_jpeg_plane planes[3]);
/// Decodes the next group of rows of every plane. `rows[c][i]` receives row i of plane c.
apod_status apod_jpeg_read_planes(apod_jpeg_decoder *decoder, uint8_t **const rows[3]);
/// Starts to decode rows of gray, RGB or CMYK pixels at `scale`/8 of the size.
apod_status apod_jpeg_start_rows(apod_jpeg_decoder *decoder, int scale, uint32_t *width, uint32_t *height);
apod_status apod_jpeg_read_row(apod_jpeg_decoder *decoder, uint8_t *row);
/// Reads the bytes after the last row, up to the end marker.
apod_status apod_jpeg_finish(apod_jpeg_decoder *decoder);
int apod_jpeg_is_truncated(const apod_jpeg_decoder *decoder);
/// Whether invalid data was skipped so far.
int apod_jpeg_is_damaged(const apod_jpeg_decoder *decoder);

// JPEG out

typedef struct apod_jpeg_encoder apod_jpeg_encoder;

/// Returns NULL without memory.
apod_jpeg_encoder *apod_jpeg_encoder_open(apod_output output);
void apod_jpeg_encoder_close(apod_jpeg_encoder *encoder);
const char *apod_jpeg_encoder_message(const apod_jpeg_encoder *encoder);
/// The maximum number of scans of a picture.
#define APOD_JPEG_SCANS 16

/// A scan of a progressive picture (T.81, annex G): the components (bit 0 is luma), the range of frequencies in zigzag
/// order, and the lowest bit of each coefficient (Al). `bits_before` is the lowest bit before this scan (Ah), or 0.
typedef struct {
    uint8_t components, first, last, bits_before, bits;
} apod_jpeg_scan;

/// The form in which a picture is written.
typedef enum {
    APOD_JPEG_FROM_ROWS,
    APOD_JPEG_FROM_PLANES,
    /// Quantised coefficients of gray or YCbCr.
    APOD_JPEG_FROM_BLOCKS,
} apod_jpeg_source;

typedef struct {
    uint32_t width, height;
    /// 1 (gray) or 3.
    int channels;
    apod_jpeg_source source;
    /// Luma samples per chroma sample, 1 or 2.
    int across, down;
    /// 1 to 100: the scale of the tables of T.81, K.1, if `steps` is NULL.
    int quality;
    /// Quantisation steps of luma and of chroma, 64 each in row-major order; 1 to 255.
    const uint8_t *steps;
    /// Whether to optimise the Huffman codes for the picture. libjpeg then keeps all coefficients.
    int optimized;
    /// Scans of a progressive picture; none for a baseline picture. With scans, libjpeg keeps all coefficients.
    const apod_jpeg_scan *scans;
    int scan_count;
} apod_jpeg_settings;

apod_status apod_jpeg_encoder_start(apod_jpeg_encoder *encoder, apod_jpeg_settings settings);
/// Writes an application segment APP`number` of at most 65,533 bytes. Call it before the first row.
apod_status apod_jpeg_encoder_write_segment(apod_jpeg_encoder *encoder, int number, const uint8_t *bytes,
                                            size_t count);
/// Writes a profile in as many segments as necessary. Call it before the first row.
apod_status apod_jpeg_encoder_write_profile(apod_jpeg_encoder *encoder, const uint8_t *profile, size_t count);
/// Writes 8 rows of each chroma plane, whole blocks wide, and 8 times `down` rows of luma (8 of gray).
apod_status apod_jpeg_encoder_write_planes(apod_jpeg_encoder *encoder, uint8_t **const rows[3]);
/// Writes all blocks of a component, row by row, each of 64 coefficients in row-major order.
apod_status apod_jpeg_encoder_write_blocks(apod_jpeg_encoder *encoder, int component, const int16_t *blocks);
apod_status apod_jpeg_encoder_write_row(apod_jpeg_encoder *encoder, const uint8_t *row);
apod_status apod_jpeg_encoder_finish(apod_jpeg_encoder *encoder);

// PNG in

typedef struct apod_png_decoder apod_png_decoder;

typedef struct {
    uint32_t width, height;
    /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha, as decoded.
    int channels;
    /// As stored.
    int bits_per_sample;
    int interlaced;
    /// Whether the stored rows differ from the decoded rows only by PNG's filters: not interlaced, 8 bits per sample,
    /// no palette, no transparent colour.
    int direct;
    /// The offset of the first IDAT chunk, including its length field.
    uint64_t data_offset;
    /// The embedded profile, owned by the decoder; NULL without a profile.
    const uint8_t *profile;
    size_t profile_bytes;
    /// Whether the file has an sRGB chunk.
    int is_srgb;
    /// gAMA and cHRM in 1/100000, as stored: white, red, green, blue.
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

/// Returns NULL without memory.
apod_png_decoder *apod_png_open(apod_input input);
void apod_png_close(apod_png_decoder *decoder);
const char *apod_png_message(const apod_png_decoder *decoder);
apod_status apod_png_read_header(apod_png_decoder *decoder, apod_png_header *header);
/// Starts to decode, once, after the header. `wide` keeps 16-bit samples, in native byte order. All others become
/// 8-bit samples.
apod_status apod_png_start(apod_png_decoder *decoder, int wide);
/// Reads the next row of a picture that is not interlaced.
apod_status apod_png_read_row(apod_png_decoder *decoder, uint8_t *row);
/// Reads all rows of an interlaced picture into `rows`, a pointer per row. Pixels of missing passes repeat their
/// neighbours.
apod_status apod_png_read_image(apod_png_decoder *decoder, uint8_t **rows);
/// Reads the bytes after the last row, up to the end chunk.
apod_status apod_png_finish(apod_png_decoder *decoder);

// PNG out

typedef struct apod_png_encoder apod_png_encoder;

/// Returns NULL without memory.
apod_png_encoder *apod_png_encoder_open(apod_output output);
void apod_png_encoder_close(apod_png_encoder *encoder);
const char *apod_png_encoder_message(const apod_png_encoder *encoder);
/// Metadata to write before the pixels, each NULL if absent.
typedef struct {
    const uint8_t *profile;
    size_t profile_bytes;
    const uint8_t *exif;
    size_t exif_bytes;
    /// UTF-8 with a terminating zero.
    const char *xmp;
} apod_png_metadata;

/// Starts a picture. If it is `interlaced`, all rows must be written seven times.
apod_status apod_png_encoder_start(apod_png_encoder *encoder, uint32_t width, uint32_t height, int channels,
                                   int interlaced, apod_png_metadata metadata);
apod_status apod_png_encoder_write_row(apod_png_encoder *encoder, const uint8_t *row);
apod_status apod_png_encoder_finish(apod_png_encoder *encoder);

// LZW out

typedef struct apod_lzw apod_lzw;

/// Compresses the palette indices of a GIF frame (GIF89a, appendix F). Returns NULL without memory.
///
/// Each of `count` pixels becomes the index in `first` or `second`, whichever compresses better. Both are below two to
/// the power of `depth` (2 to 8) and must stay valid until the encoder is closed. `looks_ahead` is the number of
/// pixels, 0 to 3, by which a string may be shortened if the next string grows by more; each adds about the same time
/// again.
apod_lzw *apod_lzw_open(const uint8_t *first, const uint8_t *second, size_t count, int depth, int looks_ahead);
void apod_lzw_close(apod_lzw *lzw);
/// Compresses up to one table of strings. Returns 0 at the end.
int apod_lzw_step(apod_lzw *lzw);
/// Returns the compressed data, without sub-blocks. Call it once, after the last step; the data is valid until the
/// encoder is closed.
const uint8_t *apod_lzw_finish(apod_lzw *lzw, size_t *count);
