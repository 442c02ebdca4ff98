// libavif, loaded when it is first used, as only few runs write AVIF and its encoders are large.
//
// Its structures are part of its binary interface: before 1.0 they change with every minor version, since then they
// only grow. So this is built with the header <avif/avif.h> if that is there, and the library that is found at run time
// must be of the same minor version, or, from 1.0 on, of the same major version and not older.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// Loads the library, the first time it is called. NULL if AVIF can be written, else why not and what to install.
/// Any number of threads may call it.
const char *_Nullable cavif_load(void);

/// The library's version, loading it first; NULL if it cannot be used.
const char *_Nullable cavif_version(void);

/// Bytes of somebody else's; NULL if there are none.
typedef struct {
    const uint8_t *_Nullable bytes;
    size_t count;
} cavif_data;

typedef struct {
    /// Rows from the top without gaps, R, G, B and straight alpha.
    const uint8_t *pixels;
    uint32_t width, height;
    /// Whether alpha is written.
    int has_alpha;
    /// Whether the chroma is halved across and down.
    int halves_chroma;
    /// 0 (best) to 63, AV1's quantisers as libavif counts them.
    int quantizer;
    /// 0 (slowest, smallest) to 10.
    int speed;
    /// ICC profile; sRGB is signalled otherwise.
    cavif_data profile;
    /// A TIFF structure, without the prefix of JPEG.
    cavif_data exif;
    cavif_data xmp;
} cavif_picture;

typedef enum {
    CAVIF_OK = 0,
    CAVIF_NO_MEMORY,
    /// The message says how.
    CAVIF_FAILED,
} cavif_status;

#define CAVIF_MESSAGE_CAPACITY 160

/// The bytes of an AVIF; to be freed by `cavif_free`.
typedef struct {
    uint8_t *_Nullable bytes;
    size_t count;
    char message[CAVIF_MESSAGE_CAPACITY];
} cavif_file;

/// Encodes a picture, on the caller's thread, so that equal pictures give equal bytes. Only after `cavif_load` gave
/// NULL. Takes memory for several copies of the pixels.
cavif_status cavif_encode(const cavif_picture *picture, cavif_file *file);

void cavif_free(cavif_file *file);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
