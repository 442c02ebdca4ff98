#include "CJXL.h"

#include <CLibraryLoading.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// libjxl's own types, by what they are.
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
    SUCCESS = 0, FAILED = 1, NEEDS_INPUT = 2, NEEDS_PIXELS = 5, HAS_INFO = 0x40, HAS_COLOURS = 0x100, HAS_IMAGE = 0x1000,
};
enum { TYPE_UINT8 = 2, TYPE_UINT16 = 3, NATIVE_ORDER = 0, PROFILE_OF_DATA = 1 };

// The functions that are used, found by name.
static struct {
    uint32_t (*version)(void);
    jxl_decoder *(*create)(const void *memory_manager);
    void (*destroy)(jxl_decoder *decoder);
    int (*subscribe)(jxl_decoder *decoder, int events);
    int (*keep_orientation)(jxl_decoder *decoder, int keeps);
    int (*set_input)(jxl_decoder *decoder, const uint8_t *bytes, size_t count);
    size_t (*release_input)(jxl_decoder *decoder);
    int (*process)(jxl_decoder *decoder);
    int (*info)(const jxl_decoder *decoder, jxl_info *info);
    int (*buffer_size)(const jxl_decoder *decoder, const jxl_format *format, size_t *count);
    int (*set_buffer)(jxl_decoder *decoder, const jxl_format *format, void *buffer, size_t count);
    // Up to 0.8 a format stands before the target.
    int (*old_profile_size)(const jxl_decoder *decoder, const jxl_format *format, int target, size_t *count);
    int (*old_profile)(const jxl_decoder *decoder, const jxl_format *format, int target, uint8_t *bytes, size_t count);
    int (*profile_size)(const jxl_decoder *decoder, int target, size_t *count);
    int (*profile)(const jxl_decoder *decoder, int target, uint8_t *bytes, size_t count);
} jxl;

struct cjxl_decoder {
    jxl_decoder *decoder;
    jxl_info info;
    // Bytes that it was given last.
    size_t count;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *load_error;
static const jxl_format unused_format = {3, TYPE_UINT8, NATIVE_ORDER, 0};

static void load(void) {
#ifdef __APPLE__
    static const char *const names[] = {
        "libjxl.dylib", "/opt/homebrew/lib/libjxl.dylib", "/usr/local/lib/libjxl.dylib", NULL};
#else
    static const char *const names[] = {
        "libjxl.so.0.11", "libjxl.so.0.10", "libjxl.so.0.9", "libjxl.so.0.8", "libjxl.so.0.7", "libjxl.so", NULL};
#endif
    void *library = cloading_open(names);
    if (library == NULL) {
        load_error = "libjxl is not installed (Debian: libjxl0.7 or libjxl0.11, Homebrew: jpeg-xl)";
        return;
    }
    if (!cloading_find(library, &(struct cloading_function){&jxl.version, "JxlDecoderVersion"}, 1)
        || jxl.version() < 7000) {
        load_error = "libjxl is there in a version before 0.7: install a newer one";
        return;
    }
    const int is_old = jxl.version() < 9000;
    const struct cloading_function functions[] = {
        {&jxl.create, "JxlDecoderCreate"},
        {&jxl.destroy, "JxlDecoderDestroy"},
        {&jxl.subscribe, "JxlDecoderSubscribeEvents"},
        {&jxl.keep_orientation, "JxlDecoderSetKeepOrientation"},
        {&jxl.set_input, "JxlDecoderSetInput"},
        {&jxl.release_input, "JxlDecoderReleaseInput"},
        {&jxl.process, "JxlDecoderProcessInput"},
        {&jxl.info, "JxlDecoderGetBasicInfo"},
        {&jxl.buffer_size, "JxlDecoderImageOutBufferSize"},
        {&jxl.set_buffer, "JxlDecoderSetImageOutBuffer"},
        {is_old ? (void *)&jxl.old_profile_size : (void *)&jxl.profile_size, "JxlDecoderGetICCProfileSize"},
        {is_old ? (void *)&jxl.old_profile : (void *)&jxl.profile, "JxlDecoderGetColorAsICCProfile"},
    };
    if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        load_error = "libjxl lacks a function that it should have: install it anew";
    }
}

const char *cjxl_load(void) {
    pthread_once(&once, load);
    return load_error;
}

uint32_t cjxl_version(void) { return cjxl_load() == NULL ? jxl.version() : 0; }

cjxl_decoder *cjxl_open(void) {
    cjxl_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->decoder = jxl.create(NULL);
    if (decoder->decoder == NULL) {
        free(decoder);
        return NULL;
    }
    // Pictures are turned here, like all others.
    jxl.keep_orientation(decoder->decoder, 1);
    jxl.subscribe(decoder->decoder, HAS_INFO | HAS_COLOURS | HAS_IMAGE);
    return decoder;
}

void cjxl_close(cjxl_decoder *decoder) {
    jxl.destroy(decoder->decoder);
    free(decoder);
}

cjxl_event cjxl_next(cjxl_decoder *decoder, const uint8_t *bytes, size_t count, size_t *used) {
    *used = 0;
    if (bytes != NULL) {
        if (jxl.set_input(decoder->decoder, bytes, count) != SUCCESS) return CJXL_CORRUPT;
        decoder->count = count;
    }
    for (;;) {
        switch (jxl.process(decoder->decoder)) {
        case NEEDS_INPUT:
            *used = decoder->count - jxl.release_input(decoder->decoder);
            return CJXL_NEEDS_INPUT;
        case HAS_INFO:
            return jxl.info(decoder->decoder, &decoder->info) == SUCCESS ? CJXL_HEADER : CJXL_CORRUPT;
        case HAS_COLOURS: return CJXL_PROFILE;
        case NEEDS_PIXELS: return CJXL_NEEDS_PIXELS;
        case SUCCESS:
        case HAS_IMAGE: return CJXL_DONE;
        default: return CJXL_CORRUPT;
        }
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
    const int status = jxl.profile_size != NULL
        ? jxl.profile_size(decoder->decoder, PROFILE_OF_DATA, &count)
        : jxl.old_profile_size(decoder->decoder, &unused_format, PROFILE_OF_DATA, &count);
    return status == SUCCESS ? count : 0;
}

int cjxl_get_profile(const cjxl_decoder *decoder, uint8_t *buffer, size_t count) {
    return (jxl.profile != NULL
        ? jxl.profile(decoder->decoder, PROFILE_OF_DATA, buffer, count)
        : jxl.old_profile(decoder->decoder, &unused_format, PROFILE_OF_DATA, buffer, count)) == SUCCESS;
}

int cjxl_set_pixels(cjxl_decoder *decoder, uint32_t channels, int is_wide, void *pixels, size_t count) {
    const jxl_format format = {channels, is_wide ? TYPE_UINT16 : TYPE_UINT8, NATIVE_ORDER, 0};
    size_t needed = 0;
    if (jxl.buffer_size(decoder->decoder, &format, &needed) != SUCCESS || needed > count) return 0;
    return jxl.set_buffer(decoder->decoder, &format, pixels, count) == SUCCESS;
}
