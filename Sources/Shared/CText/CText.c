#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CText.h"

#include <CLibraryLoading.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// MARK: HarfBuzz (hb-common.h, hb-buffer.h, hb-font.h)

enum {
    hb_read_only = 1,       // HB_MEMORY_MODE_READONLY
    hb_left_to_right = 4,   // HB_DIRECTION_LTR
    hb_right_to_left = 5,   // HB_DIRECTION_RTL
    hb_text_is_whole = 3,   // HB_BUFFER_FLAG_BOT | HB_BUFFER_FLAG_EOT
};

struct hb_glyph_info {
    uint32_t codepoint;
    uint32_t mask;
    uint32_t cluster;
    uint32_t private[2];
};

struct hb_glyph_position {
    int32_t x_advance;
    int32_t y_advance;
    int32_t x_offset;
    int32_t y_offset;
    uint32_t private;
};

struct hb_font_extents {
    int32_t ascender;
    int32_t descender;
    int32_t line_gap;
    int32_t reserved[9];
};

static struct {
    void *(*blob_create)(const char *bytes, unsigned int length, int mode, void *user, void (*destroy)(void *user));
    void (*blob_destroy)(void *blob);
    void *(*face_create)(void *blob, unsigned int index);
    void (*face_destroy)(void *face);
    unsigned int (*face_get_glyph_count)(const void *face);
    void *(*font_create)(void *face);
    void (*font_destroy)(void *font);
    void (*font_set_scale)(void *font, int x, int y);
    void (*ot_font_set_funcs)(void *font);
    int (*font_get_nominal_glyph)(void *font, uint32_t scalar, uint32_t *glyph);
    void (*font_get_extents_for_direction)(void *font, int direction, struct hb_font_extents *extents);
    void *(*buffer_create)(void);
    void (*buffer_destroy)(void *buffer);
    void (*buffer_clear_contents)(void *buffer);
    int (*buffer_allocation_successful)(void *buffer);
    void (*buffer_set_flags)(void *buffer, int flags);
    void (*buffer_set_direction)(void *buffer, int direction);
    void (*buffer_set_language)(void *buffer, const void *language);
    void (*buffer_add_utf32)(void *buffer, const uint32_t *text, int length, unsigned int offset, int count);
    void (*buffer_guess_segment_properties)(void *buffer);
    struct hb_glyph_info *(*buffer_get_glyph_infos)(void *buffer, unsigned int *length);
    struct hb_glyph_position *(*buffer_get_glyph_positions)(void *buffer, unsigned int *length);
    const void *(*language_from_string)(const char *text, int length);
    void (*shape)(void *font, void *buffer, const void *features, unsigned int count);
    void *(*unicode_funcs_get_default)(void);
    uint32_t (*unicode_script)(void *funcs, uint32_t scalar);
} hb;

// MARK: FreeType (freetype.h, ftimage.h): its structures up to the last field that is used

enum {
    ft_scalable = 1 << 0,                      // FT_FACE_FLAG_SCALABLE
    ft_no_hinting = 1 << 1,                    // FT_LOAD_NO_HINTING: no program of a font is run
    ft_no_bitmap = 1 << 3,                     // FT_LOAD_NO_BITMAP
    ft_outline_format = 0x6F75746C,            // FT_GLYPH_FORMAT_OUTLINE, 'outl'
    ft_render_normal = 0,                      // FT_RENDER_MODE_NORMAL
    ft_gray = 2,                               // FT_PIXEL_MODE_GRAY
};

struct ft_generic {
    void *data;
    void (*finalizer)(void *object);
};

struct ft_vector {
    long x;
    long y;
};

struct ft_box {
    long x_min, y_min, x_max, y_max;
};

struct ft_bitmap {
    unsigned int rows;
    unsigned int width;
    int pitch;
    unsigned char *buffer;
    unsigned short num_grays;
    unsigned char pixel_mode;
    unsigned char palette_mode;
    void *palette;
};

struct ft_outline {
    short contour_count;
    short point_count;
    struct ft_vector *points;
    char *tags;
    short *contours;
    int flags;
};

struct ft_slot {
    void *library;
    struct ft_face *face;
    struct ft_slot *next;
    unsigned int glyph_index;
    struct ft_generic generic;
    long metrics[8];
    long linear_advances[2];
    struct ft_vector advance;
    int format;
    struct ft_bitmap bitmap;
    int bitmap_left;
    int bitmap_top;
    struct ft_outline outline;
};

