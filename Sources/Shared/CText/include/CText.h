// Text by Pango, which brings Cairo, HarfBuzz, FreeType and fontconfig. All are loaded when text is first drawn: runs
// that draw none do not pay for them, and building needs none of their headers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads Pango and the list of fonts, the first time it is called. Returns NULL if text can be drawn, else the reason,
/// which lives as long as the process. One thread at a time may call the functions of this header.
const char *_Nullable ctext_load(void);

/// A text and its font. Lengths are in ems: nothing is hinted, so at twice the size all is twice as wide.
typedef struct ctext_layout ctext_layout;

typedef struct {
    int count;
    double width;            // of the widest line
    double ascent, descent;  // of the first line, as its fonts say, which may be any numbers
} ctext_lines;

/// Where lines are drawn, in pixels.
typedef struct {
    double size;    // of an em
    double margin;  // at the left and the right
    double baseline, line_height;
    bool is_centered;  // otherwise lines begin where reading begins
} ctext_place;

/// Finds a font: the first of `file`, otherwise one of `family`. Other fonts draw the characters that it lacks.
/// `language` is a BCP 47 tag, which decides how ideographs look. Returns NULL if the file has no outlines, or if there
/// is no font.
ctext_layout *_Nullable ctext_open(const char *family, const char *_Nullable file, const char *language);
void ctext_close(ctext_layout *layout);

/// The family of the font that was found.
const char *ctext_family(ctext_layout *layout);

/// Whether any font has the character.
bool ctext_has(ctext_layout *layout, uint32_t scalar);

/// Puts a text into one line: UTF-8, in which nothing is markup.
ctext_lines ctext_set_text(ctext_layout *layout, const char *text, size_t length);

/// Wraps the text. Words that are too wide stay whole unless `breaks_words`. An ellipsis replaces the rest after
/// `limit` lines, unless that is 0.
ctext_lines ctext_wrap(ctext_layout *layout, double width, bool breaks_words, int limit);

/// Draws how much of each pixel the letters cover, 0 to 255, to `rows` of `pitch` bytes, a multiple of 4. Returns false
/// without memory, or if the font is damaged.
bool ctext_draw(ctext_layout *layout, ctext_place place, uint8_t *rows, int width, int height, int pitch);

#pragma clang assume_nonnull end
