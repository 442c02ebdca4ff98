// libheif, which reads AVIF and HEIC, loaded when the first of them arrives.
//
// Its header is not needed: what is used of it here has been the same since 1.3.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// Loads the library, the first time it is called. NULL if pictures can be read, else why not and what to install.
/// Any number of threads may call it.
const char *_Nullable cheif_load(void);

/// The library's version, loading it first; NULL if it cannot be used.
const char *_Nullable cheif_version(void);

typedef struct {
    /// As it is shown: cropped and turned.
    uint32_t width, height;
    int has_alpha;
    /// Whether colours are multiplied by their alpha.
    int is_premultiplied;
    /// Bits of a sample of luma.
    int bits;
    /// An ICC profile; NULL without. It lives as long as the picture.
    const uint8_t *_Nullable profile;
    size_t profile_bytes;
    /// Numbers of ITU-T H.273 for primaries and transfer; 2 if nothing is said.
    int primaries, transfer;
} cheif_header;

typedef struct cheif_picture cheif_picture;

typedef enum {
    CHEIF_OK = 0,
    CHEIF_NO_MEMORY,
    /// The message says how.
    CHEIF_CORRUPT,
    /// The message says what is missing.
    CHEIF_UNSUPPORTED,
} cheif_status;

#define CHEIF_MESSAGE_CAPACITY 200

/// Opens the primary picture of a file in memory, which must stay there. Only after `cheif_load` gave NULL. NULL if
/// there is no memory; else the picture is to be closed whatever the status.
cheif_picture *_Nullable cheif_open(const uint8_t *bytes, size_t count, cheif_header *header, cheif_status *status);

void cheif_close(cheif_picture *picture);

/// Decodes the pixels, once, into memory of libheif's: rows of R, G and B, and alpha if there is some, of 8 bits, or of
/// two bytes with the lowest first if `bits` is more.
cheif_status cheif_decode(cheif_picture *picture);

/// A row of what has been decoded.
const uint8_t *cheif_row(const cheif_picture *picture, uint32_t y);

/// What went wrong, in libheif's words.
const char *cheif_message(const cheif_picture *picture);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