struct ft_face {
    long num_faces;
    long face_index;
    long face_flags;
    long style_flags;
    long num_glyphs;
    char *family_name;
    char *style_name;
    int num_fixed_sizes;
    void *available_sizes;
    int num_charmaps;
    void *charmaps;
    struct ft_generic generic;
    struct ft_box bounds;
    unsigned short units_per_em;
    short ascender;
    short descender;
    short height;
    short max_advance_width;
    short max_advance_height;
    short underline_position;
    short underline_thickness;
    struct ft_slot *glyph;
};

static struct {
    int (*init)(void **library);
    int (*done)(void *library);
    int (*new_memory_face)(void *library, const unsigned char *bytes, long count, long index, struct ft_face **face);
    int (*done_face)(struct ft_face *face);
    int (*set_char_size)(struct ft_face *face, long width, long height, unsigned int x_dpi, unsigned int y_dpi);
    int (*load_glyph)(struct ft_face *face, unsigned int glyph, int32_t flags);
    void (*outline_translate)(const struct ft_outline *outline, long x, long y);
    void (*outline_get_cbox)(const struct ft_outline *outline, struct ft_box *box);
    int (*render_glyph)(struct ft_slot *slot, int mode);
} ft;

// MARK: Loading

static pthread_once_t drawing_once = PTHREAD_ONCE_INIT;
static const char *drawing_error;

static void load_drawing(void) {
    CLOADING_NAMES(harfbuzz_names, "libharfbuzz.so.0", "libharfbuzz.0.dylib");
    CLOADING_NAMES(freetype_names, "libfreetype.so.6", "libfreetype.6.dylib");
    const struct cloading_function harfbuzz[] = {
        {&hb.blob_create, "hb_blob_create"},
        {&hb.blob_destroy, "hb_blob_destroy"},
        {&hb.face_create, "hb_face_create"},
        {&hb.face_destroy, "hb_face_destroy"},
        {&hb.face_get_glyph_count, "hb_face_get_glyph_count"},
        {&hb.font_create, "hb_font_create"},
        {&hb.font_destroy, "hb_font_destroy"},
        {&hb.font_set_scale, "hb_font_set_scale"},
        {&hb.ot_font_set_funcs, "hb_ot_font_set_funcs"},
        {&hb.font_get_nominal_glyph, "hb_font_get_nominal_glyph"},
        {&hb.font_get_extents_for_direction, "hb_font_get_extents_for_direction"},
        {&hb.buffer_create, "hb_buffer_create"},
        {&hb.buffer_destroy, "hb_buffer_destroy"},
        {&hb.buffer_clear_contents, "hb_buffer_clear_contents"},
        {&hb.buffer_allocation_successful, "hb_buffer_allocation_successful"},
        {&hb.buffer_set_flags, "hb_buffer_set_flags"},
        {&hb.buffer_set_direction, "hb_buffer_set_direction"},
        {&hb.buffer_set_language, "hb_buffer_set_language"},
        {&hb.buffer_add_utf32, "hb_buffer_add_utf32"},
        {&hb.buffer_guess_segment_properties, "hb_buffer_guess_segment_properties"},
        {&hb.buffer_get_glyph_infos, "hb_buffer_get_glyph_infos"},
        {&hb.buffer_get_glyph_positions, "hb_buffer_get_glyph_positions"},
        {&hb.language_from_string, "hb_language_from_string"},
        {&hb.shape, "hb_shape"},
        {&hb.unicode_funcs_get_default, "hb_unicode_funcs_get_default"},
        {&hb.unicode_script, "hb_unicode_script"},
    };
    const struct cloading_function freetype[] = {
        {&ft.init, "FT_Init_FreeType"},
        {&ft.done, "FT_Done_FreeType"},
        {&ft.new_memory_face, "FT_New_Memory_Face"},
        {&ft.done_face, "FT_Done_Face"},
        {&ft.set_char_size, "FT_Set_Char_Size"},
        {&ft.load_glyph, "FT_Load_Glyph"},
        {&ft.outline_translate, "FT_Outline_Translate"},
        {&ft.outline_get_cbox, "FT_Outline_Get_CBox"},
        {&ft.render_glyph, "FT_Render_Glyph"},
    };
    // FreeType first, as HarfBuzz may need it too: the one that is missing is to be named.
    void *library = cloading_open(freetype_names);
    if (library == NULL) {
        drawing_error = "FreeType cannot be loaded";
    } else if (!cloading_find(library, freetype, CLOADING_COUNT(freetype))) {
        drawing_error = "FreeType is older than 2.3";
    } else if ((library = cloading_open(harfbuzz_names)) == NULL) {
        drawing_error = "HarfBuzz cannot be loaded";
    } else if (!cloading_find(library, harfbuzz, CLOADING_COUNT(harfbuzz))) {
        drawing_error = "HarfBuzz is older than 1.2.3";
    }
}

