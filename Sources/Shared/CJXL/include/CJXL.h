// A wrapper of libjxl, which is loaded for the first JPEG XL picture.
//
// Needs no header of libjxl: the functions used here are unchanged since 0.7, except for a parameter that 0.9 removed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library on the first call. Returns NULL if pictures can be read, otherwise the reason and what to
/// install. May be called from any thread.
const char *_Nullable cjxl_load(void);

/// Loads the library and returns its version, such as 7002 for 0.7.2, or 0 if it cannot be used.
uint32_t cjxl_version(void);

typedef struct {
    /// The stored size, before the orientation is applied.
    uint32_t width, height;
    /// 1 for gray, 3 for colours, plus 1 for alpha.
    uint32_t channels;
    int is_premultiplied;
    uint32_t bits;
} cjxl_header;

typedef struct cjxl_decoder cjxl_decoder;

/// The next step of a decode.
typedef enum {
    /// Pass more bytes, or treat the file as truncated.
    CJXL_NEEDS_INPUT = 0,
    CJXL_HEADER,
    CJXL_PROFILE,
    /// Call `cjxl_set_pixels`.
    CJXL_NEEDS_PIXELS,
    /// The first frame is complete.
    CJXL_DONE,
    /// The stream is damaged or needs a later version of libjxl, which reports the same error for both.
    CJXL_CORRUPT,
} cjxl_event;

/// Creates a decoder that works on the caller's thread. Returns NULL if out of memory. Requires that `cjxl_load` has
/// returned NULL.
cjxl_decoder *_Nullable cjxl_open(void);

void cjxl_close(cjxl_decoder *decoder);

/// Continues the decode. Pass bytes in the first call and after `CJXL_NEEDS_INPUT`, otherwise NULL. The bytes must stay
/// valid until the next `CJXL_NEEDS_INPUT`, which sets `used` to the number of bytes consumed; pass the remaining bytes
/// again.
cjxl_event cjxl_next(cjxl_decoder *decoder, const uint8_t *_Nullable bytes, size_t count, size_t *used);

void cjxl_get_header(const cjxl_decoder *decoder, cjxl_header *header);

/// The size of the ICC profile of the pixels; 0 if there is none.
size_t cjxl_profile_bytes(const cjxl_decoder *decoder);

/// Copies the profile. Returns false on failure.
int cjxl_get_profile(const cjxl_decoder *decoder, uint8_t *buffer, size_t count);

/// Sets the pixel buffer: rows without gaps, `channels` samples per pixel, of 8 or 16 bits in native byte order.
/// Returns false if `count` bytes are too few.
int cjxl_set_pixels(cjxl_decoder *decoder, uint32_t channels, int is_wide, void *pixels, size_t count);

#pragma clang assume_nonnull end
