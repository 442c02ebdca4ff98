#include "CHEIF.h"

#include <CLibraryLoading.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libheif's own types, by what they are.
typedef struct heif_context heif_context;
typedef struct heif_image_handle heif_image_handle;
typedef struct heif_image heif_image;
typedef struct {
    int code, subcode;
    const char *message;
} heif_error;
// The beginning of what later versions may make longer.
typedef struct {
    uint8_t version;
    int primaries, transfer, matrix;
    uint8_t is_full_range;
} heif_nclx;

enum { FILE_TYPE_CODE = 3, FEATURE_CODE = 4, MEMORY_CODE = 6, PLUGIN_CODE = 11 };
enum { COLOURS_RGB = 1, COLOURS_GRAY = 2 };
enum { CHROMA_GRAY = 0, INTERLEAVED_RGB = 10, WIDE_RGB = 14 };
enum { CHANNEL_LUMA = 0, CHANNEL_INTERLEAVED = 10 };

// The functions that are used, found by name.
static struct {
    const char *(*version)(void);
    heif_context *(*context_alloc)(void);
    void (*context_free)(heif_context *context);
    heif_error (*read)(heif_context *context, const void *bytes, size_t count, const void *options);
    heif_error (*primary)(heif_context *context, heif_image_handle **handle);
    void (*handle_release)(const heif_image_handle *handle);
    heif_error (*decode)(
        const heif_image_handle *handle, heif_image **image, int colours, int chroma, const void *options);
    void (*image_release)(const heif_image *image);
    int (*image_width)(const heif_image *image, int channel);
    int (*image_height)(const heif_image *image, int channel);
    const uint8_t *(*plane)(const heif_image *image, int channel, int *stride);
    int (*image_bits)(const heif_image *image, int channel);
    heif_error (*image_nclx)(const heif_image *image, heif_nclx **nclx);
    void (*nclx_free)(heif_nclx *nclx);
    // Missing in old versions.
    void (*set_threads)(heif_context *context, int count);
} heif;

struct cheif_picture {
    heif_context *context;
    heif_image_handle *handle;
    heif_image *image;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *load_error;

static void load(void) {
    CLOADING_NAMES(names, "libheif.so.1", "libheif.1.dylib");
    void *library = cloading_open(names);
    if (library == NULL) {
        load_error = "libheif is not installed (Debian: libheif1, Homebrew: libheif)";
        return;
    }
    const struct cloading_function functions[] = {
        {&heif.version, "heif_get_version"},
        {&heif.context_alloc, "heif_context_alloc"},
        {&heif.context_free, "heif_context_free"},
        {&heif.read, "heif_context_read_from_memory_without_copy"},
        {&heif.primary, "heif_context_get_primary_image_handle"},
        {&heif.handle_release, "heif_image_handle_release"},
        {&heif.decode, "heif_decode_image"},
        {&heif.image_release, "heif_image_release"},
        {&heif.image_width, "heif_image_get_width"},
        {&heif.image_height, "heif_image_get_height"},
        {&heif.plane, "heif_image_get_plane_readonly"},
        {&heif.image_bits, "heif_image_get_bits_per_pixel_range"},
        {&heif.image_nclx, "heif_image_get_nclx_color_profile"},
        {&heif.nclx_free, "heif_nclx_color_profile_free"},
    };
    if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        load_error = "libheif lacks a function that it should have: install it anew";
        return;
    }
    cloading_find(
        library, &(struct cloading_function){&heif.set_threads, "heif_context_set_max_decoding_threads"}, 1);
}

const char *cheif_load(void) {
    pthread_once(&once, load);
    return load_error;
}

const char *cheif_version(void) { return cheif_load() == NULL ? heif.version() : NULL; }

static cheif_status keep(cheif_pixels *pixels, heif_error error) {
    if (error.code == 0) return CHEIF_OK;
    snprintf(pixels->message, sizeof pixels->message, "libheif: %s", error.message == NULL ? "" : error.message);
    switch (error.code) {
    case MEMORY_CODE: return CHEIF_NO_MEMORY;
    case FILE_TYPE_CODE:
    case FEATURE_CODE:
    case PLUGIN_CODE: return CHEIF_UNSUPPORTED;
    default: return CHEIF_CORRUPT;
    }
}

static cheif_status decode(cheif_picture *picture, const uint8_t *bytes, size_t count, cheif_kind kind, cheif_pixels *pixels) {
    cheif_status status = keep(pixels, heif.read(picture->context, bytes, count, NULL));
    if (status == CHEIF_OK) status = keep(pixels, heif.primary(picture->context, &picture->handle));
    if (status != CHEIF_OK) return status;
    const int is_gray = kind.is_gray, channel = is_gray ? CHANNEL_LUMA : CHANNEL_INTERLEAVED;
    status = keep(
        pixels,
        heif.decode(
            picture->handle, &picture->image, is_gray ? COLOURS_GRAY : COLOURS_RGB,
            is_gray ? CHROMA_GRAY : kind.is_wide ? WIDE_RGB : INTERLEAVED_RGB, NULL));
    if (status != CHEIF_OK) return status;

    const int width = heif.image_width(picture->image, channel), height = heif.image_height(picture->image, channel);
    int stride = 0;
    const uint8_t *rows = heif.plane(picture->image, channel, &stride);
    pixels->bits = heif.image_bits(picture->image, channel);
    pixels->channels = is_gray ? 1 : 3;
    if (rows == NULL || width <= 0 || height <= 0 || pixels->bits < 1 || pixels->bits > 16 || stride < 0
        || (size_t)stride < (size_t)width * pixels->channels * (pixels->bits > 8 ? 2 : 1)) {
        snprintf(pixels->message, sizeof pixels->message, "libheif has decoded no pixels");
        return CHEIF_CORRUPT;
    }
    pixels->rows = rows;
    pixels->stride = (size_t)stride;
    pixels->width = (uint32_t)width;
    pixels->height = (uint32_t)height;
    if (!is_gray) return CHEIF_OK;
    // libheif expands colours, but not luma alone.
    heif_nclx *nclx = NULL;
    if (heif.image_nclx(picture->image, &nclx).code == 0 && nclx != NULL) {
        pixels->is_limited = nclx->is_full_range == 0;
        heif.nclx_free(nclx);
    }
    return CHEIF_OK;
}

cheif_status cheif_decode(
    const uint8_t *bytes, size_t count, cheif_kind kind, cheif_pixels *pixels, cheif_picture **result) {
    memset(pixels, 0, sizeof *pixels);
    cheif_picture *picture = calloc(1, sizeof *picture);
    if (picture == NULL) return CHEIF_NO_MEMORY;
    cheif_status status = CHEIF_NO_MEMORY;
    picture->context = heif.context_alloc();
    if (picture->context != NULL) {
        // On the caller's thread.
        if (heif.set_threads != NULL) heif.set_threads(picture->context, 0);
        status = decode(picture, bytes, count, kind, pixels);
    }
    if (status == CHEIF_OK) {
        *result = picture;
    } else {
        cheif_close(picture);
    }
    return status;
}

void cheif_close(cheif_picture *picture) {
    if (picture->image != NULL) heif.image_release(picture->image);
    if (picture->handle != NULL) heif.handle_release(picture->handle);
    if (picture->context != NULL) heif.context_free(picture->context);
    free(picture);
}
