#include "CTIFF.h"

#include <CLibraryLoading.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libtiff's types.
typedef struct tiff TIFF;
typedef ptrdiff_t (*tiff_transfer)(void *context, void *buffer, ptrdiff_t count);
typedef uint64_t (*tiff_seek)(void *context, uint64_t offset, int whence);
typedef int (*tiff_close)(void *context);
typedef uint64_t (*tiff_size)(void *context);
typedef int (*tiff_map)(void *context, void **base, uint64_t *size);
typedef void (*tiff_unmap)(void *context, void *base, uint64_t size);
typedef void (*tiff_report)(const char *module, const char *format, va_list arguments);

#define FUNCTIONS(F) \
    F(TIFFGetVersion, const char *, (void)) \
    F(TIFFSetErrorHandler, tiff_report, (tiff_report handler)) \
    F(TIFFSetWarningHandler, tiff_report, (tiff_report handler)) \
    F(TIFFClientOpen, TIFF *, \
      (const char *name, const char *mode, void *context, tiff_transfer read, tiff_transfer write, tiff_seek seek, \
       tiff_close close, tiff_size size, tiff_map map, tiff_unmap unmap)) \
    F(TIFFClose, void, (TIFF *tiff)) \
    F(TIFFSetDirectory, int, (TIFF *tiff, uint32_t number)) \
    F(TIFFGetField, int, (TIFF *tiff, uint32_t tag, ...)) \
    F(TIFFGetFieldDefaulted, int, (TIFF *tiff, uint32_t tag, ...)) \
    F(TIFFSetField, int, (TIFF *tiff, uint32_t tag, ...)) \
    F(TIFFIsTiled, int, (TIFF *tiff)) \
    F(TIFFIsCODECConfigured, int, (uint16_t compression)) \
    F(TIFFScanlineSize64, uint64_t, (TIFF *tiff)) \
    F(TIFFTileSize64, uint64_t, (TIFF *tiff)) \
    F(TIFFReadScanline, int, (TIFF *tiff, void *buffer, uint32_t row, uint16_t sample)) \
    F(TIFFReadTile, ptrdiff_t, (TIFF *tiff, void *buffer, uint32_t x, uint32_t y, uint32_t z, uint16_t sample)) \
    F(TIFFNumberOfTiles, uint32_t, (TIFF *tiff)) \
    F(TIFFNumberOfStrips, uint32_t, (TIFF *tiff))
FUNCTIONS(CLOADING_DECLARED)

enum {
    WIDTH = 256, HEIGHT = 257, BITS = 258, COMPRESSION = 259, PHOTOMETRIC = 262, SAMPLES = 277, PLANES = 284,
    PALETTE = 320, TILE_WIDTH = 322, TILE_HEIGHT = 323, INK_SET = 332, EXTRA_SAMPLES = 338, SAMPLE_FORMAT = 339,
    STRIP_BYTES = 279, TILE_BYTES = 325, PROFILE = 34675, JPEG_COLOURS = 65538,
};
enum { COMPRESSION_JPEG = 7, PHOTOMETRIC_YCBCR = 6, SEPARATE_PLANES = 2 };

#define MESSAGE_CAPACITY 160

struct ctiff_file {
    TIFF *tiff;
    ctiff_input input;
    uint64_t offset;
    int is_stopped;
    char message[MESSAGE_CAPACITY];
};

// libtiff has one error handler per process, which writes to the buffer of the calling thread.
static _Thread_local char *thread_message;

static void keep_error(const char *module, const char *format, va_list arguments) {
    (void)module;
    // Keep only the first error, which usually causes the later errors.
    if (thread_message == NULL || thread_message[0] != 0) return;
    vsnprintf(thread_message, MESSAGE_CAPACITY, format, arguments);
}

static const char *load(void) {
    void *library = cloading_open(CLOADING_NAMES("libtiff.6.dylib", "libtiff.so.6", "libtiff.so.5"));
    if (library == NULL) return "libtiff is not installed (Debian: libtiff6, Homebrew: libtiff)";
    if (!CLOADING_FIND(library, FUNCTIONS)) return "libtiff lacks a required function; reinstall it";
    TIFFSetErrorHandler(keep_error);
    TIFFSetWarningHandler(NULL);
    return NULL;
}

CLOADING_ONCE(ctiff_load, load)

const char *ctiff_version(void) { return ctiff_load() == NULL ? TIFFGetVersion() : NULL; }

static ptrdiff_t read_input(void *context, void *buffer, ptrdiff_t count) {
    ctiff_file *file = context;
    if (file->is_stopped || count < 0) return -1;
    ptrdiff_t done = 0;
    while (done < count && file->offset < file->input.count) {
        const ptrdiff_t got = file->input.read(
            file->input.context, (uint8_t *)buffer + done, count - done, file->offset);
        if (got < 0) file->is_stopped = 1;
        if (got <= 0) break;
        done += got;
        file->offset += (uint64_t)got;
    }
    return file->is_stopped ? -1 : done;
}

static ptrdiff_t refuse_write(void *context, void *buffer, ptrdiff_t count) {
    (void)context, (void)buffer, (void)count;
    return -1;
}

static uint64_t seek_input(void *context, uint64_t offset, int whence) {
    ctiff_file *file = context;
    if (whence == SEEK_CUR) offset += file->offset;
    if (whence == SEEK_END) offset += file->input.count;
    file->offset = offset;
    return offset;
}

static int close_input(void *context) {
    (void)context;
    return 0;
}

static uint64_t input_size(void *context) { return ((ctiff_file *)context)->input.count; }

static int map_nothing(void *context, void **base, uint64_t *size) {
    (void)context, (void)base, (void)size;
    return 0;
}

