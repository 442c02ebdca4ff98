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
} heif_nclx;

enum { FILE_TYPE_CODE = 3, FEATURE_CODE = 4, MEMORY_CODE = 6, PLUGIN_CODE = 11 };
enum { COLOURS_RGB = 1 };
enum { INTERLEAVED_RGB = 10, INTERLEAVED_RGBA = 11, WIDE_RGB = 14, WIDE_RGBA = 15 };
enum { CHANNEL_INTERLEAVED = 10 };
#define PROFILE_NCLX 0x6E636C78
#define PROFILE_LIMIT (8u << 20)

// The functions that are used, found by name.
static struct {
    const char *(*version)(void);
    heif_context *(*context_alloc)(void);
    void (*context_free)(heif_context *context);
    heif_error (*read)(heif_context *context, const void *bytes, size_t count, const void *options);
    heif_error (*primary)(heif_context *context, heif_image_handle **handle);
    void (*handle_release)(const heif_image_handle *handle);
    int (*width)(const heif_image_handle *handle);
    int (*height)(const heif_image_handle *handle);
    int (*has_alpha)(const heif_image_handle *handle);
    int (*bits)(const heif_image_handle *handle);
    int (*profile_type)(const heif_image_handle *handle);
    size_t (*profile_size)(const heif_image_handle *handle);
    heif_error (*profile)(const heif_image_handle *handle, void *bytes);
    heif_error (*nclx)(const heif_image_handle *handle, heif_nclx **nclx);
    void (*nclx_free)(heif_nclx *nclx);
    heif_error (*decode)(
        const heif_image_handle *handle, heif_image **image, int colours, int chroma, const void *options);
    void (*image_release)(const heif_image *image);
    int (*image_width)(const heif_image *image, int channel);
    int (*image_height)(const heif_image *image, int channel);
    const uint8_t *(*plane)(const heif_image *image, int channel, int *stride);
    // Missing in old versions.
    int (*is_premultiplied)(const heif_image_handle *handle);
    void (*set_threads)(heif_context *context, int count);
} heif;

struct cheif_picture {
    heif_context *context;
    heif_image_handle *handle;
    heif_image *image;
    uint8_t *profile;
    const uint8_t *pixels;
    int stride, is_wide, has_alpha;
    uint32_t width, height;
    char message[CHEIF_MESSAGE_CAPACITY];
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
        {&heif.width, "heif_image_handle_get_width"},
        {&heif.height, "heif_image_handle_get_height"},
        {&heif.has_alpha, "heif_image_handle_has_alpha_channel"},
        {&heif.bits, "heif_image_handle_get_luma_bits_per_pixel"},
        {&heif.profile_type, "heif_image_handle_get_color_profile_type"},
        {&heif.profile_size, "heif_image_handle_get_raw_color_profile_size"},
        {&heif.profile, "heif_image_handle_get_raw_color_profile"},
        {&heif.nclx, "heif_image_handle_get_nclx_color_profile"},
        {&heif.nclx_free, "heif_nclx_color_profile_free"},
        {&heif.decode, "heif_decode_image"},
        {&heif.image_release, "heif_image_release"},
        {&heif.image_width, "heif_image_get_width"},
        {&heif.image_height, "heif_image_get_height"},
        {&heif.plane, "heif_image_get_plane_readonly"},
    };
    if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        load_error = "libheif lacks a function that it should have: install it anew";
        return;
    }
    cloading_find(
        library, &(struct cloading_function){&heif.is_premultiplied, "heif_image_handle_is_premultiplied_alpha"}, 1);
    cloading_find(
        library, &(struct cloading_function){&heif.set_threads, "heif_context_set_max_decoding_threads"}, 1);
}

const char *cheif_load(void) {
    pthread_once(&once, load);
    return load_error;
}

const char *cheif_version(void) { return cheif_load() == NULL ? heif.version() : NULL; }

static cheif_status keep(cheif_picture *picture, heif_error error) {
    if (error.code == 0) return CHEIF_OK;
    snprintf(picture->message, sizeof picture->message, "libheif: %s", error.message == NULL ? "" : error.message);
    switch (error.code) {
    case MEMORY_CODE: return CHEIF_NO_MEMORY;
    case FILE_TYPE_CODE:
    case FEATURE_CODE:
    case PLUGIN_CODE: return CHEIF_UNSUPPORTED;
    default: return CHEIF_CORRUPT;
    }
}

