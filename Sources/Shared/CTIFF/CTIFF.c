#include "CTIFF.h"

#include <CLibraryLoading.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libtiff's own types, by what they are.
typedef struct tiff TIFF;
typedef ptrdiff_t (*tiff_transfer)(void *context, void *buffer, ptrdiff_t count);
typedef uint64_t (*tiff_seek)(void *context, uint64_t offset, int whence);
typedef int (*tiff_close)(void *context);
typedef uint64_t (*tiff_size)(void *context);
typedef int (*tiff_map)(void *context, void **base, uint64_t *size);
typedef void (*tiff_unmap)(void *context, void *base, uint64_t size);
typedef void (*tiff_report)(const char *module, const char *format, va_list arguments);

// The functions that are used, found by name.
static struct {
    const char *(*version)(void);
    tiff_report (*set_error_handler)(tiff_report handler);
    tiff_report (*set_warning_handler)(tiff_report handler);
    TIFF *(*open)(
        const char *name, const char *mode, void *context, tiff_transfer read, tiff_transfer write, tiff_seek seek,
        tiff_close close, tiff_size size, tiff_map map, tiff_unmap unmap);
    void (*close)(TIFF *tiff);
    int (*set_directory)(TIFF *tiff, uint32_t number);
    int (*get)(TIFF *tiff, uint32_t tag, ...);
    int (*get_defaulted)(TIFF *tiff, uint32_t tag, ...);
    int (*set)(TIFF *tiff, uint32_t tag, ...);
    int (*is_tiled)(TIFF *tiff);
    int (*is_configured)(uint16_t compression);
    uint64_t (*row_bytes)(TIFF *tiff);
    uint64_t (*tile_bytes)(TIFF *tiff);
    int (*read_row)(TIFF *tiff, void *buffer, uint32_t row, uint16_t sample);
    ptrdiff_t (*read_tile)(TIFF *tiff, void *buffer, uint32_t x, uint32_t y, uint32_t z, uint16_t sample);
    uint32_t (*tile_count)(TIFF *tiff);
    uint32_t (*strip_count)(TIFF *tiff);
} tiff;

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

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *load_error;

// libtiff reports to one function for the whole process: each thread says where its words go.
static _Thread_local char *words;

static void keep_error(const char *module, const char *format, va_list arguments) {
    (void)module;
    // The first one is the cause of the others.
    if (words != NULL && words[0] == 0) vsnprintf(words, MESSAGE_CAPACITY, format, arguments);
}

static void load(void) {
#ifdef __APPLE__
    static const char *const names[] = {
        "libtiff.6.dylib", "/opt/homebrew/lib/libtiff.6.dylib", "/usr/local/lib/libtiff.6.dylib", NULL};
#else
    static const char *const names[] = {"libtiff.so.6", "libtiff.so.5", NULL};
#endif
    void *library = cloading_open(names);
    if (library == NULL) {
        load_error = "libtiff is not installed (Debian: libtiff6, Homebrew: libtiff)";
        return;
    }
    const struct cloading_function functions[] = {
        {&tiff.version, "TIFFGetVersion"},
        {&tiff.set_error_handler, "TIFFSetErrorHandler"},
        {&tiff.set_warning_handler, "TIFFSetWarningHandler"},
        {&tiff.open, "TIFFClientOpen"},
        {&tiff.close, "TIFFClose"},
        {&tiff.set_directory, "TIFFSetDirectory"},
        {&tiff.get, "TIFFGetField"},
        {&tiff.get_defaulted, "TIFFGetFieldDefaulted"},
        {&tiff.set, "TIFFSetField"},
        {&tiff.is_tiled, "TIFFIsTiled"},
        {&tiff.is_configured, "TIFFIsCODECConfigured"},
        {&tiff.row_bytes, "TIFFScanlineSize64"},
        {&tiff.tile_bytes, "TIFFTileSize64"},
        {&tiff.read_row, "TIFFReadScanline"},
        {&tiff.read_tile, "TIFFReadTile"},
        {&tiff.tile_count, "TIFFNumberOfTiles"},
        {&tiff.strip_count, "TIFFNumberOfStrips"},
    };
    if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        load_error = "libtiff lacks a function that it should have: install it anew";
        return;
    }
    tiff.set_error_handler(keep_error);
    tiff.set_warning_handler(NULL);
}

const char *ctiff_load(void) {
    pthread_once(&once, load);
    return load_error;
}

const char *ctiff_version(void) { return ctiff_load() == NULL ? tiff.version() : NULL; }

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
    return tiff.get_defaulted(handle, tag, &value) ? value : 0;
}

