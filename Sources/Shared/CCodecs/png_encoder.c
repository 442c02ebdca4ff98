#include "CCodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct apod_png_encoder {
    png_structp png;
    png_infop info;
    apod_status status;
    char message[APOD_MESSAGE_CAPACITY];
    apod_output output;
};

static void fail(png_structp png, png_const_charp message) {
    apod_png_encoder *encoder = png_get_error_ptr(png);
    if (encoder->status == APOD_OK) {
        encoder->status = APOD_MISUSE;
        snprintf(encoder->message, sizeof encoder->message, "%s", message);
    }
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    apod_png_encoder *encoder = png_get_io_ptr(png);
    if (encoder->output.write(encoder->output.context, bytes, (ptrdiff_t)count) != 0) {
        encoder->status = APOD_STOPPED;
        png_error(png, "write");
    }
}

static void flush_nothing(png_structp png) { (void)png; }

apod_png_encoder *apod_png_encoder_open(apod_output output) {
    apod_png_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) return NULL;
    encoder->output = output;
    encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, encoder, fail, ignore_warning);
    if (encoder->png != NULL) encoder->info = png_create_info_struct(encoder->png);
    if (encoder->info == NULL) {
        apod_png_encoder_close(encoder);
        return NULL;
    }
    png_set_write_fn(encoder->png, encoder, write_bytes, flush_nothing);
    return encoder;
}

void apod_png_encoder_close(apod_png_encoder *encoder) {
    if (encoder->png != NULL) png_destroy_write_struct(&encoder->png, &encoder->info);
    free(encoder);
}

const char *apod_png_encoder_message(const apod_png_encoder *encoder) { return encoder->message; }

static void set_metadata(apod_png_encoder *encoder, apod_png_metadata metadata) {
    png_structp png = encoder->png;
    // Makes libpng omit an invalid profile or text instead of failing.
    png_set_benign_errors(png, 1);
    if (metadata.profile != NULL) {
        png_set_iCCP(png, encoder->info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, metadata.profile,
                     (png_uint_32)metadata.profile_bytes);
    }
    if (metadata.exif != NULL) {
        // libpng copies the bytes, so the cast is safe.
        png_set_eXIf_1(png, encoder->info, (png_uint_32)metadata.exif_bytes, (png_bytep)metadata.exif);
    }
    if (metadata.xmp != NULL) {
        // XMP part 3, §1.1.5 requires this keyword and uncompressed text.
        png_text text = {
            .compression = PNG_ITXT_COMPRESSION_NONE,
            .key = "XML:com.adobe.xmp",
            .text = (char *)metadata.xmp,
            .lang = "",
            .lang_key = "",
        };
        png_set_text(png, encoder->info, &text, 1);
    }
}

apod_status apod_png_encoder_start(apod_png_encoder *encoder, uint32_t width, uint32_t height, int channels,
                                   int interlaced, apod_png_metadata metadata) {
    static const int colour_types[5] = {
        0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA,
    };
    if (channels < 1 || channels > 4) return APOD_MISUSE;
    if (setjmp(png_jmpbuf(encoder->png))) return encoder->status;
    // Replaces libpng's default limit of a million columns, which protects readers.
    png_set_user_limits(encoder->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(encoder->png, encoder->info, width, height, 8, colour_types[channels],
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    set_metadata(encoder, metadata);
    png_write_info(encoder->png, encoder->info);
    // Must follow png_set_IHDR: otherwise libpng does not know that the picture is interlaced.
    if (interlaced) png_set_interlace_handling(encoder->png);
    return APOD_OK;
}

apod_status apod_png_encoder_write_row(apod_png_encoder *encoder, const uint8_t *row) {
    if (setjmp(png_jmpbuf(encoder->png))) return encoder->status;
    png_write_row(encoder->png, row);
    return APOD_OK;
}

apod_status apod_png_encoder_finish(apod_png_encoder *encoder) {
    if (setjmp(png_jmpbuf(encoder->png))) return encoder->status;
    // Passes NULL, because all chunks of `info` are already written. With `info`, libpng would write EXIF again.
    png_write_end(encoder->png, NULL);
    return APOD_OK;
}
