// Text layout and drawing with Pango, which uses Cairo, HarfBuzz, FreeType and fontconfig. The libraries are loaded
// when text is first drawn: runs without text do not pay for them, and the build needs none of their headers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Loads Pango and the list of fonts on the first call. Returns NULL if text can be drawn. Otherwise, returns the
/// reason as a static string. The functions of this header are not thread-safe.
const char *_Nullable ctext_load(void);

/// A text and its font. Lengths are in ems: without hinting, all widths are proportional to the font size.
typedef struct ctext_layout ctext_layout;

typedef struct {
    int count;
    double width;            // of the widest line
    double ascent, descent;  // of the first line, from the font, which may be wrong
} ctext_lines;

/// The position of drawn lines, in pixels.
typedef struct {
    double size;    // pixels per em
    double margin;  // on the left and on the right
    double baseline, line_height;
    bool is_centered;  // otherwise left-aligned, or right-aligned in right-to-left text
} ctext_place;

/// Opens the first font in `file`, or the font of `family` if `file` is NULL. Other fonts draw the characters that this
/// font lacks. `language`, a BCP 47 tag, selects the regional form of ideographs. Returns NULL if the file has no
/// outlines, or if no font is installed.
ctext_layout *_Nullable ctext_open(const char *family, const char *_Nullable file, const char *language);
void ctext_close(ctext_layout *layout);

/// Returns the family of the opened font.
const char *ctext_family(ctext_layout *layout);

/// Returns whether any font has the character.
bool ctext_has(ctext_layout *layout, uint32_t scalar);

/// Sets the text, UTF-8 without markup, on a single line.
ctext_lines ctext_set_text(ctext_layout *layout, const char *text, size_t length);

/// Wraps the text at `width`. Words wider than `width` are broken only if `breaks_words` is true. If the text needs
/// more than `limit` lines, the last line ends in an ellipsis; a limit of 0 allows any number of lines.
ctext_lines ctext_wrap(ctext_layout *layout, double width, bool breaks_words, int limit);

/// Writes the coverage of each pixel, 0 to 255, into rows of `pitch` bytes (a multiple of 4). Returns false if memory
/// is exhausted or the font is damaged.
bool ctext_draw(ctext_layout *layout, ctext_place place, uint8_t *rows, int width, int height, int pitch);

#pragma clang assume_nonnull end