static uint64_t largest(TIFF *handle, uint32_t tag, uint32_t count, uint64_t file_bytes) {
    const uint64_t *bytes = NULL;
    if (!tiff.get(handle, tag, &bytes) || bytes == NULL) return file_bytes;
    uint64_t most = 0;
    for (uint32_t index = 0; index < count; index++) {
        if (bytes[index] > most) most = bytes[index];
    }
    return most < file_bytes ? most : file_bytes;
}

static ctiff_status read_page(ctiff_file *file, ctiff_page *page) {
    TIFF *handle = file->tiff;
    if (!tiff.get(handle, WIDTH, &page->width) || !tiff.get(handle, HEIGHT, &page->height)) return failure(file);
    page->bits = number(handle, BITS);
    page->samples = number(handle, SAMPLES);
    page->compression = number(handle, COMPRESSION);
    page->sample_format = number(handle, SAMPLE_FORMAT);
    page->ink_set = number(handle, INK_SET);
    page->is_separate = page->samples > 1 && number(handle, PLANES) == SEPARATE_PLANES;
    if (!tiff.get(handle, PHOTOMETRIC, &page->photometric)) {
        // As libtiff's own conversion to RGB: fax compressions (2 to 4) have white for 0.
        const int is_fax = page->compression >= 2 && page->compression <= 4;
        page->photometric = page->samples >= 3 ? 2 : is_fax ? 0 : 1;
    }
    if (!tiff.is_configured(page->compression)) {
        snprintf(file->message, sizeof file->message, "compression %u", page->compression);
        return CTIFF_UNSUPPORTED;
    }
    uint16_t count = 0;
    const uint16_t *kinds = NULL;
    page->extra = -1;
    if (tiff.get_defaulted(handle, EXTRA_SAMPLES, &count, &kinds) && count > 0 && kinds != NULL) page->extra = kinds[0];
    if (page->bits <= 16 && !tiff.get(handle, PALETTE, &page->red, &page->green, &page->blue)) page->red = NULL;
    if (!tiff.get(handle, PROFILE, &page->profile_bytes, &page->profile)) page->profile = NULL;
    if (page->compression == COMPRESSION_JPEG && page->photometric == PHOTOMETRIC_YCBCR && !page->is_separate) {
        // libtiff has its JPEG decoder give R, G and B; their sizes follow from that.
        tiff.set(handle, JPEG_COLOURS, 1);
        page->photometric = 2;
    }
    page->is_tiled = tiff.is_tiled(handle) != 0;
    if (page->is_tiled) {
        if (!tiff.get(handle, TILE_WIDTH, &page->tile_width) || !tiff.get(handle, TILE_HEIGHT, &page->tile_height)) {
            return failure(file);
        }
        page->tile_bytes = tiff.tile_bytes(handle);
        page->packed_bytes = largest(handle, TILE_BYTES, tiff.tile_count(handle), file->input.count);
        return page->tile_bytes == 0 ? CTIFF_CORRUPT : CTIFF_OK;
    }
    page->row_bytes = tiff.row_bytes(handle);
    page->packed_bytes = largest(handle, STRIP_BYTES, tiff.strip_count(handle), file->input.count);
    return page->row_bytes == 0 ? CTIFF_CORRUPT : CTIFF_OK;
}

ctiff_file *ctiff_open(ctiff_input input, uint32_t page_number, ctiff_page *page, ctiff_status *status) {
    memset(page, 0, sizeof *page);
    ctiff_file *file = calloc(1, sizeof *file);
    if (file == NULL) return NULL;
    file->input = input;
    words = file->message;
    // "m" is for no mapping of memory.
    file->tiff = tiff.open(
        "TIFF", "rm", file, read_input, refuse_write, seek_input, close_input, input_size, map_nothing, unmap_nothing);
    *status = file->tiff == NULL ? failure(file) : CTIFF_OK;
    if (*status == CTIFF_OK && page_number > 0 && !tiff.set_directory(file->tiff, page_number)) *status = failure(file);
    if (*status == CTIFF_OK) *status = read_page(file, page);
    words = NULL;
    return file;
}

void ctiff_close(ctiff_file *file) {
    words = file->message;
    if (file->tiff != NULL) tiff.close(file->tiff);
    words = NULL;
    free(file);
}

ctiff_status ctiff_read_row(ctiff_file *file, uint32_t row, uint16_t sample, uint8_t *buffer) {
    words = file->message;
    const int result = tiff.read_row(file->tiff, buffer, row, sample);
    words = NULL;
    return result == 1 ? CTIFF_OK : failure(file);
}

ctiff_status ctiff_read_tile(ctiff_file *file, uint32_t x, uint32_t y, uint16_t sample, uint8_t *buffer) {
    words = file->message;
    const ptrdiff_t result = tiff.read_tile(file->tiff, buffer, x, y, 0, sample);
    words = NULL;
    return result >= 0 ? CTIFF_OK : failure(file);
}

const char *ctiff_message(const ctiff_file *file) { return file->message; }
