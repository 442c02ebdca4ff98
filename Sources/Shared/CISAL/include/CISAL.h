// ISA-L's inflate, loaded when a large zlib stream is first unpacked: more than twice as fast as zlib's.
//
// Its state is a structure of its header, whose layout goes with the number in the library's file name. So this is
// built with <isa-l/igzip_lib.h> if that is there, and takes only the library of the same number. Without header or
// library `cisal_open` gives NULL.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// The version of the header that this was built with, if the library can be used, loading it first; else NULL.
/// The library itself does not tell its version. Any number of threads may call it.
const char *_Nullable cisal_version(void);

/// A zlib stream (RFC 1950) that is being unpacked, about 88 KB.
typedef struct cisal_stream cisal_stream;

typedef enum {
    CISAL_OPEN = 0,
    /// At the end, where the checksum was right.
    CISAL_ENDED,
    CISAL_DAMAGED,
} cisal_state;

/// Begins a stream, loading the library if it is the first one. NULL if the library cannot be used, or there is no
/// memory. Any number of threads may call it.
cisal_stream *_Nullable cisal_open(void);

void cisal_close(cisal_stream *stream);

/// Unpacks until the input is used up, the output is full, or the stream is no longer open; what was unpacked before
/// damage is given first. Says in `read` and `written` how many bytes that were. Up to 64 KiB that have been unpacked
/// may wait for room: after a full output there may be more without any input.
cisal_state cisal_inflate(
    cisal_stream *stream, const uint8_t *_Nullable input, size_t input_count, uint8_t *output, size_t output_count,
    size_t *read, size_t *written);

/// What is wrong with a damaged stream, in zlib's words where it has some.
const char *cisal_fault(const cisal_stream *stream);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
