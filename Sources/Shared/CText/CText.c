#include "CText.h"

#include <CLibraryLoading.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rectangle { int x, y, width, height; };
struct matrix { double xx, yx, xy, yy, x0, y0; };
struct font_set { int count, capacity; void **patterns; };

// The required functions, unchanged since Pango 1.44, Cairo 1.10 and fontconfig 2.12.5.
#define FUNCTIONS(F) \
    F(FcInitLoadConfig, void *, (void)) \
    F(FcConfigParseAndLoadFromMemory, int, (void *config, const char *rules, int complains)) \
    F(FcConfigBuildFonts, int, (void *config)) \
    F(FcConfigSetCurrent, int, (void *config)) \
    F(FcConfigGetFonts, struct font_set *, (void *config, int set)) \
    F(FcConfigAppFontAddFile, int, (void *config, const char *file)) \
    F(FcConfigAppFontClear, void, (void *config)) \
    F(FcPatternGetBool, int, (void *pattern, const char *object, int n, int *value)) \
    F(FcPatternDel, int, (void *pattern, const char *object)) \
    F(FcPatternAddString, int, (void *pattern, const char *object, const char *value)) \
    F(g_object_unref, void, (void *object)) \
    F(pango_cairo_font_map_new_for_font_type, void *, (int type)) \
    F(pango_fc_font_map_config_changed, void, (void *map)) \
    F(pango_font_map_create_context, void *, (void *map)) \
    F(pango_context_set_language, void, (void *context, void *language)) \
    F(pango_context_set_round_glyph_positions, void, (void *context, int rounds)) \
    F(pango_context_load_font, void *, (void *context, void *description)) \
    F(pango_context_load_fontset, void *, (void *context, void *description, void *language)) \
    F(pango_fontset_get_font, void *, (void *fonts, unsigned scalar)) \
    F(pango_font_has_char, int, (void *font, uint32_t scalar)) \
    F(pango_font_describe, void *, (void *font)) \
    F(pango_language_from_string, void *, (const char *tag)) \
    F(pango_font_description_new, void *, (void)) \
    F(pango_font_description_free, void, (void *description)) \
    F(pango_font_description_set_family, void, (void *description, const char *family)) \
    F(pango_font_description_get_family, const char *, (void *description)) \
    F(pango_font_description_set_absolute_size, void, (void *description, double size)) \
    F(pango_attr_list_new, void *, (void)) \
    F(pango_attr_list_insert, void, (void *list, void *attribute)) \
    F(pango_attr_insert_hyphens_new, void *, (int inserts)) \
    F(pango_layout_new, void *, (void *context)) \
    F(pango_layout_set_attributes, void, (void *layout, void *list)) \
    F(pango_layout_set_font_description, void, (void *layout, void *description)) \
    F(pango_layout_set_text, void, (void *layout, const char *text, int length)) \
    F(pango_layout_set_width, void, (void *layout, int width)) \
    F(pango_layout_set_wrap, void, (void *layout, int wrap)) \
    F(pango_layout_set_height, void, (void *layout, int height)) \
    F(pango_layout_set_ellipsize, void, (void *layout, int ellipsize)) \
    F(pango_layout_get_line_count, int, (void *layout)) \
    F(pango_layout_get_baseline, int, (void *layout)) \
    F(pango_layout_get_extents, void, (void *layout, struct rectangle *ink, struct rectangle *logical)) \
    F(pango_layout_get_line_readonly, void *, (void *layout, int line)) \
    F(pango_layout_line_get_extents, void, (void *line, struct rectangle *ink, struct rectangle *logical)) \
    F(pango_find_base_dir, int, (const char *text, int length)) \
    F(pango_cairo_layout_line_path, void, (void *cairo, void *line)) \
    F(cairo_image_surface_create_for_data, void *, (uint8_t *rows, int format, int width, int height, int pitch)) \
    F(cairo_surface_destroy, void, (void *surface)) \
    F(cairo_create, void *, (void *surface)) \
    F(cairo_destroy, void, (void *cairo)) \
    F(cairo_status, int, (void *cairo)) \
    F(cairo_set_matrix, void, (void *cairo, const struct matrix *matrix)) \
    F(cairo_fill, void, (void *cairo))