const char *ctext_load(void) {
    pthread_once(&drawing_once, load_drawing);
    return drawing_error;
}

// MARK: Fonts

// The largest font files, collections of all of CJK in all weights, have some 100 MB.
static const off_t largest_file = 256 << 20;

struct ctext_font {
    void *bytes;
    size_t byte_count;
    void *hb_font;
    void *hb_buffer;
    void *ft_library;
    struct ft_face *ft_face;
    int size;
};

static ctext_outcome map_file(ctext_font *font, const char *path) {
    // Not blocking, so that a named pipe is seen to be none rather than waited for.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return CTEXT_UNREADABLE;
    struct stat status;
    ctext_outcome outcome = CTEXT_OPENED;
    if (fstat(descriptor, &status) != 0) {
        outcome = CTEXT_UNREADABLE;
    } else if (!S_ISREG(status.st_mode) || status.st_size <= 0) {
        outcome = CTEXT_NO_FONT;
    } else if (status.st_size > largest_file) {
        outcome = CTEXT_TOO_LARGE;
    } else {
        font->byte_count = (size_t)status.st_size;
        font->bytes = mmap(NULL, font->byte_count, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (font->bytes == MAP_FAILED) {
            font->bytes = NULL;
            outcome = CTEXT_UNREADABLE;
        }
    }
    int error = errno;
    close(descriptor);
    errno = error;
    return outcome;
}

static bool open_in_harfbuzz(ctext_font *font, int index) {
    void *blob = hb.blob_create(font->bytes, (unsigned int)font->byte_count, hb_read_only, NULL, NULL);
    void *face = hb.face_create(blob, (unsigned int)index);
    // Objects count their users: the font keeps the face, the face its blob.
    hb.blob_destroy(blob);
    bool has_glyphs = hb.face_get_glyph_count(face) > 0;
    font->hb_font = hb.font_create(face);
    hb.face_destroy(face);
    hb.ot_font_set_funcs(font->hb_font);
    hb.font_set_scale(font->hb_font, CTEXT_EM, CTEXT_EM);
    font->hb_buffer = hb.buffer_create();
    return has_glyphs && hb.buffer_allocation_successful(font->hb_buffer);
}

static bool open_in_freetype(ctext_font *font, int index) {
    if (ft.init(&font->ft_library) != 0) {
        font->ft_library = NULL;
        return false;
    }
    if (ft.new_memory_face(font->ft_library, font->bytes, (long)font->byte_count, index, &font->ft_face) != 0) {
        font->ft_face = NULL;
        return false;
    }
    return (font->ft_face->face_flags & ft_scalable) != 0 && font->ft_face->glyph != NULL;
}

ctext_outcome ctext_open(const char *path, int index, ctext_font **result) {
    *result = NULL;
    ctext_font *font = calloc(1, sizeof *font);
    if (font == NULL) return CTEXT_UNREADABLE;
    ctext_outcome outcome = map_file(font, path);
    // fontconfig names an instance of a variable font in the high bits; the font's default is drawn.
    index &= 0xFFFF;
    if (outcome == CTEXT_OPENED && !(open_in_harfbuzz(font, index) && open_in_freetype(font, index))) {
        outcome = CTEXT_NO_FONT;
    }
    if (outcome == CTEXT_OPENED) {
        *result = font;
    } else {
        int error = errno;
        ctext_close(font);
        errno = error;
    }
    return outcome;
}

void ctext_close(ctext_font *font) {
    if (font == NULL) return;
    if (font->ft_face != NULL) ft.done_face(font->ft_face);
    if (font->ft_library != NULL) ft.done(font->ft_library);
    if (font->hb_buffer != NULL) hb.buffer_destroy(font->hb_buffer);
    if (font->hb_font != NULL) hb.font_destroy(font->hb_font);
    // Last, as all of the above look at it.
    if (font->bytes != NULL) munmap(font->bytes, font->byte_count);
    free(font);
}

bool ctext_has(ctext_font *font, uint32_t scalar) {
    uint32_t glyph = 0;
    return hb.font_get_nominal_glyph(font->hb_font, scalar, &glyph) != 0 && glyph != 0;
}

uint32_t ctext_script(uint32_t scalar) { return hb.unicode_script(hb.unicode_funcs_get_default(), scalar); }

ctext_extents ctext_line_extents(ctext_font *font) {
    struct hb_font_extents extents;
    memset(&extents, 0, sizeof extents);
    hb.font_get_extents_for_direction(font->hb_font, hb_left_to_right, &extents);
    // HarfBuzz counts up, so that what lies below the baseline is negative.
    int32_t descent = extents.descender == INT32_MIN ? INT32_MAX : -extents.descender;
    return (ctext_extents){.ascent = extents.ascender, .descent = descent};
}

ptrdiff_t ctext_shape(ctext_font *font, const uint32_t *scalars, size_t count, bool right_to_left,
                      const char *language, ctext_glyph *glyphs, size_t capacity) {
    if (count > 1 << 20) return -1;
    void *buffer = font->hb_buffer;
    hb.buffer_clear_contents(buffer);
    hb.buffer_set_flags(buffer, hb_text_is_whole);
    hb.buffer_set_direction(buffer, right_to_left ? hb_right_to_left : hb_left_to_right);
    // Else HarfBuzz asks the process's locale, and one text would be drawn in several ways.
    hb.buffer_set_language(buffer, hb.language_from_string(language != NULL ? language : "en", -1));
    hb.buffer_add_utf32(buffer, scalars, (int)count, 0, (int)count);
    hb.buffer_guess_segment_properties(buffer);
    hb.shape(font->hb_font, buffer, NULL, 0);
    if (!hb.buffer_allocation_successful(buffer)) return -1;
    unsigned int length = 0;
    unsigned int position_count = 0;
    const struct hb_glyph_info *infos = hb.buffer_get_glyph_infos(buffer, &length);
    const struct hb_glyph_position *positions = hb.buffer_get_glyph_positions(buffer, &position_count);
    if (infos == NULL || positions == NULL || position_count < length) return length == 0 ? 0 : -1;
    for (size_t index = 0; index < length && index < capacity; index++) {
        glyphs[index] = (ctext_glyph){
            .glyph = infos[index].codepoint,
            .cluster = infos[index].cluster,
            .advance = positions[index].x_advance,
            .x_offset = positions[index].x_offset,
            .y_offset = positions[index].y_offset,
        };
    }
    return length;
}

bool ctext_draw(ctext_font *font, uint32_t glyph, int size, int shift, ctext_coverage *coverage) {
    if (size <= 0 || size > 2048 * 64) return false;
    if (font->size != size) {
        // At 72 dots per inch a point is a pixel.
        if (ft.set_char_size(font->ft_face, 0, size, 72, 72) != 0) return false;
        font->size = size;
    }
    if (ft.load_glyph(font->ft_face, glyph, ft_no_hinting | ft_no_bitmap) != 0) return false;
    struct ft_slot *slot = font->ft_face->glyph;
    if (slot->format != ft_outline_format || slot->outline.point_count == 0) return false;
    if (shift != 0) ft.outline_translate(&slot->outline, shift, 0);
    // The box of all points, which no curve leaves: what FreeType is about to allocate is known before it does.
    struct ft_box box;
    ft.outline_get_cbox(&slot->outline, &box);
    const long limit = 8L * size;
    if (box.x_min < -limit || box.y_min < -limit || box.x_max > limit || box.y_max > limit) return false;
    if (ft.render_glyph(slot, ft_render_normal) != 0) return false;
    const struct ft_bitmap *bitmap = &slot->bitmap;
    if (bitmap->buffer == NULL || bitmap->rows == 0 || bitmap->width == 0 || bitmap->pixel_mode != ft_gray) {
        return false;
    }
    // A negative pitch has its rows from the bottom, and a buffer that begins with the bottom one.
    const uint8_t *rows = bitmap->buffer;
    if (bitmap->pitch < 0) rows -= (ptrdiff_t)bitmap->pitch * ((ptrdiff_t)bitmap->rows - 1);
    *coverage = (ctext_coverage){
        .rows = rows,
        .pitch = bitmap->pitch,
        .width = (int32_t)bitmap->width,
        .height = (int32_t)bitmap->rows,
        .left = slot->bitmap_left,
        .top = slot->bitmap_top,
    };
    return true;
}
