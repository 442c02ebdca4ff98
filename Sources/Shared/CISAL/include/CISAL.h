// ISA-L's inflate, loaded for the first large zlib stream: more than twice as fast as zlib's.
//
// Its state is a structure of its header, and the number in the library's file name identifies its layout. This is
// built with <isa-l/igzip_lib.h> if it is installed, and loads only the library with the same number. Otherwise
// `cisal_open` returns NULL.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads the library, and returns the version of the header of this build, or NULL if the library cannot be used. The
/// library itself does not report its version. May be called from any thread.
const char *_Nullable cisal_version(void);

/// A zlib stream (RFC 1950) during decompression, about 88 KB.
typedef struct cisal_stream cisal_stream;

typedef enum {
    CISAL_OPEN = 0,
    /// The stream has ended with the right checksum.
    CISAL_ENDED,
    CISAL_DAMAGED,
} cisal_state;

/// Begins a stream, and loads the library on first use. Returns NULL if it cannot be used, or without memory. May be
/// called from any thread.
cisal_stream *_Nullable cisal_open(void);

void cisal_close(cisal_stream *stream);

/// Inflates until the input is used up, the output is full, or the stream has ended or is damaged; returns the data
/// before damage first. Sets `read` and `written` to the numbers of bytes. Up to 64 KiB may be buffered: after a full
/// output there may be more even without input.
cisal_state cisal_inflate(
    cisal_stream *stream, const uint8_t *_Nullable input, size_t input_count, uint8_t *output, size_t output_count,
    size_t *read, size_t *written);

/// Describes the damage, in zlib's words if it has any.
const char *cisal_fault(const cisal_stream *stream);

#pragma clang assume_nonnull end
