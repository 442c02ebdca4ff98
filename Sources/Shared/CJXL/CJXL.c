#include "CJXL.h"

#include <CLibraryLoading.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// libjxl's types.
typedef struct jxl_decoder jxl_decoder;
typedef struct {
    int has_container;
    uint32_t width, height, bits, exponent_bits;
    float intensity_target, least_nits;
    int is_relative;
    float linear_below;
    int uses_original_profile, has_preview, has_animation, orientation;
    uint32_t colour_channels, extra_channels, alpha_bits, alpha_exponent_bits;
    int is_premultiplied;
    uint32_t preview[2], animation[4], intrinsic[2];
    uint8_t padding[100];
} jxl_info;
typedef struct {
    uint32_t channels;
    int data_type, endianness;
    size_t align;
} jxl_format;

enum {
    SUCCESS = 0, NEEDS_INPUT = 2, NEEDS_PIXELS = 5, HAS_INFO = 0x40, HAS_COLOURS = 0x100, HAS_IMAGE = 0x1000,
};
enum { TYPE_UINT8 = 2, TYPE_UINT16 = 3, NATIVE_ORDER = 0, PROFILE_OF_DATA = 1 };

#define FUNCTIONS(F) \
    F(JxlDecoderCreate, jxl_decoder *, (const void *memory_manager)) \
    F(JxlDecoderDestroy, void, (jxl_decoder *decoder)) \
    F(JxlDecoderSubscribeEvents, int, (jxl_decoder *decoder, int events)) \
    F(JxlDecoderSetKeepOrientation, int, (jxl_decoder *decoder, int keeps)) \
    F(JxlDecoderSetInput, int, (jxl_decoder *decoder, const uint8_t *bytes, size_t count)) \
    F(JxlDecoderReleaseInput, size_t, (jxl_decoder *decoder)) \
    F(JxlDecoderProcessInput, int, (jxl_decoder *decoder)) \
    F(JxlDecoderGetBasicInfo, int, (const jxl_decoder *decoder, jxl_info *info)) \
    F(JxlDecoderImageOutBufferSize, int, (const jxl_decoder *decoder, const jxl_format *format, size_t *count)) \
    F(JxlDecoderSetImageOutBuffer, int, (jxl_decoder *, const jxl_format *format, void *buffer, size_t count)) \
    F(JxlDecoderGetICCProfileSize, int, (const jxl_decoder *decoder, int target, size_t *count)) \
    F(JxlDecoderGetColorAsICCProfile, int, (const jxl_decoder *, int target, uint8_t *bytes, size_t count))
#define VERSION_FUNCTION(F) F(JxlDecoderVersion, uint32_t, (void))
FUNCTIONS(CLOADING_DECLARED)
VERSION_FUNCTION(CLOADING_DECLARED)

// Up to version 0.8, the profile functions take a format before the target.
typedef void (*function)(void);
typedef int (*old_profile_size)(const jxl_decoder *, const jxl_format *format, int target, size_t *count);
typedef int (*old_profile)(const jxl_decoder *, const jxl_format *format, int target, uint8_t *bytes, size_t count);
static const jxl_format unused_format = {3, TYPE_UINT8, NATIVE_ORDER, 0};
static bool is_old;

struct cjxl_decoder {
    jxl_decoder *decoder;
    jxl_info info;
    // The size of the last input in bytes.
    size_t count;
};

static const char *load(void) {
    void *library = cloading_open(CLOADING_NAMES(
        "libjxl.dylib", "libjxl.so.0.11", "libjxl.so.0.10", "libjxl.so.0.9", "libjxl.so.0.8", "libjxl.so.0.7",
        "libjxl.so"));
    if (library == NULL) return "libjxl is not installed (Debian: libjxl0.7 or libjxl0.11, Homebrew: jpeg-xl)";
    if (!CLOADING_FIND(library, VERSION_FUNCTION) || JxlDecoderVersion() < 7000) {
        return "libjxl is older than 0.7; install a newer version";
    }
    is_old = JxlDecoderVersion() < 9000;
    return CLOADING_FIND(library, FUNCTIONS) ? NULL : "libjxl lacks a required function; reinstall it";
}