FUNCTIONS(CLOADING_DECLARED)

enum { FC_SET_SYSTEM = 0, FC_SET_APPLICATION = 1, CAIRO_FONT_TYPE_FT = 1, CAIRO_FORMAT_A8 = 2 };
enum { PANGO_DIRECTION_RTL = 1, PANGO_WRAP_WORD = 0, PANGO_WRAP_WORD_CHAR = 2, PANGO_ELLIPSIZE_END = 3 };

// An em in Pango's units: 64 pixels of 1024 units. A line of 2,000 of the widest letters stays below 2^31. Text is laid
// out at this size and scaled when it is drawn, so lines break at the same places at every size.
static const double em = 64 * 1024;

struct ctext_layout {
    void *context, *fonts, *layout, *found;
    bool is_right_to_left;
};

static void *map, *attributes;

static const char *load(void) {
    // Allow only outline fonts without colours, and turn off hinting.
    static const char rules[] =
        "<fontconfig><selectfont><rejectfont>"
        "<pattern><patelt name='outline'><bool>false</bool></patelt></pattern>"
        "<pattern><patelt name='color'><bool>true</bool></patelt></pattern></rejectfont></selectfont>"
        "<match target='font'><edit name='hinting' mode='assign'><bool>false</bool></edit></match></fontconfig>";
    // dlsym also searches the libraries that libpangocairo depends on.
    void *library = cloading_open(CLOADING_NAMES("libpangocairo-1.0.0.dylib", "libpangocairo-1.0.so.0"));
    if (library == NULL) return "Pango cannot be loaded";
    if (!CLOADING_FIND(library, FUNCTIONS)) return "Pango is older than 1.44";
    void *config = FcInitLoadConfig();
    if (config == NULL || !FcConfigParseAndLoadFromMemory(config, rules, 0) || !FcConfigBuildFonts(config)
        || !FcConfigSetCurrent(config)) {
        return "fontconfig cannot read its configuration";
    }
    map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT);
    attributes = pango_attr_list_new();
    // Do not insert hyphens, because a hyphen in a wrapped URL would look like a part of the URL.
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0));
    return map == NULL ? "Pango was built without fontconfig" : NULL;
}

const char *ctext_load(void) {
    static bool is_loaded;
    static const char *error;
    if (!is_loaded) error = load();
    is_loaded = true;
    return error;
}

// Adds the font in `file` as `family`, and removes the previous file. If `file` is NULL, only removes the previous
// file. Returns whether the font has outlines.
static bool set_file(const char *file, const char *family) {
    static char *present;
    static int has_outlines = 1;
    // Scanning a large file takes 10 ms, so do not scan the same file again.
    if (strcmp(file != NULL ? file : "", present != NULL ? present : "") == 0) return has_outlines;
    free(present);
    present = file != NULL ? strdup(file) : NULL;
    FcConfigAppFontClear(NULL);
    bool is_added = file != NULL && FcConfigAppFontAddFile(NULL, file);
    struct font_set *fonts = is_added ? FcConfigGetFonts(NULL, FC_SET_APPLICATION) : NULL;
    has_outlines = file == NULL;
    if (fonts != NULL && fonts->count > 0) {
        FcPatternGetBool(fonts->patterns[0], "outline", 0, &has_outlines);
        FcPatternDel(fonts->patterns[0], "family");
        FcPatternAddString(fonts->patterns[0], "family", family);
    }
    pango_fc_font_map_config_changed(map);
    return has_outlines;
}

