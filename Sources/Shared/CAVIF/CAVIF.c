#include "CAVIF.h"

#include <CLibraryLoading.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<avif/avif.h>)
#include <avif/avif.h>

// The functions that are used, found by name.
static struct {
    const char *(*version)(void);
    avifImage *(*image_create)(uint32_t width, uint32_t height, uint32_t depth, avifPixelFormat format);
    void (*image_destroy)(avifImage *image);
    void (*rgb_set_defaults)(avifRGBImage *rgb, const avifImage *image);
    avifResult (*rgb_to_yuv)(avifImage *image, const avifRGBImage *rgb);
    avifEncoder *(*encoder_create)(void);
    void (*encoder_destroy)(avifEncoder *encoder);
    avifResult (*encoder_write)(avifEncoder *encoder, const avifImage *image, avifRWData *output);
    void (*data_free)(avifRWData *data);
    const char *(*result_text)(avifResult result);
    const char *(*codec_name)(avifCodecChoice choice, avifCodecFlags flags);
#if AVIF_VERSION_MAJOR >= 1
    avifResult (*set_profile)(avifImage *image, const uint8_t *bytes, size_t count);
    avifResult (*set_exif)(avifImage *image, const uint8_t *bytes, size_t count);
    avifResult (*set_xmp)(avifImage *image, const uint8_t *bytes, size_t count);
#else
    void (*set_profile)(avifImage *image, const uint8_t *bytes, size_t count);
    void (*set_exif)(avifImage *image, const uint8_t *bytes, size_t count);
    void (*set_xmp)(avifImage *image, const uint8_t *bytes, size_t count);
#endif
} avif;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *load_error;
static char load_text[200];

// Whether structures of the library are as the header has them.
static int fits(const char *version) {
    int major = -1, minor = -1;
    if (sscanf(version, "%d.%d", &major, &minor) != 2) return 0;
    if (major != AVIF_VERSION_MAJOR) return 0;
    return major == 0 ? minor == AVIF_VERSION_MINOR : minor >= AVIF_VERSION_MINOR;
}

static void load(void) {
#ifdef __APPLE__
    static const char *const names[] = {
        "libavif.16.dylib", "/opt/homebrew/lib/libavif.16.dylib", "/usr/local/lib/libavif.16.dylib"};
#elif AVIF_VERSION_MAJOR >= 1
    static const char *const names[] = {"libavif.so.16", "libavif.so"};
#else
    // The name has the number of the binary interface, which counts minor versions: 15 is 0.11.
    static const char *const names[] = {"libavif.so.15", "libavif.so.14", "libavif.so.13", "libavif.so"};
#endif
    const char *found = NULL;
    void *library = NULL;
    for (size_t index = 0; index < CLOADING_COUNT(names); index++) {
        library = cloading_open((const char *const[]){names[index], NULL});
        if (library == NULL) continue;
        if (cloading_find(library, &(struct cloading_function){&avif.version, "avifVersion"}, 1)) {
            found = avif.version();
            if (fits(found)) break;
        }
        dlclose(library);
        library = NULL;
    }
    if (library == NULL) {
        if (found == NULL) {
            load_error = "libavif is not installed (Debian: libavif15 or libavif16, Homebrew: libavif)";
            return;
        }
        snprintf(
            load_text, sizeof load_text, "libavif is there in another version than %d.%d, for which this was built",
            AVIF_VERSION_MAJOR, AVIF_VERSION_MINOR);
        load_error = load_text;
        return;
    }
    const struct cloading_function functions[] = {
        {&avif.image_create, "avifImageCreate"},
        {&avif.image_destroy, "avifImageDestroy"},
        {&avif.rgb_set_defaults, "avifRGBImageSetDefaults"},
        {&avif.rgb_to_yuv, "avifImageRGBToYUV"},
        {&avif.encoder_create, "avifEncoderCreate"},
        {&avif.encoder_destroy, "avifEncoderDestroy"},
        {&avif.encoder_write, "avifEncoderWrite"},
        {&avif.data_free, "avifRWDataFree"},
        {&avif.result_text, "avifResultToString"},
        {&avif.codec_name, "avifCodecName"},
        {&avif.set_profile, "avifImageSetProfileICC"},
        {&avif.set_exif, "avifImageSetMetadataExif"},
        {&avif.set_xmp, "avifImageSetMetadataXMP"},
    };
    if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        load_error = "libavif lacks a function that it should have: install it anew";
    } else if (avif.codec_name(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE) == NULL) {
        load_error = "libavif has no encoder: install a build of it with aom, rav1e or SVT-AV1";
    }
}

const char *cavif_load(void) {
    pthread_once(&once, load);
    return load_error;
}

