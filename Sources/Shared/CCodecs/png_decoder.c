#include "CCodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#define INPUT_BUFFER_BYTES (64 * 1024)
/// The value of PNG_IDAT_READ_SIZE, which libpng does not export.
#define DATA_READ_BYTES 8192
/// The maximum decompressed size of a chunk other than pixel data, such as a profile.
#define CHUNK_LIMIT (8 * 1024 * 1024)

struct apod_png_decoder {
    png_structp png;
    png_infop info;
    apod_status status;
    char message[APOD_MESSAGE_CAPACITY];
    apod_input input;
    uint64_t offset;
    size_t position, available;
    int passes;
    png_uint_32 height;
    size_t channels;
    uint8_t buffer[INPUT_BUFFER_BYTES];
};

static void fail(png_structp png, png_const_charp message) {
    apod_png_decoder *decoder = png_get_error_ptr(png);
    if (decoder->status == APOD_OK) {
        // libpng distinguishes these errors only by their messages.
        decoder->status = strstr(message, "Out of memory") != NULL || strstr(message, "out of memory") != NULL
            ? APOD_NO_MEMORY : strstr(message, "Not a PNG") != NULL ? APOD_NOT_IMAGE
            : strstr(message, "exceeds user limit") != NULL ? APOD_TOO_LARGE
            : strstr(message, "unhandled critical chunk") != NULL ? APOD_UNSUPPORTED : APOD_CORRUPT;
        snprintf(decoder->message, sizeof decoder->message, "%s", message);
    }
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

/// Appends input to the buffer. Returns the number of bytes added: 0 at the end, -1 to stop.
static ptrdiff_t fill(apod_png_decoder *decoder) {
    const size_t rest = decoder->available - decoder->position;
    memmove(decoder->buffer, decoder->buffer + decoder->position, rest);
    decoder->position = 0;
    decoder->available = rest;
    const ptrdiff_t got = decoder->input.read(
        decoder->input.context, decoder->buffer + rest, (ptrdiff_t)(INPUT_BUFFER_BYTES - rest), decoder->offset);
    if (got > 0) {
        decoder->offset += (uint64_t)got;
        decoder->available += (size_t)got;
    }
    return got;
}

static void read_bytes(png_structp png, png_bytep bytes, size_t count) {
    apod_png_decoder *decoder = png_get_io_ptr(png);
    while (count > 0) {
        if (decoder->position == decoder->available) {
            const ptrdiff_t got = fill(decoder);
            if (got <= 0) {
                decoder->status = got < 0 ? APOD_STOPPED : APOD_TRUNCATED;
                snprintf(decoder->message, sizeof decoder->message, "the file ends before the picture is complete");
                png_error(png, "read");
            }
        }
        const size_t rest = decoder->available - decoder->position, size = count < rest ? count : rest;
        memcpy(bytes, decoder->buffer + decoder->position, size);
        decoder->position += size;
        bytes += size;
        count -= size;
    }
    // If the file ends within a read of libpng, libpng discards the bytes of that read. This limits the next read to
    // the available bytes.
    if (decoder->available - decoder->position < DATA_READ_BYTES) fill(decoder);
    const size_t rest = decoder->available - decoder->position;
    png_set_compression_buffer_size(png, rest > 0 && rest < DATA_READ_BYTES ? rest : DATA_READ_BYTES);
}

apod_png_decoder *apod_png_open(apod_input input) {
    apod_png_decoder *decoder = malloc(sizeof *decoder);
    if (decoder == NULL) return NULL;
    memset(decoder, 0, offsetof(apod_png_decoder, buffer));
    decoder->input = input;
    decoder->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, decoder, fail, ignore_warning);
    if (decoder->png != NULL) decoder->info = png_create_info_struct(decoder->png);
    if (decoder->info == NULL) {
        apod_png_close(decoder);
        return NULL;
    }
    png_set_read_fn(decoder->png, decoder, read_bytes);
    return decoder;
}

void apod_png_close(apod_png_decoder *decoder) {
    if (decoder->png != NULL) png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
    free(decoder);
}

const char *apod_png_message(const apod_png_decoder *decoder) { return decoder->message; }

