#include "CCodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#define OUTPUT_BUFFER_BYTES (64 * 1024)

struct apod_jpeg_encoder {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf escape;
    apod_status status;
    char message[JMSG_LENGTH_MAX];
    apod_output output;
    jpeg_scan_info scans[APOD_JPEG_SCANS];
    /// The coefficients of each component.
    jvirt_barray_ptr blocks[3];
    uint8_t buffer[OUTPUT_BUFFER_BYTES];
};

static apod_jpeg_encoder *owner(j_common_ptr info) { return (apod_jpeg_encoder *)info->client_data; }

static _Noreturn void leave(j_common_ptr info, apod_status status) {
    owner(info)->status = status;
    longjmp(owner(info)->escape, 1);
}

static void error_exit(j_common_ptr info) {
    info->err->format_message(info, owner(info)->message);
    switch (info->err->msg_code) {
    case JERR_OUT_OF_MEMORY: leave(info, APOD_NO_MEMORY);
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW: leave(info, APOD_TOO_LARGE);
    default: leave(info, APOD_MISUSE);
    }
}

static void emit_message(j_common_ptr info, int level) { (void)info, (void)level; }

static void hand_over(apod_jpeg_encoder *encoder, size_t count) {
    if (count > 0 && encoder->output.write(encoder->output.context, encoder->buffer, (ptrdiff_t)count) != 0) {
        leave((j_common_ptr)&encoder->info, APOD_STOPPED);
    }
    encoder->destination.next_output_byte = encoder->buffer;
    encoder->destination.free_in_buffer = OUTPUT_BUFFER_BYTES;
}

static void init_destination(j_compress_ptr info) { hand_over(owner((j_common_ptr)info), 0); }

static boolean empty_output_buffer(j_compress_ptr info) {
    // The buffer is full. `free_in_buffer` is not up to date here.
    hand_over(owner((j_common_ptr)info), OUTPUT_BUFFER_BYTES);
    return TRUE;
}

static void term_destination(j_compress_ptr info) {
    apod_jpeg_encoder *encoder = owner((j_common_ptr)info);
    hand_over(encoder, OUTPUT_BUFFER_BYTES - encoder->destination.free_in_buffer);
}

apod_jpeg_encoder *apod_jpeg_encoder_open(apod_output output) {
    apod_jpeg_encoder *encoder = malloc(sizeof *encoder);
    if (encoder == NULL) return NULL;
    memset(encoder, 0, offsetof(apod_jpeg_encoder, buffer));
    encoder->output = output;
    encoder->info.err = jpeg_std_error(&encoder->errors);
    encoder->errors.error_exit = error_exit;
    encoder->errors.emit_message = emit_message;
    encoder->info.client_data = encoder;
    if (setjmp(encoder->escape)) {
        jpeg_destroy_compress(&encoder->info);
        free(encoder);
        return NULL;
    }
    jpeg_create_compress(&encoder->info);
    encoder->destination = (struct jpeg_destination_mgr){
        .init_destination = init_destination,
        .empty_output_buffer = empty_output_buffer,
        .term_destination = term_destination,
    };
    encoder->info.dest = &encoder->destination;
    return encoder;
}

void apod_jpeg_encoder_close(apod_jpeg_encoder *encoder) {
    jpeg_destroy_compress(&encoder->info);
    free(encoder);
}

const char *apod_jpeg_encoder_message(const apod_jpeg_encoder *encoder) { return encoder->message; }

/// libjpeg keeps a pointer to `encoder->scans`, which lives as long as the encoder.
static void set_scans(apod_jpeg_encoder *encoder, const apod_jpeg_scan *scans, int count) {
    for (int i = 0; i < count; i++) {
        jpeg_scan_info *scan = &encoder->scans[i];
        *scan = (jpeg_scan_info){
            .Ss = scans[i].first, .Se = scans[i].last, .Ah = scans[i].bits_before, .Al = scans[i].bits};
        for (int component = 0; component < encoder->info.num_components; component++) {
            if ((scans[i].components >> component & 1) == 0) continue;
            scan->component_index[scan->comps_in_scan++] = component;
        }
    }
    encoder->info.scan_info = encoder->scans;
    encoder->info.num_scans = count;
}