static void unmap_nothing(void *context, void *base, uint64_t size) { (void)context, (void)base, (void)size; }

static ctiff_status failure(const ctiff_file *file) { return file->is_stopped ? CTIFF_STOPPED : CTIFF_CORRUPT; }

static uint16_t number(TIFF *handle, uint32_t tag) {
    uint16_t value = 0;
    return TIFFGetFieldDefaulted(handle, tag, &value) ? value : 0;
}

static uint64_t largest(TIFF *handle, uint32_t tag, uint32_t count, uint64_t file_bytes) {
    const uint64_t *bytes = NULL;
    if (!TIFFGetField(handle, tag, &bytes) || bytes == NULL) return file_bytes;
    uint64_t most = 0;
    for (uint32_t index = 0; index < count; index++) {
        if (bytes[index] > most) most = bytes[index];
    }
    return most < file_bytes ? most : file_bytes;
}

static ctiff_status read_page(ctiff_file *file, ctiff_page *page) {
    TIFF *handle = file->tiff;
    if (!TIFFGetField(handle, WIDTH, &page->width)) return failure(file);
    if (!TIFFGetField(handle, HEIGHT, &page->height)) return failure(file);
    page->bits = number(handle, BITS);
    page->samples = number(handle, SAMPLES);
    page->compression = number(handle, COMPRESSION);
    page->sample_format = number(handle, SAMPLE_FORMAT);
    page->ink_set = number(handle, INK_SET);
    page->is_separate = page->samples > 1 && number(handle, PLANES) == SEPARATE_PLANES;
    if (!TIFFGetField(handle, PHOTOMETRIC, &page->photometric)) {
        // If the photometric tag is missing, use the default of libtiff's own conversion to RGB. With fax compressions
        // (2 to 4), 0 is white.
        const int is_fax = page->compression >= 2 && page->compression <= 4;
        page->photometric = page->samples >= 3 ? 2 : is_fax ? 0 : 1;
    }
    if (!TIFFIsCODECConfigured(page->compression)) {
        snprintf(file->message, sizeof file->message, "compression %u", page->compression);
        return CTIFF_UNSUPPORTED;
    }
    uint16_t count = 0;
    const uint16_t *kinds = NULL;
    page->extra = -1;
    const int has_kinds = TIFFGetFieldDefaulted(handle, EXTRA_SAMPLES, &count, &kinds) && kinds != NULL;
    if (has_kinds && count > 0) page->extra = kinds[0];
    if (page->bits <= 16 && !TIFFGetField(handle, PALETTE, &page->red, &page->green, &page->blue)) page->red = NULL;
    if (!TIFFGetField(handle, PROFILE, &page->profile_bytes, &page->profile)) page->profile = NULL;
    if (page->compression == COMPRESSION_JPEG && page->photometric == PHOTOMETRIC_YCBCR && !page->is_separate) {
        // Makes libtiff's JPEG decoder convert to RGB. This changes the row and tile sizes below.
        TIFFSetField(handle, JPEG_COLOURS, 1);
        page->photometric = 2;
    }
    page->is_tiled = TIFFIsTiled(handle) != 0;
    if (page->is_tiled) {
        if (!TIFFGetField(handle, TILE_WIDTH, &page->tile_width)
            || !TIFFGetField(handle, TILE_HEIGHT, &page->tile_height)) {
            return failure(file);
        }
        page->tile_bytes = TIFFTileSize64(handle);
        page->packed_bytes = largest(handle, TILE_BYTES, TIFFNumberOfTiles(handle), file->input.count);
        return page->tile_bytes == 0 ? CTIFF_CORRUPT : CTIFF_OK;
    }
    page->row_bytes = TIFFScanlineSize64(handle);
    page->packed_bytes = largest(handle, STRIP_BYTES, TIFFNumberOfStrips(handle), file->input.count);
    return page->row_bytes == 0 ? CTIFF_CORRUPT : CTIFF_OK;
}

ctiff_file *ctiff_open(ctiff_input input, uint32_t page_number, ctiff_page *page, ctiff_status *status) {
    memset(page, 0, sizeof *page);
    ctiff_file *file = calloc(1, sizeof *file);
    if (file == NULL) return NULL;
    file->input = input;
    thread_message = file->message;
    // "m" disables memory mapping.
    file->tiff = TIFFClientOpen(
        "TIFF", "rm", file, read_input, refuse_write, seek_input, close_input, input_size, map_nothing, unmap_nothing);
    *status = file->tiff == NULL ? failure(file) : CTIFF_OK;
    if (*status == CTIFF_OK && page_number > 0 && !TIFFSetDirectory(file->tiff, page_number)) *status = failure(file);
    if (*status == CTIFF_OK) *status = read_page(file, page);
    thread_message = NULL;
    return file;
}

void ctiff_close(ctiff_file *file) {
    thread_message = file->message;
    if (file->tiff != NULL) TIFFClose(file->tiff);
    thread_message = NULL;
    free(file);
}

ctiff_status ctiff_read_row(ctiff_file *file, uint32_t row, uint16_t sample, uint8_t *buffer) {
    thread_message = file->message;
    const int result = TIFFReadScanline(file->tiff, buffer, row, sample);
    thread_message = NULL;
    return result == 1 ? CTIFF_OK : failure(file);
}

ctiff_status ctiff_read_tile(ctiff_file *file, uint32_t x, uint32_t y, uint16_t sample, uint8_t *buffer) {
    thread_message = file->message;
    const ptrdiff_t result = TIFFReadTile(file->tiff, buffer, x, y, 0, sample);
    thread_message = NULL;
    return result >= 0 ? CTIFF_OK : failure(file);
}

const char *ctiff_message(const ctiff_file *file) { return file->message; }
