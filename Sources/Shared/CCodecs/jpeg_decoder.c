#include "CCodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#define INPUT_BUFFER_BYTES (64 * 1024)
/// Larger profiles are ignored. Real profiles have at most about 2 MB.
#define PROFILE_LIMIT (8 * 1024 * 1024)
#define PROFILE_HEADER_BYTES 14
#define PROFILE_PARTS 255

struct apod_jpeg_decoder {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    apod_status status;
    char message[JMSG_LENGTH_MAX];
    apod_input input;
    uint64_t offset;
    uint32_t scan_limit;
    int allows_truncated, allows_damage, is_started, is_truncated, is_damaged;
    /// The parts of the embedded profile, numbered from 1 (ICC.1 annex B.4).
    uint8_t *parts[PROFILE_PARTS + 1];
    size_t part_bytes[PROFILE_PARTS + 1];
    size_t profile_total;
    int part_count;
    uint8_t *profile;
    uint8_t buffer[INPUT_BUFFER_BYTES];
};

static apod_jpeg_decoder *owner(j_common_ptr info) { return (apod_jpeg_decoder *)info->client_data; }

/// Jumps to the setjmp of the calling function, which then returns `status`.
static _Noreturn void leave(j_common_ptr info, apod_status status) {
    apod_jpeg_decoder *decoder = owner(info);
    decoder->status = status;
    longjmp(decoder->escape, 1);
}

static _Noreturn void leave_saying(j_common_ptr info, apod_status status, const char *message) {
    snprintf(owner(info)->message, sizeof owner(info)->message, "%s", message);
    leave(info, status);
}

static void error_exit(j_common_ptr info) {
    info->err->format_message(info, owner(info)->message);
    switch (info->err->msg_code) {
    case JERR_NO_SOI: leave(info, APOD_NOT_IMAGE);
    case JERR_INPUT_EOF:
    case JERR_INPUT_EMPTY: leave(info, APOD_TRUNCATED);
    case JERR_OUT_OF_MEMORY: leave(info, APOD_NO_MEMORY);
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW: leave(info, APOD_TOO_LARGE);
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_NOTIMPL: leave(info, APOD_UNSUPPORTED);
    default: leave(info, APOD_CORRUPT);
    }
}

/// libjpeg only warns of damage and continues. Without `allows_damage`, a warning about lost pixels is an error.
/// Ignores warnings without a visible effect, such as bytes between segments or odd scan parameters.
static void emit_message(j_common_ptr info, int level) {
    apod_jpeg_decoder *decoder = owner(info);
    // After the end of truncated data, missing pixels cause further warnings. These pixels are gray, or show the
    // earlier scans.
    if (level >= 0 || decoder->is_truncated) return;
    if (info->err->msg_code == JWRN_HIT_MARKER && decoder->allows_truncated && !decoder->allows_damage) {
        decoder->is_truncated = 1;
        return;
    }
    switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
        info->err->format_message(info, owner(info)->message);
        leave(info, APOD_TRUNCATED);
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
        if (decoder->allows_damage) {
            decoder->is_damaged = 1;
            return;
        }
        info->err->format_message(info, owner(info)->message);
        leave(info, APOD_CORRUPT);
    default: break;
    }
}

static void do_nothing(j_decompress_ptr info) { (void)info; }

static boolean fill_input_buffer(j_decompress_ptr info) {
    apod_jpeg_decoder *decoder = owner((j_common_ptr)info);
    const ptrdiff_t count =
        decoder->input.read(decoder->input.context, decoder->buffer, INPUT_BUFFER_BYTES, decoder->offset);
    if (count < 0) leave((j_common_ptr)info, APOD_STOPPED);
    if (count == 0 && decoder->allows_truncated && decoder->is_started) {
        static const JOCTET end[] = {0xFF, JPEG_EOI};
        decoder->is_truncated = 1;
        decoder->source.next_input_byte = end;
        decoder->source.bytes_in_buffer = sizeof end;
        return TRUE;
    }
    if (count == 0) leave_saying((j_common_ptr)info, APOD_TRUNCATED, "the file ends before the picture is complete");
    decoder->offset += (uint64_t)count;
    decoder->source.next_input_byte = decoder->buffer;
    decoder->source.bytes_in_buffer = (size_t)count;
    return TRUE;
}

static void skip_input_data(j_decompress_ptr info, long count) {
    apod_jpeg_decoder *decoder = owner((j_common_ptr)info);
    if (count <= 0) return;
    if ((size_t)count <= decoder->source.bytes_in_buffer) {
        decoder->source.next_input_byte += count;
        decoder->source.bytes_in_buffer -= (size_t)count;
        return;
    }
    // Continues after the skipped bytes, without reading them.
    decoder->offset += (uint64_t)count - decoder->source.bytes_in_buffer;
    decoder->source.bytes_in_buffer = 0;
}