static JDIMENSION divided_up(JDIMENSION count, JDIMENSION by) { return (count + by - 1) / by; }

/// Allocates the blocks of whole MCUs. They are zeroed, because libjpeg reads padding blocks before it fills them.
static void request_blocks(apod_jpeg_encoder *encoder) {
    struct jpeg_compress_struct *info = &encoder->info;
    const JDIMENSION columns = divided_up(info->image_width, DCTSIZE * (JDIMENSION)info->comp_info[0].h_samp_factor);
    const JDIMENSION rows = divided_up(info->image_height, DCTSIZE * (JDIMENSION)info->comp_info[0].v_samp_factor);
    for (int i = 0; i < info->num_components; i++) {
        const JDIMENSION across = (JDIMENSION)info->comp_info[i].h_samp_factor;
        const JDIMENSION down = (JDIMENSION)info->comp_info[i].v_samp_factor;
        encoder->blocks[i] = info->mem->request_virt_barray((j_common_ptr)info, JPOOL_IMAGE, TRUE, columns * across,
                                                            rows * down, down);
    }
}

apod_status apod_jpeg_encoder_start(apod_jpeg_encoder *encoder, apod_jpeg_settings settings) {
    struct jpeg_compress_struct *info = &encoder->info;
    if (settings.scan_count > APOD_JPEG_SCANS) return APOD_MISUSE;
    if (setjmp(encoder->escape)) return encoder->status;
    info->image_width = settings.width;
    info->image_height = settings.height;
    info->input_components = settings.channels;
    info->in_color_space = settings.channels == 1 ? JCS_GRAYSCALE : JCS_YCbCr;
    jpeg_set_defaults(info);
    if (settings.channels == 3) {
        info->comp_info[0].h_samp_factor = settings.across;
        info->comp_info[0].v_samp_factor = settings.down;
    }
    for (int table = 0; table < (settings.channels == 1 ? 1 : 2); table++) {
        unsigned int steps[DCTSIZE2];
        for (int i = 0; i < DCTSIZE2; i++) steps[i] = settings.steps[table * DCTSIZE2 + i];
        jpeg_add_quant_table(info, table, steps, 100, TRUE);
    }
    set_scans(encoder, settings.scans, settings.scan_count);
    request_blocks(encoder);
    jpeg_write_coefficients(info, encoder->blocks);
    return APOD_OK;
}

apod_status apod_jpeg_encoder_write_segment(apod_jpeg_encoder *encoder, int number, const uint8_t *bytes,
                                            size_t count) {
    if (count > 65533) return APOD_MISUSE;
    if (setjmp(encoder->escape)) return encoder->status;
    jpeg_write_marker(&encoder->info, JPEG_APP0 + number, bytes, (unsigned int)count);
    return APOD_OK;
}

apod_status apod_jpeg_encoder_write_blocks(apod_jpeg_encoder *encoder, int component, uint32_t first, uint32_t rows,
                                           const int16_t *blocks) {
    struct jpeg_compress_struct *info = &encoder->info;
    const size_t columns = info->comp_info[component].width_in_blocks;
    if (setjmp(encoder->escape)) return encoder->status;
    for (JDIMENSION y = 0; y < rows; y++) {
        JBLOCKARRAY row =
            info->mem->access_virt_barray((j_common_ptr)info, encoder->blocks[component], first + y, 1, TRUE);
        memcpy(row[0], blocks + y * columns * DCTSIZE2, columns * sizeof(JBLOCK));
    }
    return APOD_OK;
}

apod_status apod_jpeg_encoder_finish(apod_jpeg_encoder *encoder) {
    if (setjmp(encoder->escape)) return encoder->status;
    jpeg_finish_compress(&encoder->info);
    return APOD_OK;
}
