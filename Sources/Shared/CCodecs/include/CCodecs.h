#pragma once
#include <stddef.h>
#include <stdint.h>

// libjpeg and libpng behind functions that return a status: both leave by longjmp on an error, which must never cross a
// Swift frame, so every function here has a setjmp of its own and calls back only through functions that return.

/// How a call ended.
typedef enum {
    APOD_OK = 0,
    /// The data is damaged; the message says how.
    APOD_CORRUPT,
    /// The data ends too early.
    APOD_TRUNCATED,
    /// The data may be fine, but is of a kind that the library does not read.
    APOD_UNSUPPORTED,
    /// The data does not begin as the format does.
    APOD_NOT_IMAGE,
    /// More than the library or the limits allow; the message says what.
    APOD_TOO_LARGE,
    /// More scans than the limit.
    APOD_TOO_MANY_SCANS,
    /// Memory was refused.
    APOD_NO_MEMORY,
    /// A callback said that it failed.
    APOD_STOPPED,
    /// A fault of the caller.
    APOD_MISUSE,
} apod_status;

/// Where compressed bytes come from: fills `buffer` with bytes from `offset` on and gives how many; 0 at the end, -1
/// when reading failed or the work is to stop. A
/// capacity of 0 only asks whether it is.
typedef struct {
    void *context;
    ptrdiff_t (*read)(void *context, uint8_t *buffer, ptrdiff_t capacity, uint64_t offset);
} apod_input;

/// Where compressed bytes go: takes all of them and gives 0, or -1 when the work is to stop.
typedef struct {
    void *context;
    int (*write)(void *context, const uint8_t *bytes, ptrdiff_t count);
} apod_output;

#define APOD_MESSAGE_CAPACITY 200

/// Makes the process give blocks of a megabyte and more back to the system as soon as they are freed. By itself glibc
/// learns from the first such block to keep those that follow, once for each thread.
void apod_return_large_blocks(void);

/// Name and version of the JPEG library that this was built with.
const char *apod_jpeg_version(void);
/// The version of libpng that is in use.
const char *apod_png_version(void);

// JPEG in

typedef struct apod_jpeg_decoder apod_jpeg_decoder;

typedef enum {
    APOD_JPEG_GRAY,
    APOD_JPEG_YCBCR,
    APOD_JPEG_RGB,
    /// Four inks, which come as they are ...
    APOD_JPEG_CMYK,
    /// ... or stored as YCCK.
    APOD_JPEG_YCCK,
} apod_jpeg_colour;

typedef struct {
    uint32_t width, height;
    apod_jpeg_colour colour;
    /// What all coefficients take, which are kept while a picture in several scans is decoded; 0 for one scan.
    uint64_t coefficient_bytes;
    /// The embedded profile, NULL if there is none; belongs to the decoder.
    const uint8_t *profile;
    size_t profile_bytes;
} apod_jpeg_header;

/// One component as `apod_jpeg_read_planes` delivers it.
typedef struct {
    /// Samples that belong to the picture.
    uint32_t width, height;
    /// The size of the whole picture in samples of this component, which need not be whole.
    double extent_width, extent_height;
    /// Samples that are written to each row: whole blocks.
    uint32_t written_width;
    /// Rows that each call delivers.
    uint32_t group_rows;
} apod_jpeg_plane;