ctext_layout *ctext_open(const char *family, const char *file, const char *tag) {
    if (!set_file(file, family)) return NULL;
    // Pango aborts the process if there is no font.
    const struct font_set *installed = FcConfigGetFonts(NULL, FC_SET_SYSTEM);
    if (file == NULL && (installed == NULL || installed->count == 0)) return NULL;
    ctext_layout *layout = calloc(1, sizeof *layout);
    if (layout == NULL) return NULL;
    layout->context = pango_font_map_create_context(map);
    pango_context_set_round_glyph_positions(layout->context, 0);
    void *language = pango_language_from_string(tag);
    pango_context_set_language(layout->context, language);
    void *description = pango_font_description_new();
    pango_font_description_set_family(description, family);
    pango_font_description_set_absolute_size(description, em);
    void *font = pango_context_load_font(layout->context, description);
    if (font != NULL) {
        layout->found = pango_font_describe(font);
        g_object_unref(font);
        layout->fonts = pango_context_load_fontset(layout->context, description, language);
        layout->layout = pango_layout_new(layout->context);
        pango_layout_set_font_description(layout->layout, description);
        pango_layout_set_attributes(layout->layout, attributes);
    }
    pango_font_description_free(description);
    if (font != NULL) return layout;
    g_object_unref(layout->context);
    free(layout);
    return NULL;
}

void ctext_close(ctext_layout *layout) {
    pango_font_description_free(layout->found);
    g_object_unref(layout->layout);
    g_object_unref(layout->fonts);
    g_object_unref(layout->context);
    free(layout);
}

const char *ctext_family(ctext_layout *layout) {
    const char *family = pango_font_description_get_family(layout->found);
    return family != NULL ? family : "";
}

bool ctext_has(ctext_layout *layout, uint32_t scalar) {
    void *font = pango_fontset_get_font(layout->fonts, scalar);
    bool has = font != NULL && pango_font_has_char(font, scalar);
    if (font != NULL) g_object_unref(font);
    return has;
}

static ctext_lines measured(void *layout) {
    struct rectangle extents;
    pango_layout_get_extents(layout, NULL, &extents);
    int ascent = pango_layout_get_baseline(layout);
    return (ctext_lines){pango_layout_get_line_count(layout), extents.width / em, ascent / em,
                         (extents.height - ascent) / em};
}

ctext_lines ctext_set_text(ctext_layout *layout, const char *text, size_t length) {
    layout->is_right_to_left = pango_find_base_dir(text, (int)length) == PANGO_DIRECTION_RTL;
    pango_layout_set_text(layout->layout, text, (int)length);
    pango_layout_set_width(layout->layout, -1);
    return measured(layout->layout);
}

ctext_lines ctext_wrap(ctext_layout *layout, double width, bool breaks_words, int limit) {
    pango_layout_set_width(layout->layout, (int)(fmin(width, 16384) * em));
    pango_layout_set_wrap(layout->layout, breaks_words ? PANGO_WRAP_WORD_CHAR : PANGO_WRAP_WORD);
    pango_layout_set_ellipsize(layout->layout, limit > 0 ? PANGO_ELLIPSIZE_END : 0);
    pango_layout_set_height(layout->layout, -limit);
    return measured(layout->layout);
}

bool ctext_draw(ctext_layout *layout, ctext_place place, uint8_t *rows, int width, int height, int pitch) {
    void *surface = cairo_image_surface_create_for_data(rows, CAIRO_FORMAT_A8, width, height, pitch);
    void *cairo = cairo_create(surface);
    double scale = place.size / em * 1024;
    int count = pango_layout_get_line_count(layout->layout);
    for (int index = 0; index < count; index++) {
        void *line = pango_layout_get_line_readonly(layout->layout, index);
        struct rectangle extents;
        pango_layout_line_get_extents(line, NULL, &extents);
        double room = width - 2 * place.margin - extents.width / em * place.size;
        double indent = place.is_centered ? room / 2 : layout->is_right_to_left ? room : 0;
        // Align baselines to pixels, which keeps the letters sharp.
        struct matrix matrix = {
            scale, 0, 0, scale, place.margin + indent, round(place.baseline + index * place.line_height)};
        cairo_set_matrix(cairo, &matrix);
        // Draw outlines rather than glyphs: Cairo before 1.17.4 places glyphs only at whole pixels.
        pango_cairo_layout_line_path(cairo, line);
        cairo_fill(cairo);
    }
    bool is_drawn = cairo_status(cairo) == 0;
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    return is_drawn;
}