static cheif_status read_colours(cheif_picture *picture, cheif_header *header) {
    header->primaries = header->transfer = 2;
    const int type = heif.profile_type(picture->handle);
    if (type == 0) return CHEIF_OK;
    if (type == PROFILE_NCLX) {
        heif_nclx *nclx = NULL;
        if (heif.nclx(picture->handle, &nclx).code != 0 || nclx == NULL) return CHEIF_OK;
        header->primaries = nclx->primaries;
        header->transfer = nclx->transfer;
        heif.nclx_free(nclx);
        return CHEIF_OK;
    }
    const size_t count = heif.profile_size(picture->handle);
    if (count == 0 || count > PROFILE_LIMIT) return CHEIF_OK;
    picture->profile = malloc(count);
    if (picture->profile == NULL) return CHEIF_NO_MEMORY;
    if (heif.profile(picture->handle, picture->profile).code != 0) return CHEIF_OK;
    header->profile = picture->profile;
    header->profile_bytes = count;
    return CHEIF_OK;
}

static cheif_status read_header(cheif_picture *picture, const uint8_t *bytes, size_t count, cheif_header *header) {
    cheif_status status = keep(picture, heif.read(picture->context, bytes, count, NULL));
    if (status == CHEIF_OK) status = keep(picture, heif.primary(picture->context, &picture->handle));
    if (status != CHEIF_OK) return status;
    const int width = heif.width(picture->handle), height = heif.height(picture->handle);
    if (width <= 0 || height <= 0) return CHEIF_CORRUPT;
    picture->width = header->width = (uint32_t)width;
    picture->height = header->height = (uint32_t)height;
    picture->has_alpha = header->has_alpha = heif.has_alpha(picture->handle) != 0;
    header->is_premultiplied = heif.is_premultiplied != NULL && heif.is_premultiplied(picture->handle) != 0;
    header->bits = heif.bits(picture->handle);
    picture->is_wide = header->bits > 8;
    return read_colours(picture, header);
}

cheif_picture *cheif_open(const uint8_t *bytes, size_t count, cheif_header *header, cheif_status *status) {
    memset(header, 0, sizeof *header);
    cheif_picture *picture = calloc(1, sizeof *picture);
    if (picture == NULL) return NULL;
    picture->context = heif.context_alloc();
    if (picture->context == NULL) {
        free(picture);
        return NULL;
    }
    // On the caller's thread.
    if (heif.set_threads != NULL) heif.set_threads(picture->context, 0);
    *status = read_header(picture, bytes, count, header);
    return picture;
}

void cheif_close(cheif_picture *picture) {
    if (picture->image != NULL) heif.image_release(picture->image);
    if (picture->handle != NULL) heif.handle_release(picture->handle);
    heif.context_free(picture->context);
    free(picture->profile);
    free(picture);
}

cheif_status cheif_decode(cheif_picture *picture) {
    const int chroma = picture->is_wide ? (picture->has_alpha ? WIDE_RGBA : WIDE_RGB)
                                        : (picture->has_alpha ? INTERLEAVED_RGBA : INTERLEAVED_RGB);
    const cheif_status status =
        keep(picture, heif.decode(picture->handle, &picture->image, COLOURS_RGB, chroma, NULL));
    if (status != CHEIF_OK) return status;
    const size_t pixel_bytes = (picture->has_alpha ? 4 : 3) * (picture->is_wide ? 2 : 1);
    picture->pixels = heif.plane(picture->image, CHANNEL_INTERLEAVED, &picture->stride);
    if (picture->pixels == NULL || picture->stride < 0
        || heif.image_width(picture->image, CHANNEL_INTERLEAVED) != (int)picture->width
        || heif.image_height(picture->image, CHANNEL_INTERLEAVED) != (int)picture->height
        || (size_t)picture->stride < pixel_bytes * picture->width) {
        snprintf(picture->message, sizeof picture->message, "its picture has another size");
        return CHEIF_CORRUPT;
    }
    return CHEIF_OK;
}

const uint8_t *cheif_row(const cheif_picture *picture, uint32_t y) {
    return picture->pixels + (size_t)picture->stride * y;
}

const char *cheif_message(const cheif_picture *picture) { return picture->message; }