/// NULL when memory is refused. `allows_truncated`: a picture without its end is decoded as far as it goes.
/// `allows_damage`: data that makes no sense is passed over, as libjpeg does.
apod_jpeg_decoder *apod_jpeg_open(apod_input input, uint32_t scan_limit, int allows_truncated, int allows_damage);
void apod_jpeg_close(apod_jpeg_decoder *decoder);
/// What went wrong, in libjpeg's words.
const char *apod_jpeg_message(const apod_jpeg_decoder *decoder);
apod_status apod_jpeg_read_header(apod_jpeg_decoder *decoder, apod_jpeg_header *header);
/// Begins to decode planes, without colour conversion and upsampling, at `scale`/8 (1, 2, 4 or 8) of the size.
/// Only for APOD_JPEG_GRAY (1 plane) and APOD_JPEG_YCBCR (3).
apod_status apod_jpeg_start_planes(apod_jpeg_decoder *decoder, int scale, apod_jpeg_plane planes[3]);
/// Decodes the next group of rows of every plane: `rows[c][i]` is where row i of plane c goes.
apod_status apod_jpeg_read_planes(apod_jpeg_decoder *decoder, uint8_t **const rows[3]);
/// Begins to decode rows of gray, RGB or CMYK pixels at `scale`/8 of the size.
apod_status apod_jpeg_start_rows(apod_jpeg_decoder *decoder, int scale, uint32_t *width, uint32_t *height);
apod_status apod_jpeg_read_row(apod_jpeg_decoder *decoder, uint8_t *row);
/// Reads what follows the last row, to the end marker.
apod_status apod_jpeg_finish(apod_jpeg_decoder *decoder);
/// Whether data was missing so far.
int apod_jpeg_is_truncated(const apod_jpeg_decoder *decoder);
/// Whether data made no sense so far.
int apod_jpeg_is_damaged(const apod_jpeg_decoder *decoder);

// JPEG out

typedef struct apod_jpeg_encoder apod_jpeg_encoder;

/// NULL when memory is refused.
apod_jpeg_encoder *apod_jpeg_encoder_open(apod_output output);
void apod_jpeg_encoder_close(apod_jpeg_encoder *encoder);
const char *apod_jpeg_encoder_message(const apod_jpeg_encoder *encoder);
/// The most scans that a picture is written in.
#define APOD_JPEG_SCANS 16

/// A scan of a progressive picture (T.81, G): which components (bit 0 is luma), from which frequency to which, in zigzag
/// order, and down to which bit of each coefficient. `bits_before` is the lowest bit that came before, 0 if none did.
typedef struct {
    uint8_t components, first, last, bits_before, bits;
} apod_jpeg_scan;

/// What a picture comes as.
typedef enum {
    /// Rows of gray or RGB.
    APOD_JPEG_FROM_ROWS,
    /// Planes of gray or YCbCr.
    APOD_JPEG_FROM_PLANES,
    /// Quantised coefficients of these.
    APOD_JPEG_FROM_BLOCKS,
} apod_jpeg_source;

typedef struct {
    uint32_t width, height;
    /// 1 (gray) or 3.
    int channels;
    apod_jpeg_source source;
    /// Luma samples for each chroma sample, 1 or 2.
    int across, down;
    /// 1 to 100: how far the tables of T.81, K.1 are scaled, if `steps` is NULL.
    int quality;
    /// Quantisation steps of luma and of chroma, 64 each, row by row; 1 to 255.
    const uint8_t *steps;
    /// Whether Huffman codes are made for the picture, for which libjpeg keeps all coefficients.
    int optimized;
    /// None for a baseline picture; libjpeg keeps all coefficients for them, too.
    const apod_jpeg_scan *scans;
    int scan_count;
} apod_jpeg_settings;

/// Begins a picture.
apod_status apod_jpeg_encoder_start(apod_jpeg_encoder *encoder, apod_jpeg_settings settings);
/// Writes an application segment APP`number` of at most 65,533 bytes. Before the first row.
apod_status apod_jpeg_encoder_write_segment(apod_jpeg_encoder *encoder, int number, const uint8_t *bytes,
                                            size_t count);
/// Writes a profile in as many segments as it takes. Before the first row.
apod_status apod_jpeg_encoder_write_profile(apod_jpeg_encoder *encoder, const uint8_t *profile, size_t count);
/// Takes 8 rows of each chroma, whole blocks wide, and of luma 8 times `down` (8 of gray).
apod_status apod_jpeg_encoder_write_planes(apod_jpeg_encoder *encoder, uint8_t **const rows[3]);
/// Takes all blocks of a component, row by row, each of 64 coefficients row by row; as many as its samples fill.
apod_status apod_jpeg_encoder_write_blocks(apod_jpeg_encoder *encoder, int component, const int16_t *blocks);
apod_status apod_jpeg_encoder_write_row(apod_jpeg_encoder *encoder, const uint8_t *row);
apod_status apod_jpeg_encoder_finish(apod_jpeg_encoder *encoder);

// PNG in

typedef struct apod_png_decoder apod_png_decoder;