/// Stops if the caller requests it, and at the scan limit. libjpeg decodes all scans of a progressive picture before
/// the first row. Each scan, regardless of its size, visits every block, so a small file with many tiny scans could
/// take an hour.
static void watch_progress(j_common_ptr common) {
    j_decompress_ptr info = (j_decompress_ptr)common;
    const apod_input input = owner(common)->input;
    if (input.read(input.context, NULL, 0, 0) < 0) leave(common, APOD_STOPPED);
    if (info->is_decompressor && (uint32_t)info->input_scan_number > owner(common)->scan_limit) {
        leave(common, APOD_TOO_MANY_SCANS);
    }
}

static int next_byte(j_decompress_ptr info) {
    if (info->src->bytes_in_buffer == 0) fill_input_buffer(info);
    info->src->bytes_in_buffer--;
    return *info->src->next_input_byte++;
}

/// Collects the parts of an embedded profile like `jpeg_save_markers`, but limits their size.
static boolean read_app2(j_decompress_ptr info) {
    apod_jpeg_decoder *decoder = owner((j_common_ptr)info);
    long rest = next_byte(info) << 8;
    rest |= next_byte(info);
    rest -= 2;
    if (rest < 0) leave_saying((j_common_ptr)info, APOD_CORRUPT, "bogus marker length");
    if (rest <= PROFILE_HEADER_BYTES) {
        skip_input_data(info, rest);
        return TRUE;
    }
    uint8_t header[PROFILE_HEADER_BYTES];
    for (int i = 0; i < PROFILE_HEADER_BYTES; i++) header[i] = (uint8_t)next_byte(info);
    rest -= PROFILE_HEADER_BYTES;
    const int number = header[12];
    const int wanted = memcmp(header, "ICC_PROFILE", 12) == 0 && number > 0 && decoder->parts[number] == NULL
        && decoder->profile_total + (size_t)rest <= PROFILE_LIMIT;
    if (!wanted) {
        skip_input_data(info, rest);
        return TRUE;
    }
    uint8_t *part = malloc((size_t)rest);
    if (part == NULL) leave((j_common_ptr)info, APOD_NO_MEMORY);
    decoder->parts[number] = part;
    for (long i = 0; i < rest; i++) part[i] = (uint8_t)next_byte(info);
    decoder->part_bytes[number] = (size_t)rest;
    decoder->profile_total += (size_t)rest;
    decoder->part_count = header[13];
    return TRUE;
}

/// Joins the parts of the profile. If a part is missing, ignores the profile.
static void join_profile(apod_jpeg_decoder *decoder) {
    if (decoder->part_count == 0 || decoder->profile != NULL) return;
    size_t total = 0;
    for (int i = 1; i <= decoder->part_count; i++) {
        if (decoder->parts[i] == NULL) return;
        total += decoder->part_bytes[i];
    }
    decoder->profile = malloc(total);
    if (decoder->profile == NULL) return;
    uint8_t *end = decoder->profile;
    for (int i = 1; i <= decoder->part_count; i++) {
        memcpy(end, decoder->parts[i], decoder->part_bytes[i]);
        end += decoder->part_bytes[i];
    }
    decoder->profile_total = total;
}

apod_jpeg_decoder *apod_jpeg_open(apod_input input, uint32_t scan_limit, int allows_truncated, int allows_damage) {
    apod_jpeg_decoder *decoder = malloc(sizeof *decoder);
    if (decoder == NULL) return NULL;
    // Does not clear the buffer, so that its pages need no memory before they are filled.
    memset(decoder, 0, offsetof(apod_jpeg_decoder, buffer));
    decoder->input = input;
    decoder->scan_limit = scan_limit;
    decoder->allows_truncated = allows_truncated;
    decoder->allows_damage = allows_damage;
    decoder->info.err = jpeg_std_error(&decoder->errors);
    decoder->errors.error_exit = error_exit;
    decoder->errors.emit_message = emit_message;
    decoder->info.client_data = decoder;
    if (setjmp(decoder->escape)) {
        jpeg_destroy_decompress(&decoder->info);
        free(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);
    decoder->source = (struct jpeg_source_mgr){
        .init_source = do_nothing,
        .fill_input_buffer = fill_input_buffer,
        .skip_input_data = skip_input_data,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = do_nothing,
    };
    decoder->info.src = &decoder->source;
    decoder->progress.progress_monitor = watch_progress;
    decoder->info.progress = &decoder->progress;
    jpeg_set_marker_processor(&decoder->info, JPEG_APP0 + 2, read_app2);
    return decoder;
}

void apod_jpeg_close(apod_jpeg_decoder *decoder) {
    jpeg_destroy_decompress(&decoder->info);
    for (int i = 1; i <= PROFILE_PARTS; i++) free(decoder->parts[i]);
    free(decoder->profile);
    free(decoder);
}

int apod_jpeg_is_truncated(const apod_jpeg_decoder *decoder) { return decoder->is_truncated; }

int apod_jpeg_is_damaged(const apod_jpeg_decoder *decoder) { return decoder->is_damaged; }

const char *apod_jpeg_message(const apod_jpeg_decoder *decoder) { return decoder->message; }

apod_status apod_jpeg_read_header(apod_jpeg_decoder *decoder, apod_jpeg_header *header) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->escape)) return decoder->status;
    jpeg_read_header(info, TRUE);
    join_profile(decoder);
    *header = (apod_jpeg_header){
        .width = info->image_width,
        .height = info->image_height,
        .profile = decoder->profile,
        .profile_bytes = decoder->profile == NULL ? 0 : decoder->profile_total,
    };
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: header->colour = APOD_JPEG_GRAY; break;
    case JCS_YCbCr: header->colour = APOD_JPEG_YCBCR; break;
    case JCS_RGB: header->colour = APOD_JPEG_RGB; break;
    case JCS_CMYK: header->colour = APOD_JPEG_CMYK; break;
    case JCS_YCCK: header->colour = APOD_JPEG_YCCK; break;
    default: leave_saying((j_common_ptr)info, APOD_UNSUPPORTED, "unknown number of components");
    }
    header->coefficient_bytes = 0;
    for (int c = 0; c < info->num_components && jpeg_has_multiple_scans(info); c++) {
        const jpeg_component_info *component = info->comp_info + c;
        // An upper bound: libjpeg rounds the number of blocks up to a multiple of the sampling factor.
        const uint64_t across = component->width_in_blocks + (uint64_t)component->h_samp_factor;
        const uint64_t down = component->height_in_blocks + (uint64_t)component->v_samp_factor;
        header->coefficient_bytes += across * down * sizeof(JBLOCK);
    }
    return APOD_OK;
}

