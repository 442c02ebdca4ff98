#include "CISAL.h"

#include <CLibraryLoading.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l.h>
#include <isa-l/igzip_lib.h>

static struct {
    __typeof__(isal_inflate_init) *init;
    __typeof__(isal_inflate) *inflate;
} isal;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded;

static void load(void) {
    void *library = cloading_open(CLOADING_NAMES("libisal.2.dylib", "libisal.so.2"));
    is_loaded = library != NULL
        && cloading_find(
            library,
            (const struct cloading_function[]){
                {&isal.init, "isal_inflate_init"}, {&isal.inflate, "isal_inflate"}, {NULL, NULL}});
}

static bool can_load(void) {
    pthread_once(&once, load);
    return is_loaded && ISAL_MAJOR_VERSION == 2;
}

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor) TEXT_OF(major) "." TEXT_OF(minor)

const char *cisal_version(void) {
    return can_load() ? VERSION_TEXT(ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION) : NULL;
}

// Two bytes, and four more if a dictionary is required (RFC 1950 §2.2).
enum { HEADER_BYTES = 2, NAMED_HEADER_BYTES = 6 };

struct cisal_stream {
    // The header. This file parses it, because ISA-L accepts window sizes that zlib refuses.
    uint8_t header[NAMED_HEADER_BYTES];
    size_t header_count;
    // NULL while the stream is intact.
    const char *fault;
    bool is_ended;
    struct inflate_state state;
};

cisal_stream *cisal_open(void) {
    if (!can_load()) return NULL;
    // calloc clears the memory, so that the output of a damaged stream never contains old data of the process.
    cisal_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    isal.init(&stream->state);
    // ISA-L receives only the data after the header, and verifies the Adler-32 at the end of the stream.
    stream->state.crc_flag = ISAL_ZLIB_NO_HDR_VER;
    return stream;
}

void cisal_close(cisal_stream *stream) { free(stream); }

const char *cisal_fault(const cisal_stream *stream) { return stream->fault != NULL ? stream->fault : ""; }

// Reads the available part of the header, and returns the number of bytes read.
static size_t read_header(cisal_stream *stream, const uint8_t *input, size_t count) {
    size_t read = 0;
    uint8_t *header = stream->header;
    while (stream->fault == NULL && read < count) {
        if (stream->header_count == HEADER_BYTES && (header[1] & 0x20) == 0) break;
        if (stream->header_count == NAMED_HEADER_BYTES) break;
        header[stream->header_count++] = input[read++];
        if (stream->header_count == HEADER_BYTES) {
            if ((header[0] << 8 | header[1]) % 31 != 0) {
                stream->fault = "incorrect header check";
            } else if ((header[0] & 0x0F) != 8) {
                stream->fault = "unknown compression method";
            } else if (header[0] >> 4 > 7) {
                stream->fault = "invalid window size";
            }
        } else if (stream->header_count == NAMED_HEADER_BYTES) {
            stream->fault = "a preset dictionary is required";
        }
    }
    return read;
}

static const char *fault_of(int status) {
    switch (status) {
    case ISAL_INVALID_BLOCK: return "invalid block";
    case ISAL_INVALID_SYMBOL: return "invalid code";
    case ISAL_INVALID_LOOKBACK: return "invalid distance too far back";
    case ISAL_INCORRECT_CHECKSUM: return "incorrect data check";
    default: return "invalid compressed data";
    }
}

// Writes data that was inflated before the damage but has not yet been written because the output was full. Returns the
// number of bytes. After damage, ISA-L itself does not return this data.
static size_t give_rest(struct inflate_state *state, uint8_t *output, size_t count) {
    const int32_t waiting = state->tmp_out_valid - state->tmp_out_processed;
    if (waiting <= 0) return 0;
    const size_t given = (size_t)waiting < count ? (size_t)waiting : count;
    memcpy(output, state->tmp_out_buffer + state->tmp_out_processed, given);
    state->tmp_out_processed += (int32_t)given;
    return given;
}

static uint32_t clamped(size_t count) { return count < (size_t)1 << 30 ? (uint32_t)count : (uint32_t)1 << 30; }

// Inflates blocks, and returns the number of bytes read.
static size_t inflate_blocks(
    cisal_stream *stream, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count,
    size_t *written) {
    struct inflate_state *state = &stream->state;
    size_t read = 0;
    while (!stream->is_ended && stream->fault == NULL && *written < output_count) {
        const uint32_t in = clamped(input_count - read), out = clamped(output_count - *written);
        // ISA-L only reads through this pointer.
        state->next_in = (uint8_t *)(in > 0 ? input + read : stream->header);
        state->avail_in = in;
        state->next_out = output + *written;
        state->avail_out = out;
        const int status = isal.inflate(state);
        // After damage, ISA-L may have counted a byte too many.
        read += state->avail_in <= in ? in - state->avail_in : in;
        *written += out - state->avail_out;
        if (status < 0) {
            stream->fault = fault_of(status);
        } else if (state->block_state == ISAL_BLOCK_FINISH) {
            stream->is_ended = true;
            // Excludes bytes after the end of the stream, which ISA-L may have buffered.
            const size_t ahead = (size_t)(state->read_in_length > 0 ? state->read_in_length / 8 : 0);
            read -= ahead < read ? ahead : read;
        } else if (state->avail_in == in && state->avail_out == out) {
            break;
        } else if (read == input_count && state->avail_out > 0) {
            break;
        }
    }
    return read;
}

cisal_state cisal_inflate(
    cisal_stream *stream, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count, size_t *read,
    size_t *written) {
    *read = read_header(stream, input, input_count);
    *written = 0;
    const bool has_header = stream->header_count >= HEADER_BYTES && (stream->header[1] & 0x20) == 0;
    if (has_header && stream->fault == NULL) {
        const uint8_t *blocks = input_count > *read ? input + *read : NULL;
        *read += inflate_blocks(stream, blocks, input_count - *read, output, output_count, written);
    }
    if (stream->fault != NULL) {
        *written += give_rest(&stream->state, output + *written, output_count - *written);
        // Reports damage after all intact data has been written.
        if (stream->state.tmp_out_processed < stream->state.tmp_out_valid) return CISAL_OPEN;
        return CISAL_DAMAGED;
    }
    return stream->is_ended ? CISAL_ENDED : CISAL_OPEN;
}

#else

const char *cisal_version(void) { return NULL; }

cisal_stream *cisal_open(void) { return NULL; }

void cisal_close(cisal_stream *stream) { (void)stream; }

const char *cisal_fault(const cisal_stream *stream) { return (void)stream, ""; }

cisal_state cisal_inflate(
    cisal_stream *stream, const uint8_t *input, size_t input_count, uint8_t *output, size_t output_count, size_t *read,
    size_t *written) {
    (void)stream, (void)input, (void)input_count, (void)output, (void)output_count;
    *read = *written = 0;
    return CISAL_DAMAGED;
}

#endif
