// A wrapper of libjxl, which is loaded for the first JPEG XL picture.
//
// The build needs no header of libjxl, because the functions used here are unchanged since 0.7, except for a parameter
// that 0.9 removed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library on the first call. Returns NULL if pictures can be read. Otherwise, returns the reason and the
/// package to install. May be called from any thread.
const char *_Nullable cjxl_load(void);

/// Loads the library and returns its version, such as 7002 for 0.7.2, or 0 if the library cannot be used.
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

/// The reason why `cjxl_next` has returned.
typedef enum {
    /// The decoder needs more bytes. If there are none, the file is truncated.
    CJXL_NEEDS_INPUT = 0,
    CJXL_HEADER,
    CJXL_PROFILE,
    /// The caller must call `cjxl_set_pixels`.
    CJXL_NEEDS_PIXELS,
    /// The first frame is complete.
    CJXL_DONE,
    /// The stream is damaged or needs a later version of libjxl, which reports the same error for both.
    CJXL_CORRUPT,
} cjxl_event;

/// Creates a decoder that works on the caller's thread. Returns NULL if out of memory. Call this only after `cjxl_load`
/// has returned NULL.
cjxl_decoder *_Nullable cjxl_open(void);

void cjxl_close(cjxl_decoder *decoder);

/// Continues decoding until the next event. Pass bytes in the first call and after `CJXL_NEEDS_INPUT`, otherwise NULL.
/// The bytes must stay valid until the next `CJXL_NEEDS_INPUT`, which sets `used` to the number of consumed bytes. Pass
/// the remaining bytes again.
cjxl_event cjxl_next(cjxl_decoder *decoder, const uint8_t *_Nullable bytes, size_t count, size_t *used);

void cjxl_get_header(const cjxl_decoder *decoder, cjxl_header *header);

/// Returns the size of the ICC profile of the pixels, or 0 if there is no profile.
size_t cjxl_profile_bytes(const cjxl_decoder *decoder);

/// Copies the profile. Returns false on failure.
int cjxl_get_profile(const cjxl_decoder *decoder, uint8_t *buffer, size_t count);

/// Sets the pixel buffer: rows without gaps, `channels` samples per pixel, of 8 or 16 bits in native byte order.
/// Returns false if the buffer of `count` bytes is too small.
int cjxl_set_pixels(cjxl_decoder *decoder, uint32_t channels, int is_wide, void *pixels, size_t count);

#pragma clang assume_nonnull end