static void set_scale(struct jpeg_decompress_struct *info, int scale) {
    owner((j_common_ptr)info)->is_started = 1;
    info->scale_num = (unsigned)scale;
    info->scale_denom = 8;
    info->dct_method = JDCT_ISLOW;
    // Smoothing would not only estimate the missing details of a truncated progressive picture, but also invent details
    // that the encoder dropped on purpose.
    info->do_block_smoothing = FALSE;
}

apod_status apod_jpeg_start_planes(apod_jpeg_decoder *decoder, int scale, apod_jpeg_plane planes[3]) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->escape)) return decoder->status;
    set_scale(info, scale);
    info->out_color_space = info->jpeg_color_space;
    info->raw_data_out = TRUE;
    if (info->num_components > 3) leave_saying((j_common_ptr)info, APOD_MISUSE, "too many planes");
    jpeg_start_decompress(info);
    for (int c = 0; c < info->num_components; c++) {
        const jpeg_component_info *component = info->comp_info + c;
        const uint32_t block = (uint32_t)component->DCT_scaled_size;
        const double across = (double)component->h_samp_factor * block / (info->max_h_samp_factor * 8.0);
        const double down = (double)component->v_samp_factor * block / (info->max_v_samp_factor * 8.0);
        planes[c] = (apod_jpeg_plane){
            .width = component->downsampled_width,
            .height = component->downsampled_height,
            .extent_width = info->image_width * across,
            .extent_height = info->image_height * down,
            .written_width = component->width_in_blocks * block,
            .group_rows = (uint32_t)component->v_samp_factor * block,
        };
    }
    return APOD_OK;
}

apod_status apod_jpeg_read_planes(apod_jpeg_decoder *decoder, uint8_t **const rows[3]) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->escape)) return decoder->status;
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    const JDIMENSION lines = (JDIMENSION)(info->max_v_samp_factor * info->min_DCT_scaled_size);
    if (jpeg_read_raw_data(info, planes, lines) == 0) {
        leave_saying((j_common_ptr)info, APOD_MISUSE, "no rows are left");
    }
    return APOD_OK;
}

apod_status apod_jpeg_start_rows(apod_jpeg_decoder *decoder, int scale, uint32_t *width, uint32_t *height) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->escape)) return decoder->status;
    set_scale(info, scale);
    switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: info->out_color_space = JCS_GRAYSCALE; break;
    case JCS_CMYK:
    case JCS_YCCK: info->out_color_space = JCS_CMYK; break;
    default: info->out_color_space = JCS_RGB; break;
    }
    jpeg_start_decompress(info);
    *width = info->output_width;
    *height = info->output_height;
    return APOD_OK;
}

apod_status apod_jpeg_read_row(apod_jpeg_decoder *decoder, uint8_t *row) {
    if (setjmp(decoder->escape)) return decoder->status;
    JSAMPROW rows[1] = {row};
    if (jpeg_read_scanlines(&decoder->info, rows, 1) == 0) {
        leave_saying((j_common_ptr)&decoder->info, APOD_MISUSE, "no rows are left");
    }
    return APOD_OK;
}

apod_status apod_jpeg_finish(apod_jpeg_decoder *decoder) {
    if (setjmp(decoder->escape)) return decoder->status;
    jpeg_finish_decompress(&decoder->info);
    return APOD_OK;
}

#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)

const char *apod_jpeg_version(void) {
#ifdef LIBJPEG_TURBO_VERSION
    return "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION);
#else
    return "libjpeg " TEXT(JPEG_LIB_VERSION);
#endif
}
