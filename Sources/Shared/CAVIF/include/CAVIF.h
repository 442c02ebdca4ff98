// A wrapper of libavif. The library is loaded on first use, because few runs write AVIF, and AVIF encoders are large.
//
// libavif's public structures are part of its ABI: before 1.0, every minor version changes them; later versions only
// append fields. The wrapper therefore needs <avif/avif.h> at build time. At run time, the library must have the same
// minor version or, from 1.0 on, the same major version and at least the same minor version.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library on the first call. Returns NULL if AVIF can be written. Otherwise, returns the reason and the
/// package to install. May be called from any thread.
const char *_Nullable cavif_load(void);

/// Loads the library and returns its version, or NULL if the library cannot be used.
const char *_Nullable cavif_version(void);

/// Bytes that the caller owns; NULL if absent.
typedef struct {
    const uint8_t *_Nullable bytes;
    size_t count;
} cavif_data;

typedef struct {
    /// RGBA rows from the top without gaps, with straight alpha.
    const uint8_t *pixels;
    uint32_t width, height;
    int has_alpha;
    /// Whether to halve the chroma horizontally and vertically.
    int halves_chroma;
    /// The AV1 quantiser on libavif's scale: 0 (best) to 63.
    int quantizer;
    /// 0 (slowest, smallest file) to 10 (fastest).
    int speed;
    /// An ICC profile. Pixels without a profile are sRGB.
    cavif_data profile;
    /// A TIFF structure, without the `Exif\0\0` prefix of JPEG.
    cavif_data exif;
    cavif_data xmp;
} cavif_picture;

typedef enum {
    CAVIF_OK = 0,
    CAVIF_NO_MEMORY,
    /// `message` states the reason.
    CAVIF_FAILED,
} cavif_status;

#define CAVIF_MESSAGE_CAPACITY 160

/// The bytes of an AVIF. Free them with `cavif_free`.
typedef struct {
    uint8_t *_Nullable bytes;
    size_t count;
    char message[CAVIF_MESSAGE_CAPACITY];
} cavif_file;

/// Encodes a picture on the caller's thread, which makes the output deterministic. Needs memory for several copies of
/// the pixels. Call this only after `cavif_load` has returned NULL.
cavif_status cavif_encode(const cavif_picture *picture, cavif_file *file);

void cavif_free(cavif_file *file);

#pragma clang assume_nonnull end
