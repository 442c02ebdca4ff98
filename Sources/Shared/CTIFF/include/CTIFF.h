// libtiff, loaded when the first TIFF arrives, as few runs read one.
//
// Its header is not needed: what is used of it here has been the same since 4.0.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// Loads the library, the first time it is called. NULL if TIFFs can be read, else why not and what to install.
/// Any number of threads may call it.
const char *_Nullable ctiff_load(void);

/// The library's version, loading it first; NULL if it cannot be used.
const char *_Nullable ctiff_version(void);

/// Where bytes come from. `read` gives how many it has put into the buffer, fewer than there is room for at the end
/// alone, or -1 to stop the work.
typedef struct {
    void *context;
    ptrdiff_t (*_Nonnull read)(
        void *_Nullable context, uint8_t *_Nullable buffer, ptrdiff_t capacity, uint64_t offset);
    uint64_t count;
} ctiff_input;

/// A page, as its tags have it (TIFF 6.0 §8).
typedef struct {
    uint32_t width, height;
    uint16_t bits, samples, photometric, compression;
    /// 1 for whole numbers.
    uint16_t sample_format;
    /// 1 for process colours in the order of cyan, magenta, yellow and black.
    uint16_t ink_set;
    /// What the first sample beyond the colours means: 1 is alpha that they are multiplied by, 2 alpha beside them; -1
    /// if there is none.
    int extra;
    /// Whether each sample has its own strips or tiles.
    int is_separate;
    int is_tiled;
    uint32_t tile_width, tile_height;
    /// Of a row, or of one of a tile, of one sample if they are separate.
    uint64_t row_bytes, tile_bytes;
    /// The most bytes that a strip or tile takes in the file: libtiff holds them while it decodes.
    uint64_t packed_bytes;
    /// The colours of a palette by their numbers, `1 << bits` of each; NULL without.
    const uint16_t *_Nullable red, *_Nullable green, *_Nullable blue;
    const uint8_t *_Nullable profile;
    uint32_t profile_bytes;
} ctiff_page;

typedef struct ctiff_file ctiff_file;

typedef enum {
    CTIFF_OK = 0,
    /// The message says how.
    CTIFF_CORRUPT,
    /// A compression that this libtiff lacks.
    CTIFF_UNSUPPORTED,
    /// The bytes could not be read.
    CTIFF_STOPPED,
} ctiff_status;

/// Opens page `number`, from 0. Only after `ctiff_load` gave NULL. NULL if there is no memory; else the file is to be
/// closed whatever the status. Pointers in `page` live as long as the file.
ctiff_file *_Nullable ctiff_open(ctiff_input input, uint32_t number, ctiff_page *page, ctiff_status *status);

void ctiff_close(ctiff_file *file);

/// Decodes a row of strips, `row_bytes` long. Rows are asked for from the top.
ctiff_status ctiff_read_row(ctiff_file *file, uint32_t row, uint16_t sample, uint8_t *buffer);

/// Decodes the tile with the pixel at x and y, `tile_bytes` long.
ctiff_status ctiff_read_tile(ctiff_file *file, uint32_t x, uint32_t y, uint16_t sample, uint8_t *buffer);

/// What went wrong, in libtiff's words.
const char *ctiff_message(const ctiff_file *file);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
