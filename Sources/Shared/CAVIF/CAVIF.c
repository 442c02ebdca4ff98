#include "CAVIF.h"

#include <CLibraryLoading.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#if __has_include(<avif/avif.h>)
#include <avif/avif.h>

#define FUNCTIONS(F) \
    F(avifVersion) \
    F(avifImageCreate) \
    F(avifImageDestroy) \
    F(avifRGBImageSetDefaults) \
    F(avifImageRGBToYUV) \
    F(avifEncoderCreate) \
    F(avifEncoderDestroy) \
    F(avifEncoderWrite) \
    F(avifRWDataFree) \
    F(avifResultToString) \
    F(avifCodecName) \
    F(avifImageSetProfileICC) \
    F(avifImageSetMetadataExif) \
    F(avifImageSetMetadataXMP)
#define MEMBER(name) __typeof__(name) *name;
#define FOUND(name) {&avif.name, #name},

static struct {
    FUNCTIONS(MEMBER)
} avif;

// Whether a library of this version has the same structures as the header.
static int fits(const char *version) {
    int major = -1, minor = -1;
    if (sscanf(version, "%d.%d", &major, &minor) != 2) return 0;
    if (major != AVIF_VERSION_MAJOR) return 0;
    return major == 0 ? minor == AVIF_VERSION_MINOR : minor >= AVIF_VERSION_MINOR;
}

static const char *load(void) {
#if AVIF_VERSION_MAJOR >= 1
    const char *const *name = CLOADING_NAMES("libavif.16.dylib", "libavif.so.16", "libavif.so");
#else
    // The soname contains the ABI version, which increases with minor versions: 15 is 0.11.
    const char *const *name =
        CLOADING_NAMES("libavif.16.dylib", "libavif.so.15", "libavif.so.14", "libavif.so.13", "libavif.so");
#endif
    static char error[200];
    const char *found = NULL;
    void *library = NULL;
    for (; *name != NULL; name++) {
        library = cloading_open((const char *const[]){*name, NULL});
        if (library == NULL) continue;
        if (cloading_find(library, (struct cloading_function[]){FOUND(avifVersion) {NULL, NULL}})) {
            found = avif.avifVersion();
            if (fits(found)) break;
        }
        dlclose(library);
        library = NULL;
    }
    if (library == NULL) {
        if (found == NULL) return "libavif is not installed (Debian: libavif15 or libavif16, Homebrew: libavif)";
        snprintf(
            error, sizeof error, "the installed libavif is not the required version %d.%d",
            AVIF_VERSION_MAJOR, AVIF_VERSION_MINOR);
        return error;
    }
    if (!cloading_find(library, (struct cloading_function[]){FUNCTIONS(FOUND) {NULL, NULL}})) {
        return "libavif lacks a required function; reinstall it";
    }
    if (avif.avifCodecName(AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE) == NULL) {
        return "libavif has no encoder; install a build with aom, rav1e or SVT-AV1";
    }
    return NULL;
}

CLOADING_ONCE(cavif_load, load)

const char *cavif_version(void) { return cavif_load() == NULL ? avif.avifVersion() : NULL; }

static cavif_status fail(cavif_file *file, avifResult result) {
    if (result == AVIF_RESULT_OUT_OF_MEMORY) return CAVIF_NO_MEMORY;
    snprintf(file->message, sizeof file->message, "libavif: %s", avif.avifResultToString(result));
    return CAVIF_FAILED;
}

static avifResult set_metadata(avifImage *image, const cavif_picture *picture) {
    avifResult result = AVIF_RESULT_OK;
#if AVIF_VERSION_MAJOR >= 1
#define SET(call) if (result == AVIF_RESULT_OK) result = (call)
#else
#define SET(call) (call)
#endif
    const cavif_data *profile = &picture->profile, *exif = &picture->exif, *xmp = &picture->xmp;
    if (profile->bytes != NULL) SET(avif.avifImageSetProfileICC(image, profile->bytes, profile->count));
    if (exif->bytes != NULL) SET(avif.avifImageSetMetadataExif(image, exif->bytes, exif->count));
    if (xmp->bytes != NULL) SET(avif.avifImageSetMetadataXMP(image, xmp->bytes, xmp->count));
#undef SET
    return result;
}