CLOADING_ONCE(cjxl_load, load)

uint32_t cjxl_version(void) { return cjxl_load() == NULL ? JxlDecoderVersion() : 0; }

cjxl_decoder *cjxl_open(void) {
    cjxl_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->decoder = JxlDecoderCreate(NULL);
    if (decoder->decoder == NULL) {
        free(decoder);
        return NULL;
    }
    // Keep the stored orientation, because `Images` rotates pictures of all formats.
    JxlDecoderSetKeepOrientation(decoder->decoder, 1);
    JxlDecoderSubscribeEvents(decoder->decoder, HAS_INFO | HAS_COLOURS | HAS_IMAGE);
    return decoder;
}

void cjxl_close(cjxl_decoder *decoder) {
    JxlDecoderDestroy(decoder->decoder);
    free(decoder);
}

cjxl_event cjxl_next(cjxl_decoder *decoder, const uint8_t *bytes, size_t count, size_t *used) {
    *used = 0;
    if (bytes != NULL) {
        if (JxlDecoderSetInput(decoder->decoder, bytes, count) != SUCCESS) return CJXL_CORRUPT;
        decoder->count = count;
    }
    switch (JxlDecoderProcessInput(decoder->decoder)) {
    case NEEDS_INPUT:
        *used = decoder->count - JxlDecoderReleaseInput(decoder->decoder);
        return CJXL_NEEDS_INPUT;
    case HAS_INFO:
        return JxlDecoderGetBasicInfo(decoder->decoder, &decoder->info) == SUCCESS ? CJXL_HEADER : CJXL_CORRUPT;
    case HAS_COLOURS: return CJXL_PROFILE;
    case NEEDS_PIXELS: return CJXL_NEEDS_PIXELS;
    case SUCCESS:
    case HAS_IMAGE: return CJXL_DONE;
    default: return CJXL_CORRUPT;
    }
}

void cjxl_get_header(const cjxl_decoder *decoder, cjxl_header *header) {
    const jxl_info *info = &decoder->info;
    *header = (cjxl_header){
        .width = info->width,
        .height = info->height,
        .channels = info->colour_channels + (info->alpha_bits > 0 ? 1 : 0),
        .is_premultiplied = info->is_premultiplied,
        .bits = info->bits,
    };
}

size_t cjxl_profile_bytes(const cjxl_decoder *decoder) {
    size_t count = 0;
    const int status = is_old
        ? ((old_profile_size)(function)JxlDecoderGetICCProfileSize)(
              decoder->decoder, &unused_format, PROFILE_OF_DATA, &count)
        : JxlDecoderGetICCProfileSize(decoder->decoder, PROFILE_OF_DATA, &count);
    return status == SUCCESS ? count : 0;
}

int cjxl_get_profile(const cjxl_decoder *decoder, uint8_t *buffer, size_t count) {
    const int status = is_old
        ? ((old_profile)(function)JxlDecoderGetColorAsICCProfile)(
              decoder->decoder, &unused_format, PROFILE_OF_DATA, buffer, count)
        : JxlDecoderGetColorAsICCProfile(decoder->decoder, PROFILE_OF_DATA, buffer, count);
    return status == SUCCESS;
}

int cjxl_set_pixels(cjxl_decoder *decoder, uint32_t channels, int is_wide, void *pixels, size_t count) {
    const jxl_format format = {channels, is_wide ? TYPE_UINT16 : TYPE_UINT8, NATIVE_ORDER, 0};
    size_t needed = 0;
    if (JxlDecoderImageOutBufferSize(decoder->decoder, &format, &needed) != SUCCESS || needed > count) return 0;
    return JxlDecoderSetImageOutBuffer(decoder->decoder, &format, pixels, count) == SUCCESS;
}