typedef struct {
    uint32_t width, height;
    /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha, as the rows are delivered.
    int channels;
    /// As they are stored.
    int bits_per_sample;
    int interlaced;
    /// Whether the rows are stored as they are delivered but for PNG's filters: not interlaced, 8 bits a sample, no
    /// palette, no transparent colour.
    int direct;
    /// Where the first IDAT chunk begins, with its length.
    uint64_t data_offset;
    /// The embedded profile, NULL if there is none; belongs to the decoder.
    const uint8_t *profile;
    size_t profile_bytes;
    /// Whether the file says that it is sRGB (sRGB).
    int is_srgb;
    /// gAMA and cHRM in 1/100000, as they are stored: white, red, green, blue.
    int has_gamma, has_chromaticities;
    uint32_t gamma;
    int32_t chromaticities[8];
    /// cICP: primaries, transfer function, matrix, full range.
    int has_cicp;
    uint8_t cicp[4];
    /// The brightest pixel (cLLI), and the brightest light of the screen on which the picture was made (mDCV), in 1/10000
    /// cd/m²; 0 if not known.
    uint32_t brightest_pixel, brightest_light;
} apod_png_header;

/// NULL when memory is refused.
apod_png_decoder *apod_png_open(apod_input input);
void apod_png_close(apod_png_decoder *decoder);
const char *apod_png_message(const apod_png_decoder *decoder);
apod_status apod_png_read_header(apod_png_decoder *decoder, apod_png_header *header);
/// Begins to decode; once, after the header. `wide`: samples that are stored with 16 bits are delivered so, in the
/// machine's byte order; all others, and those without it, have 8.
apod_status apod_png_start(apod_png_decoder *decoder, int wide);
/// Reads the next row; only if the picture is not interlaced.
apod_status apod_png_read_row(apod_png_decoder *decoder, uint8_t *row);
/// Reads all rows of an interlaced picture; `rows` has one pointer a row. Pixels that have not come yet look like their
/// neighbours that have.
apod_status apod_png_read_image(apod_png_decoder *decoder, uint8_t **rows);
/// Reads what follows the last row, to the end chunk.
apod_status apod_png_finish(apod_png_decoder *decoder);

// PNG out

typedef struct apod_png_encoder apod_png_encoder;

/// NULL when memory is refused.
apod_png_encoder *apod_png_encoder_open(apod_output output);
void apod_png_encoder_close(apod_png_encoder *encoder);
const char *apod_png_encoder_message(const apod_png_encoder *encoder);
/// What is written before the pixels; NULL if there is none.
typedef struct {
    const uint8_t *profile;
    size_t profile_bytes;
    const uint8_t *exif;
    size_t exif_bytes;
    /// UTF-8, ended by a zero.
    const char *xmp;
} apod_png_metadata;

/// Begins a picture. `interlaced`: all rows come seven times over.
apod_status apod_png_encoder_start(apod_png_encoder *encoder, uint32_t width, uint32_t height, int channels,
                                   int interlaced, apod_png_metadata metadata);
apod_status apod_png_encoder_write_row(apod_png_encoder *encoder, const uint8_t *row);
apod_status apod_png_encoder_finish(apod_png_encoder *encoder);

// LZW out

typedef struct apod_lzw apod_lzw;

/// Compresses the palette numbers of a GIF's frame (GIF89a, appendix F). NULL when memory is refused.
///
/// Each of `count` pixels is the number in `first` or that in `second`, whichever compresses better; both are below two
/// to the power of `depth` (2 to 8) and stay valid until it is closed. `looks_ahead`: by how many pixels a string may be
/// cut short if the one behind it is then longer by more, 0 to 3; each costs about as much time again.
apod_lzw *apod_lzw_open(const uint8_t *first, const uint8_t *second, size_t count, int depth, int looks_ahead);
void apod_lzw_close(apod_lzw *lzw);
/// Compresses some more, a table's worth of strings; 0 if there is nothing left.
int apod_lzw_step(apod_lzw *lzw);
/// What the pixels have become, without the blocks that they are written in. To be called once, behind the last step;
/// valid until it is closed.
const uint8_t *apod_lzw_finish(apod_lzw *lzw, size_t *count);