const char *cavif_version(void) { return cavif_load() == NULL ? avif.version() : NULL; }

static cavif_status fail(cavif_file *file, avifResult result) {
    if (result == AVIF_RESULT_OUT_OF_MEMORY) return CAVIF_NO_MEMORY;
    snprintf(file->message, sizeof file->message, "libavif: %s", avif.result_text(result));
    return CAVIF_FAILED;
}

static avifResult set_metadata(avifImage *image, const cavif_picture *picture) {
    avifResult result = AVIF_RESULT_OK;
#if AVIF_VERSION_MAJOR >= 1
#define SET(call) if (result == AVIF_RESULT_OK) result = (call)
#else
#define SET(call) (call)
#endif
    if (picture->profile.bytes != NULL) SET(avif.set_profile(image, picture->profile.bytes, picture->profile.count));
    if (picture->exif.bytes != NULL) SET(avif.set_exif(image, picture->exif.bytes, picture->exif.count));
    if (picture->xmp.bytes != NULL) SET(avif.set_xmp(image, picture->xmp.bytes, picture->xmp.count));
#undef SET
    return result;
}

static cavif_status encode(avifImage *image, avifEncoder *encoder, const cavif_picture *picture, cavif_file *file) {
    // ITU-T H.273: primaries of BT.709, sRGB's transfer function, the matrix of BT.601, full range.
    image->colorPrimaries = 1;
    image->transferCharacteristics = 13;
    image->matrixCoefficients = 6;
    image->yuvRange = AVIF_RANGE_FULL;
    avifResult result = set_metadata(image, picture);
    if (result != AVIF_RESULT_OK) return fail(file, result);

    avifRGBImage rgb;
    avif.rgb_set_defaults(&rgb, image);
    rgb.format = AVIF_RGB_FORMAT_RGBA;
    rgb.depth = 8;
    rgb.ignoreAlpha = picture->has_alpha ? AVIF_FALSE : AVIF_TRUE;
    // Read only: the structure serves for both directions.
    rgb.pixels = (uint8_t *)picture->pixels;
    rgb.rowBytes = picture->width * 4;
    result = avif.rgb_to_yuv(image, &rgb);
    if (result != AVIF_RESULT_OK) return fail(file, result);

    encoder->maxThreads = 1;
    encoder->speed = picture->speed;
    encoder->minQuantizer = picture->quantizer;
    encoder->maxQuantizer = picture->quantizer;
    // An error in alpha shows as a rim: half the step of the colours.
    encoder->minQuantizerAlpha = picture->quantizer / 2;
    encoder->maxQuantizerAlpha = picture->quantizer / 2;
#if AVIF_VERSION_MAJOR >= 1
    // Since 1.0 these come before the quantisers: 0 to 100, where libavif itself has 63 steps.
    encoder->quality = ((63 - picture->quantizer) * 100 + 31) / 63;
    encoder->qualityAlpha = ((63 - picture->quantizer / 2) * 100 + 31) / 63;
#endif
    avifRWData output = AVIF_DATA_EMPTY;
    result = avif.encoder_write(encoder, image, &output);
    if (result != AVIF_RESULT_OK) {
        avif.data_free(&output);
        return fail(file, result);
    }
    // `file` bears libavif's allocation until `cavif_free`.
    file->bytes = output.data;
    file->count = output.size;
    return CAVIF_OK;
}

cavif_status cavif_encode(const cavif_picture *picture, cavif_file *file) {
    memset(file, 0, sizeof *file);
    const avifPixelFormat format = picture->halves_chroma ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444;
    avifImage *image = avif.image_create(picture->width, picture->height, 8, format);
    avifEncoder *encoder = avif.encoder_create();
    cavif_status status = CAVIF_NO_MEMORY;
    if (image != NULL && encoder != NULL) status = encode(image, encoder, picture, file);
    if (encoder != NULL) avif.encoder_destroy(encoder);
    if (image != NULL) avif.image_destroy(image);
    return status;
}

void cavif_free(cavif_file *file) {
    if (file->bytes == NULL) return;
    avifRWData data = AVIF_DATA_EMPTY;
    data.data = file->bytes;
    data.size = file->count;
    avif.data_free(&data);
    file->bytes = NULL;
    file->count = 0;
}

#else

const char *cavif_load(void) {
    return "this was built without the header of libavif: install it (Debian: libavif-dev, Homebrew: libavif) and "
           "build again";
}

cavif_status cavif_encode(const cavif_picture *picture, cavif_file *file) {
    (void)picture;
    memset(file, 0, sizeof *file);
    return CAVIF_FAILED;
}

void cavif_free(cavif_file *file) { (void)file; }

#endif
