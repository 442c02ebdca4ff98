// ISA-L's inflate, more than twice as fast as zlib's. Loaded for the first large zlib stream.
//
// The header of ISA-L defines the structure of a stream's state. The major version, which is also in the library's file
// name, identifies the layout. This module is built with <isa-l/igzip_lib.h> if it is installed, and loads only a
// library of the same major version. Otherwise `cisal_open` returns NULL.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library, and returns the version of the header that this module was built with, or NULL if the library
/// cannot be used. The library does not report its own version. May be called from any thread.
const char *_Nullable cisal_version(void);

/// The state of a zlib stream (RFC 1950) during decompression, about 88 KB.
typedef struct cisal_stream cisal_stream;

typedef enum {
    CISAL_OPEN = 0,
    /// The stream has ended, and its checksum is correct.
    CISAL_ENDED,
    CISAL_DAMAGED,
} cisal_state;

/// Begins a stream, and loads the library on first use. Returns NULL if the library cannot be used or no memory is
/// left. May be called from any thread.
cisal_stream *_Nullable cisal_open(void);

void cisal_close(cisal_stream *stream);

/// Inflates until the input is used up, the output is full, the stream ends, or damage is found. Reports damage only
/// after all data before it has been written. Sets `read` and `written` to the numbers of bytes. Up to 64 KiB may be
/// buffered: if the output is full, call this function again even without input.
cisal_state cisal_inflate(
    cisal_stream *stream, const uint8_t *_Nullable input, size_t input_count, uint8_t *output, size_t output_count,
    size_t *read, size_t *written);

/// Returns a description of the damage, if possible in the same words as zlib; an empty text for an intact stream.
const char *cisal_fault(const cisal_stream *stream);

#pragma clang assume_nonnull end