static cavif_status encode(avifImage *image, avifEncoder *encoder, const cavif_picture *picture, cavif_file *file) {
    // ITU-T H.273: BT.709 primaries, sRGB transfer function, BT.601 matrix, full range.
    image->colorPrimaries = 1;
    image->transferCharacteristics = 13;
    image->matrixCoefficients = 6;
    image->yuvRange = AVIF_RANGE_FULL;
    avifResult result = set_metadata(image, picture);
    if (result != AVIF_RESULT_OK) return fail(file, result);

    avifRGBImage rgb;
    avif.avifRGBImageSetDefaults(&rgb, image);
    rgb.format = AVIF_RGB_FORMAT_RGBA;
    rgb.depth = 8;
    rgb.ignoreAlpha = picture->has_alpha ? AVIF_FALSE : AVIF_TRUE;
    // The cast is safe, because this conversion only reads the pixels.
    rgb.pixels = (uint8_t *)picture->pixels;
    rgb.rowBytes = picture->width * 4;
    result = avif.avifImageRGBToYUV(image, &rgb);
    if (result != AVIF_RESULT_OK) return fail(file, result);

    encoder->maxThreads = 1;
    encoder->speed = picture->speed;
    encoder->minQuantizer = picture->quantizer;
    encoder->maxQuantizer = picture->quantizer;
    // Alpha gets half of the colour quantiser, because errors in alpha are visible as a rim.
    encoder->minQuantizerAlpha = picture->quantizer / 2;
    encoder->maxQuantizerAlpha = picture->quantizer / 2;
#if AVIF_VERSION_MAJOR >= 1
    // Since 1.0, quality (0 to 100) overrides the quantisers (63 to 0).
    encoder->quality = ((63 - picture->quantizer) * 100 + 31) / 63;
    encoder->qualityAlpha = ((63 - picture->quantizer / 2) * 100 + 31) / 63;
#endif
    avifRWData output = AVIF_DATA_EMPTY;
    result = avif.avifEncoderWrite(encoder, image, &output);
    if (result != AVIF_RESULT_OK) {
        avif.avifRWDataFree(&output);
        return fail(file, result);
    }
    // `file` owns libavif's allocation until `cavif_free`.
    file->bytes = output.data;
    file->count = output.size;
    return CAVIF_OK;
}

cavif_status cavif_encode(const cavif_picture *picture, cavif_file *file) {
    memset(file, 0, sizeof *file);
    const avifPixelFormat format = picture->halves_chroma ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444;
    avifImage *image = avif.avifImageCreate(picture->width, picture->height, 8, format);
    avifEncoder *encoder = avif.avifEncoderCreate();
    cavif_status status = CAVIF_NO_MEMORY;
    if (image != NULL && encoder != NULL) status = encode(image, encoder, picture, file);
    if (encoder != NULL) avif.avifEncoderDestroy(encoder);
    if (image != NULL) avif.avifImageDestroy(image);
    return status;
}

void cavif_free(cavif_file *file) {
    if (file->bytes == NULL) return;
    avifRWData data = AVIF_DATA_EMPTY;
    data.data = file->bytes;
    data.size = file->count;
    avif.avifRWDataFree(&data);
    file->bytes = NULL;
    file->count = 0;
}

#else

const char *cavif_load(void) {
    return "built without libavif's header; install it (Debian: libavif-dev, Homebrew: libavif) and rebuild";
}

const char *cavif_version(void) { return NULL; }

cavif_status cavif_encode(const cavif_picture *picture, cavif_file *file) {
    (void)picture;
    memset(file, 0, sizeof *file);
    return CAVIF_FAILED;
}

void cavif_free(cavif_file *file) { (void)file; }

#endif
