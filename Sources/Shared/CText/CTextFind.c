#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CText.h"

#include <CLibraryLoading.h>
#include <pthread.h>

// MARK: fontconfig (fontconfig.h)

enum {
    fc_match_pattern = 0,  // FcMatchPattern
    fc_result_match = 0,   // FcResultMatch
};

struct fc_font_set {
    int count;
    int capacity;
    void **fonts;
};

static struct {
    void *(*init_load_config_and_fonts)(void);
    void *(*pattern_create)(void);
    void (*pattern_destroy)(void *pattern);
    int (*pattern_add_string)(void *pattern, const char *object, const unsigned char *value);
    int (*pattern_add_bool)(void *pattern, const char *object, int value);
    int (*pattern_add_char_set)(void *pattern, const char *object, const void *value);
    int (*pattern_get_string)(const void *pattern, const char *object, int n, unsigned char **value);
    int (*pattern_get_integer)(const void *pattern, const char *object, int n, int *value);
    void *(*char_set_create)(void);
    int (*char_set_add_char)(void *set, uint32_t scalar);
    void (*char_set_destroy)(void *set);
    int (*config_substitute)(void *config, void *pattern, int kind);
    void (*default_substitute)(void *pattern);
    struct fc_font_set *(*font_sort)(void *config, void *pattern, int trim, void **covered, int *result);
    void (*font_set_destroy)(struct fc_font_set *set);
} fc;

static void *fc_config;

// MARK: Loading

static pthread_once_t fontconfig_once = PTHREAD_ONCE_INIT;
static const char *fontconfig_error;

static void load_fontconfig(void) {
    CLOADING_NAMES(names, "libfontconfig.so.1", "libfontconfig.1.dylib");
    const struct cloading_function functions[] = {
        {&fc.init_load_config_and_fonts, "FcInitLoadConfigAndFonts"},
        {&fc.pattern_create, "FcPatternCreate"},
        {&fc.pattern_destroy, "FcPatternDestroy"},
        {&fc.pattern_add_string, "FcPatternAddString"},
        {&fc.pattern_add_bool, "FcPatternAddBool"},
        {&fc.pattern_add_char_set, "FcPatternAddCharSet"},
        {&fc.pattern_get_string, "FcPatternGetString"},
        {&fc.pattern_get_integer, "FcPatternGetInteger"},
        {&fc.char_set_create, "FcCharSetCreate"},
        {&fc.char_set_add_char, "FcCharSetAddChar"},
        {&fc.char_set_destroy, "FcCharSetDestroy"},
        {&fc.config_substitute, "FcConfigSubstitute"},
        {&fc.default_substitute, "FcDefaultSubstitute"},
        {&fc.font_sort, "FcFontSort"},
        {&fc.font_set_destroy, "FcFontSetDestroy"},
    };
    void *library = cloading_open(names);
    if (library == NULL) {
        fontconfig_error = "fontconfig cannot be loaded";
    } else if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        fontconfig_error = "fontconfig is older than 2.8";
    } else {
        fc_config = fc.init_load_config_and_fonts();
        if (fc_config == NULL) fontconfig_error = "fontconfig cannot read its configuration";
    }
}

const char *ctext_load_fontconfig(void) {
    pthread_once(&fontconfig_once, load_fontconfig);
    return fontconfig_error;
}

// MARK: Finding fonts

static void *make_pattern(const char *family, const char *language, const uint32_t *scalars, size_t count) {
    void *pattern = fc.pattern_create();
    if (pattern == NULL) return NULL;
    bool is_made = fc.pattern_add_string(pattern, "family", (const unsigned char *)family) != 0
        && fc.pattern_add_bool(pattern, "scalable", 1) != 0 && fc.pattern_add_bool(pattern, "color", 0) != 0;
    if (is_made && language != NULL) {
        is_made = fc.pattern_add_string(pattern, "lang", (const unsigned char *)language) != 0;
    }
    if (is_made && count > 0) {
        void *set = fc.char_set_create();
        is_made = set != NULL;
        for (size_t index = 0; is_made && index < count; index++) {
            is_made = fc.char_set_add_char(set, scalars[index]) != 0;
        }
        if (is_made) is_made = fc.pattern_add_char_set(pattern, "charset", set) != 0;
        if (set != NULL) fc.char_set_destroy(set);
    }
    if (is_made) is_made = fc.config_substitute(fc_config, pattern, fc_match_pattern) != 0;
    if (!is_made) {
        fc.pattern_destroy(pattern);
        return NULL;
    }
    fc.default_substitute(pattern);
    return pattern;
}

bool ctext_find(const char *family, const char *language, const uint32_t *scalars, size_t count, int limit,
                bool (*visit)(void *context, const char *path, int index, const char *family), void *context) {
    void *pattern = make_pattern(family, language, scalars, count);
    if (pattern == NULL) return false;
    int result = 0;
    struct fc_font_set *set = fc.font_sort(fc_config, pattern, 0, NULL, &result);
    fc.pattern_destroy(pattern);
    if (set == NULL) return false;
    for (int at = 0; at < set->count && at < limit; at++) {
        unsigned char *path = NULL;
        unsigned char *name = NULL;
        int index = 0;
        if (fc.pattern_get_string(set->fonts[at], "file", 0, &path) != fc_result_match || path == NULL) continue;
        fc.pattern_get_integer(set->fonts[at], "index", 0, &index);
        if (fc.pattern_get_string(set->fonts[at], "family", 0, &name) != fc_result_match || name == NULL) name = path;
        if (!visit(context, (const char *)path, index, (const char *)name)) break;
    }
    fc.font_set_destroy(set);
    return true;
}
