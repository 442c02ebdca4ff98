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

/// How a picture is coded, which decides the rows that are wanted.
typedef struct {
    /// Whether it has luma alone.
    int is_gray;
    /// Whether samples have more than 8 bits.
    int is_wide;
} cheif_kind;

#define CHEIF_MESSAGE_CAPACITY 200

/// The pixels that libheif really has made.
typedef struct {
    uint32_t width, height;
    /// 1 for luma; 3 for R, G and B.
    uint32_t channels;
    /// Of a sample, which takes two bytes, the lowest first, if it has more than 8.
    int bits;
    /// Whether luma has the levels of video (ITU-T H.273): 16 to 235 of 8 bits.
    int is_limited;
    const uint8_t *_Nullable rows;
    /// Bytes from one row to the next.
    size_t stride;
    /// The failure, in libheif's words.
    char message[CHEIF_MESSAGE_CAPACITY];
} cheif_pixels;

typedef struct cheif_picture cheif_picture;

typedef enum {
    CHEIF_OK = 0,
    CHEIF_NO_MEMORY,
    /// The message says how.
    CHEIF_CORRUPT,
    /// The message says what is missing.
    CHEIF_UNSUPPORTED,
} cheif_status;

/// Decodes the primary picture of a file in memory, which must stay there. Only after `cheif_load` gave NULL. If it
/// succeeds, the pixels live until the picture is closed; else there is no picture.
cheif_status cheif_decode(
    const uint8_t *bytes, size_t count, cheif_kind kind, cheif_pixels *pixels,
    cheif_picture *_Nullable *_Nonnull picture);

void cheif_close(cheif_picture *picture);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
