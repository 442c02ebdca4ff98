// A wrapper of libheif, which is loaded for the first AVIF or HEIC picture.
//
// The build needs no header of libheif, because the functions used here are unchanged since 1.3.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library on the first call. Returns NULL if pictures can be read. Otherwise, returns the reason and the
/// package to install. May be called from any thread.
const char *_Nullable cheif_load(void);

/// Loads the library and returns its version, or NULL if the library cannot be used.
const char *_Nullable cheif_version(void);

/// The coding of a picture, which determines the format of the rows.
typedef struct {
    /// Whether the picture has only luma.
    int is_gray;
    /// Whether samples have more than 8 bits.
    int is_wide;
} cheif_kind;

#define CHEIF_MESSAGE_CAPACITY 200

/// The pixels in the format that libheif returned.
typedef struct {
    uint32_t width, height;
    /// 1 for luma; 3 for R, G and B.
    uint32_t channels;
    /// Bits per sample. Samples of more than 8 bits have two bytes, little-endian.
    int bits;
    /// Whether luma has the limited range of video (ITU-T H.273), which is 16 to 235 for 8 bits.
    int is_limited;
    const uint8_t *_Nullable rows;
    /// Bytes per row.
    size_t stride;
    /// libheif's error message.
    char message[CHEIF_MESSAGE_CAPACITY];
} cheif_pixels;

typedef struct cheif_picture cheif_picture;

typedef enum {
    CHEIF_OK = 0,
    CHEIF_NO_MEMORY,
    CHEIF_CORRUPT,
    /// The message names the missing feature.
    CHEIF_UNSUPPORTED,
    /// The picture exceeds a limit of libheif, which the message names.
    CHEIF_OVER_LIMIT,
} cheif_status;

/// Decodes the primary picture of a file in memory. Call this only after `cheif_load` has returned NULL. On success,
/// `pixels` are valid until `cheif_close`, and `bytes` must not change or be freed earlier. On failure, there is no
/// picture to close.
cheif_status cheif_decode(
    const uint8_t *bytes, size_t count, cheif_kind kind, cheif_pixels *pixels,
    cheif_picture *_Nullable *_Nonnull picture);

void cheif_close(cheif_picture *picture);

#pragma clang assume_nonnull end
