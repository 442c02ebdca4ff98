#include "CHEIF.h"

#include <CLibraryLoading.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libheif's types.
typedef struct heif_context heif_context;
typedef struct heif_image_handle heif_image_handle;
typedef struct heif_image heif_image;
typedef struct {
    int code, subcode;
    const char *message;
} heif_error;
// The fields that all versions have in common. Later versions may append fields.
typedef struct {
    uint8_t version;
    int primaries, transfer, matrix;
    uint8_t is_full_range;
} heif_nclx;

enum { FILE_TYPE_CODE = 3, FEATURE_CODE = 4, MEMORY_CODE = 6, PLUGIN_CODE = 11 };
enum { SECURITY_LIMIT_SUBCODE = 1000 };
enum { COLOURS_RGB = 1, COLOURS_GRAY = 2 };
enum { CHROMA_GRAY = 0, INTERLEAVED_RGB = 10, WIDE_RGB = 14 };
enum { CHANNEL_LUMA = 0, CHANNEL_INTERLEAVED = 10 };

#define FUNCTIONS(F) \
    F(heif_get_version, const char *, (void)) \
    F(heif_context_alloc, heif_context *, (void)) \
    F(heif_context_free, void, (heif_context *context)) \
    F(heif_context_read_from_memory_without_copy, heif_error, \
      (heif_context *context, const void *bytes, size_t count, const void *options)) \
    F(heif_context_get_primary_image_handle, heif_error, (heif_context *context, heif_image_handle **handle)) \
    F(heif_image_handle_release, void, (const heif_image_handle *handle)) \
    F(heif_decode_image, heif_error, \
      (const heif_image_handle *handle, heif_image **image, int colours, int chroma, const void *options)) \
    F(heif_image_release, void, (const heif_image *image)) \
    F(heif_image_get_width, int, (const heif_image *image, int channel)) \
    F(heif_image_get_height, int, (const heif_image *image, int channel)) \
    F(heif_image_get_plane_readonly, const uint8_t *, (const heif_image *image, int channel, int *stride)) \
    F(heif_image_get_bits_per_pixel_range, int, (const heif_image *image, int channel)) \
    F(heif_image_get_nclx_color_profile, heif_error, (const heif_image *image, heif_nclx **nclx)) \
    F(heif_nclx_color_profile_free, void, (heif_nclx *nclx))
// Functions that old versions lack.
#define OPTIONAL_FUNCTIONS(F) F(heif_context_set_max_decoding_threads, void, (heif_context *context, int count))
FUNCTIONS(CLOADING_DECLARED)
OPTIONAL_FUNCTIONS(CLOADING_DECLARED)

struct cheif_picture {
    heif_context *context;
    heif_image_handle *handle;
    heif_image *image;
};

static const char *load(void) {
    void *library = cloading_open(CLOADING_NAMES("libheif.1.dylib", "libheif.so.1"));
    if (library == NULL) return "libheif is not installed (Debian: libheif1, Homebrew: libheif)";
    if (!CLOADING_FIND(library, FUNCTIONS)) return "libheif lacks a required function; reinstall it";
    CLOADING_FIND(library, OPTIONAL_FUNCTIONS);
    return NULL;
}

CLOADING_ONCE(cheif_load, load)

const char *cheif_version(void) { return cheif_load() == NULL ? heif_get_version() : NULL; }

static cheif_status keep(cheif_pixels *pixels, heif_error error) {
    if (error.code == 0) return CHEIF_OK;
    snprintf(pixels->message, sizeof pixels->message, "libheif: %s", error.message == NULL ? "" : error.message);
    // libheif reports an exceeded limit with several codes, mostly MEMORY_CODE, but always with this subcode.
    if (error.subcode == SECURITY_LIMIT_SUBCODE) return CHEIF_OVER_LIMIT;
    switch (error.code) {
    case MEMORY_CODE: return CHEIF_NO_MEMORY;
    case FILE_TYPE_CODE:
    case FEATURE_CODE:
    case PLUGIN_CODE: return CHEIF_UNSUPPORTED;
    default: return CHEIF_CORRUPT;
    }
}

static cheif_status decode(
    cheif_picture *picture, const uint8_t *bytes, size_t count, cheif_kind kind, cheif_pixels *pixels) {
    cheif_status status =
        keep(pixels, heif_context_read_from_memory_without_copy(picture->context, bytes, count, NULL));
    if (status == CHEIF_OK) {
        status = keep(pixels, heif_context_get_primary_image_handle(picture->context, &picture->handle));
    }
    if (status != CHEIF_OK) return status;
    const int is_gray = kind.is_gray, channel = is_gray ? CHANNEL_LUMA : CHANNEL_INTERLEAVED;
    status = keep(
        pixels,
        heif_decode_image(
            picture->handle, &picture->image, is_gray ? COLOURS_GRAY : COLOURS_RGB,
            is_gray ? CHROMA_GRAY : kind.is_wide ? WIDE_RGB : INTERLEAVED_RGB, NULL));
    if (status != CHEIF_OK) return status;

    const int width = heif_image_get_width(picture->image, channel);
    const int height = heif_image_get_height(picture->image, channel);
    int stride = 0;
    const uint8_t *rows = heif_image_get_plane_readonly(picture->image, channel, &stride);
    pixels->bits = heif_image_get_bits_per_pixel_range(picture->image, channel);
    pixels->channels = is_gray ? 1 : 3;
    if (rows == NULL || width <= 0 || height <= 0 || pixels->bits < 1 || pixels->bits > 16 || stride < 0
        || (size_t)stride < (size_t)width * pixels->channels * (pixels->bits > 8 ? 2 : 1)) {
        snprintf(pixels->message, sizeof pixels->message, "libheif returned no pixels");
        return CHEIF_CORRUPT;
    }
    pixels->rows = rows;
    pixels->stride = (size_t)stride;
    pixels->width = (uint32_t)width;
    pixels->height = (uint32_t)height;
    if (!is_gray) return CHEIF_OK;
    // libheif expands limited range to full range for RGB, but not for monochrome pictures.
    heif_nclx *nclx = NULL;
    if (heif_image_get_nclx_color_profile(picture->image, &nclx).code == 0 && nclx != NULL) {
        pixels->is_limited = nclx->is_full_range == 0;
        heif_nclx_color_profile_free(nclx);
    }
    return CHEIF_OK;
}

cheif_status cheif_decode(
    const uint8_t *bytes, size_t count, cheif_kind kind, cheif_pixels *pixels, cheif_picture **result) {
    memset(pixels, 0, sizeof *pixels);
    cheif_picture *picture = calloc(1, sizeof *picture);
    if (picture == NULL) return CHEIF_NO_MEMORY;
    cheif_status status = CHEIF_NO_MEMORY;
    picture->context = heif_context_alloc();
    if (picture->context != NULL) {
        // 0 decodes on the caller's thread.
        if (heif_context_set_max_decoding_threads != NULL) heif_context_set_max_decoding_threads(picture->context, 0);
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
    if (picture->image != NULL) heif_image_release(picture->image);
    if (picture->handle != NULL) heif_image_handle_release(picture->handle);
    if (picture->context != NULL) heif_context_free(picture->context);
    free(picture);
}
