// libjxl, which reads JPEG XL, loaded for the first such picture.
//
// Its header is not needed: the functions used here are unchanged since 0.7, except for a parameter that 0.9 removed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library on the first call. Returns NULL if pictures can be read, otherwise the reason and what to
/// install. May be called from any thread.
const char *_Nullable cjxl_load(void);

/// Loads the library and returns its version, or 0 if it cannot be used. 7002 is 0.7.2.
uint32_t cjxl_version(void);

typedef struct {
    /// The stored size, before orientation.
    uint32_t width, height;
    /// 1 for gray, 3 for colours, plus 1 for alpha.
    uint32_t channels;
    int is_premultiplied;
    uint32_t bits;
} cjxl_header;

typedef struct cjxl_decoder cjxl_decoder;

/// The next step of a decode.
typedef enum {
    /// Provide more bytes, or end.
    CJXL_NEEDS_INPUT = 0,
    CJXL_HEADER,
    CJXL_PROFILE,
    /// Call `cjxl_set_pixels`.
    CJXL_NEEDS_PIXELS,
    /// The first frame is complete.
    CJXL_DONE,
    /// Also for a stream that needs a later version of libjxl, which has a single error.
    CJXL_CORRUPT,
} cjxl_event;

/// Creates a decoder that works on the caller's thread. Returns NULL without memory. Call it only after `cjxl_load`
/// has returned NULL.
cjxl_decoder *_Nullable cjxl_open(void);

void cjxl_close(cjxl_decoder *decoder);

/// Continues with `count` bytes, which must stay valid until the next `CJXL_NEEDS_INPUT`. After other events, pass no
/// bytes. If more are needed, sets `used` to the number of bytes consumed; pass the rest again.
cjxl_event cjxl_next(cjxl_decoder *decoder, const uint8_t *_Nullable bytes, size_t count, size_t *used);

void cjxl_get_header(const cjxl_decoder *decoder, cjxl_header *header);

/// The size of the ICC profile of the pixels; 0 without a profile.
size_t cjxl_profile_bytes(const cjxl_decoder *decoder);

/// Copies the profile. Returns false on failure.
int cjxl_get_profile(const cjxl_decoder *decoder, uint8_t *buffer, size_t count);

/// Sets the destination of the pixels: rows without gaps, of `channels` samples of 8 or 16 bits in native byte order.
/// Returns false if it is too small.
int cjxl_set_pixels(cjxl_decoder *decoder, uint32_t channels, int is_wide, void *pixels, size_t count);

#pragma clang assume_nonnull end