static uint32_t number(const png_byte *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/// Reads chunks that libpng does not support before 1.6.45.
static void read_newer_chunks(png_structp png, png_infop info, apod_png_header *header) {
    png_unknown_chunkp chunks = NULL;
    const int count = png_get_unknown_chunks(png, info, &chunks);
    for (int i = 0; i < count; i++) {
        const png_unknown_chunk *chunk = &chunks[i];
        const char *name = (const char *)chunk->name;
        if (strcmp(name, "cICP") == 0 && chunk->size == 4) {
            header->has_cicp = 1;
            memcpy(header->cicp, chunk->data, 4);
        }
        if (strcmp(name, "cLLI") == 0 && chunk->size == 8) header->brightest_pixel = number(chunk->data);
        // The luminance follows eight 16-bit numbers: three primaries and a white point.
        if (strcmp(name, "mDCV") == 0 && chunk->size == 24) header->brightest_light = number(chunk->data + 16);
    }
}

apod_status apod_png_read_header(apod_png_decoder *decoder, apod_png_header *header) {
    png_structp png = decoder->png;
    png_infop info = decoder->info;
    if (setjmp(png_jmpbuf(png))) return decoder->status;
    png_set_chunk_malloc_max(png, CHUNK_LIMIT);
    // Skips unused chunks, because an untrusted file could make their decompression slow.
    static const png_byte ignored[] = "tEXt\0zTXt\0iTXt\0sPLT\0hIST\0eXIf\0pCAL\0sCAL";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, ignored, sizeof ignored / 5);
    static const png_byte newer[] = "cICP\0cLLI\0mDCV";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, newer, sizeof newer / 5);
    png_read_info(png, info);
    // libpng stops after the length and type of the first IDAT chunk.
    const uint64_t data_offset = decoder->offset - (decoder->available - decoder->position) - 8;
    const int interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    const int type = png_get_color_type(png, info);
    // libpng ignores a tRNS chunk before PLTE, but still reports the chunk as valid. The number of entries is reliable.
    int transparent_count = 0;
    png_get_tRNS(png, info, NULL, &transparent_count, NULL);
    const int indexed = type == PNG_COLOR_TYPE_PALETTE;
    const int direct = !interlaced && png_get_bit_depth(png, info) <= 8 && (indexed || transparent_count == 0);
    const int has_alpha = (type & PNG_COLOR_MASK_ALPHA) || transparent_count > 0;
    decoder->height = png_get_image_height(png, info);
    *header = (apod_png_header){
        .width = png_get_image_width(png, info),
        .height = png_get_image_height(png, info),
        .channels = (type & PNG_COLOR_MASK_COLOR ? 3 : 1) + (has_alpha ? 1 : 0),
        .bits_per_sample = png_get_bit_depth(png, info),
        .interlaced = interlaced,
        .direct = direct,
        .indexed = indexed,
        .data_offset = data_offset,
        .is_srgb = png_get_valid(png, info, PNG_INFO_sRGB) != 0,
    };
    decoder->channels = header->channels;
    png_fixed_point gamma;
    if (png_get_gAMA_fixed(png, info, &gamma) == PNG_INFO_gAMA && gamma > 0) {
        header->has_gamma = 1;
        header->gamma = (uint32_t)gamma;
    }
    png_fixed_point c[8];
    if (png_get_cHRM_fixed(png, info, c, c + 1, c + 2, c + 3, c + 4, c + 5, c + 6, c + 7) == PNG_INFO_cHRM) {
        header->has_chromaticities = 1;
        memcpy(header->chromaticities, c, sizeof c);
    }
    read_newer_chunks(png, info, header);
    png_charp name;
    png_bytep profile;
    png_uint_32 count;
    int compression;
    if (png_get_iCCP(png, info, &name, &compression, &profile, &count) == PNG_INFO_iCCP) {
        header->profile = profile;
        header->profile_bytes = count;
    }
    return APOD_OK;
}

void apod_png_palette(const apod_png_decoder *decoder, uint8_t *colours) {
    png_colorp palette = NULL;
    png_bytep alpha = NULL;
    int count = 0, alpha_count = 0;
    png_get_PLTE(decoder->png, decoder->info, &palette, &count);
    png_get_tRNS(decoder->png, decoder->info, &alpha, &alpha_count, NULL);
    for (int i = 0; i < 256; i++) {
        const png_color colour = i < count ? palette[i] : (png_color){0, 0, 0};
        const uint8_t rgba[] = {colour.red, colour.green, colour.blue, i < alpha_count ? alpha[i] : 255};
        memcpy(colours + 4 * i, rgba, sizeof rgba);
    }
}

apod_status apod_png_start(apod_png_decoder *decoder, int wide) {
    png_structp png = decoder->png;
    png_infop info = decoder->info;
    if (setjmp(png_jmpbuf(png))) return decoder->status;
    const uint16_t one = 1;
    png_set_expand(png);
    if (!wide) png_set_scale_16(png);
    else if (*(const uint8_t *)&one == 1) png_set_swap(png);
    decoder->passes = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE ? png_set_interlace_handling(png) : 1;
    png_read_update_info(png, info);
    // The caller has allocated rows of this length, computed from the header.
    const size_t promised = (size_t)png_get_image_width(png, info) * decoder->channels * (wide ? 2 : 1);
    if (png_get_rowbytes(png, info) != promised) png_error(png, "row length differs from the header");
    return APOD_OK;
}

apod_status apod_png_read_row(apod_png_decoder *decoder, uint8_t *row) {
    if (setjmp(png_jmpbuf(decoder->png))) return decoder->status;
    png_read_row(decoder->png, row, NULL);
    return APOD_OK;
}

apod_status apod_png_read_image(apod_png_decoder *decoder, uint8_t **rows) {
    if (setjmp(png_jmpbuf(decoder->png))) return decoder->status;
    for (int pass = 0; pass < decoder->passes; pass++) png_read_rows(decoder->png, NULL, rows, decoder->height);
    return APOD_OK;
}

apod_status apod_png_finish(apod_png_decoder *decoder) {
    if (setjmp(png_jmpbuf(decoder->png))) return decoder->status;
    png_read_end(decoder->png, NULL);
    return APOD_OK;
}

const char *apod_png_version(void) { return png_get_libpng_ver(NULL); }
