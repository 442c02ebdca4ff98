// A wrapper of libtiff. The library is loaded for the first TIFF, because few runs read TIFFs.
//
// The build needs no header of libtiff, because the functions used here are unchanged since 4.0.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library on the first call. Returns NULL if TIFFs can be read. Otherwise, returns the reason and the
/// package to install. May be called from any thread.
const char *_Nullable ctiff_load(void);

/// Loads the library and returns its version, or NULL if the library cannot be used.
const char *_Nullable ctiff_version(void);

/// A source of bytes. `read` returns the number of bytes read, which is less than `capacity` only at the end of the
/// source, or -1 to stop.
typedef struct {
    void *context;
    ptrdiff_t (*_Nonnull read)(
        void *_Nullable context, uint8_t *_Nullable buffer, ptrdiff_t capacity, uint64_t offset);
    uint64_t count;
} ctiff_input;

/// The tags of a page (TIFF 6.0 §8).
typedef struct {
    uint32_t width, height;
    uint16_t bits, samples, photometric, compression;
    /// 1 for unsigned integers.
    uint16_t sample_format;
    /// 1 for cyan, magenta, yellow and black in this order.
    uint16_t ink_set;
    /// The meaning of the first extra sample: 1 for premultiplied alpha, 2 for straight alpha, -1 without extra
    /// samples.
    int extra;
    /// Whether each sample has its own strips or tiles.
    int is_separate;
    int is_tiled;
    uint32_t tile_width, tile_height;
    /// Bytes per decoded row and per decoded tile. If samples are separate, rows and tiles contain a single sample per
    /// pixel.
    uint64_t row_bytes, tile_bytes;
    /// The size of the largest strip or tile in the file, which libtiff keeps in memory while it decodes.
    uint64_t packed_bytes;
    /// The palette: `1 << bits` entries for each colour; NULL without a palette.
    const uint16_t *_Nullable red, *_Nullable green, *_Nullable blue;
    const uint8_t *_Nullable profile;
    uint32_t profile_bytes;
} ctiff_page;

typedef struct ctiff_file ctiff_file;

typedef enum {
    CTIFF_OK = 0,
    CTIFF_CORRUPT,
    /// The installed libtiff does not support the compression.
    CTIFF_UNSUPPORTED,
    /// `read` has returned -1.
    CTIFF_STOPPED,
} ctiff_status;

/// Opens page `number`, counted from 0. Returns NULL if out of memory; otherwise the caller must close the file, even
/// if `status` is a failure. Pointers in `page` are valid until the file is closed. Call this only after `ctiff_load`
/// has returned NULL.
ctiff_file *_Nullable ctiff_open(ctiff_input input, uint32_t number, ctiff_page *page, ctiff_status *status);

void ctiff_close(ctiff_file *file);

/// Decodes a row of a file with strips into `row_bytes` bytes. Rows must be read in order, from the top.
ctiff_status ctiff_read_row(ctiff_file *file, uint32_t row, uint16_t sample, uint8_t *buffer);

/// Decodes the tile that contains the pixel at x and y into `tile_bytes` bytes.
ctiff_status ctiff_read_tile(ctiff_file *file, uint32_t x, uint32_t y, uint16_t sample, uint8_t *buffer);

/// Returns libtiff's first error message; empty without an error.
const char *ctiff_message(const ctiff_file *file);

#pragma clang assume_nonnull end
