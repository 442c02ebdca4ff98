// libjxl, which reads JPEG XL, loaded when the first one arrives.
//
// Its header is not needed: what is used of it here has been the same since 0.7, but for a parameter that 0.9 has
// dropped.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// Loads the library, the first time it is called. NULL if pictures can be read, else why not and what to install.
/// Any number of threads may call it.
const char *_Nullable cjxl_load(void);

/// The library's version, loading it first; 0 if it cannot be used. 7002 is 0.7.2.
uint32_t cjxl_version(void);

typedef struct {
    /// As they are stored, before any turn.
    uint32_t width, height;
    /// 1 for gray, 3 for colours, and one more for alpha.
    uint32_t channels;
    int is_premultiplied;
    uint32_t bits;
} cjxl_header;

typedef struct cjxl_decoder cjxl_decoder;

/// What is to be done next.
typedef enum {
    /// Give more bytes, or end.
    CJXL_NEEDS_INPUT = 0,
    /// The header is known.
    CJXL_HEADER,
    /// The profile is known.
    CJXL_PROFILE,
    /// Set the memory for pixels.
    CJXL_NEEDS_PIXELS,
    /// All pixels of the first frame are there.
    CJXL_DONE,
    CJXL_CORRUPT,
} cjxl_event;

/// Only after `cjxl_load` gave NULL. NULL if there is no memory. It works on the caller's thread.
cjxl_decoder *_Nullable cjxl_open(void);

void cjxl_close(cjxl_decoder *decoder);

/// Goes on with `count` bytes, which must stay until the next event says that more are needed; to be called without any
/// after the other events. Gives in `used` how many of them have been, if more are needed: the
/// others come again.
cjxl_event cjxl_next(cjxl_decoder *decoder, const uint8_t *_Nullable bytes, size_t count, size_t *used);

void cjxl_get_header(const cjxl_decoder *decoder, cjxl_header *header);

/// The bytes of the profile that the pixels will be in; 0 without.
size_t cjxl_profile_bytes(const cjxl_decoder *decoder);

/// Copies the profile; false if that fails.
int cjxl_get_profile(const cjxl_decoder *decoder, uint8_t *buffer, size_t count);

/// Says where the pixels go: rows without gaps, of `channels` samples of 8 or 16 bits, in the processor's order.
/// False if that is not enough for them.
int cjxl_set_pixels(cjxl_decoder *decoder, uint32_t channels, int is_wide, void *pixels, size_t count);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
