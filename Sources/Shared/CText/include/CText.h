// Text: fonts are found by fontconfig, characters shaped by HarfBuzz, glyphs drawn by FreeType, all three loaded when
// text is first drawn.
//
// The signatures and structures in the sources are the binary interfaces of the three libraries, as far as they are
// used: they have been the same since HarfBuzz 1.2.3, FreeType 2.3 and fontconfig 2.8, under these sonames. Declaring
// them makes the headers unnecessary for building and the libraries unnecessary for runs that draw no text.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

// Loads HarfBuzz and FreeType, once for the process, from any thread. Gives NULL when they can be used, else which
// library is missing or too old; the text lives as long as the process.
const char *_Nullable ctext_load(void);

// Loads fontconfig and the system's list of fonts, likewise. The list is kept as long as the process.
const char *_Nullable ctext_load_fontconfig(void);

// A face of a font file. One thread at a time may use it.
typedef struct ctext_font ctext_font;

// Why a font cannot be opened.
typedef enum {
    CTEXT_OPENED,
    CTEXT_UNREADABLE,  // errno says why
    CTEXT_NO_FONT,     // no OpenType font with outlines, or none that both libraries read
    CTEXT_TOO_LARGE,   // over 256 MiB
} ctext_outcome;

// Opens a file's face of that index, for which a file of one face has 0. The file is mapped, not read: a face of a
// collection of 20 MB costs what is looked at. Only after ctext_load has given NULL.
ctext_outcome ctext_open(const char *path, int index, ctext_font *_Nullable *_Nonnull font);
void ctext_close(ctext_font *_Nullable font);

// Whether the font has a glyph for the character.
bool ctext_has(ctext_font *font, uint32_t scalar);

// The script of a character, as the four letters of ISO 15924: CTEXT_COMMON or CTEXT_INHERITED if it has none of its
// own. Only after ctext_load has given NULL.
uint32_t ctext_script(uint32_t scalar);
enum { CTEXT_COMMON = 0x5A797979, CTEXT_INHERITED = 0x5A696E68 };

// All lengths below are in parts of an em.
enum { CTEXT_EM = 16384 };

typedef struct {
    int32_t ascent;   // above the baseline, usually positive
    int32_t descent;  // below the baseline, usually positive
} ctext_extents;

// As the font says, which may be any number.
ctext_extents ctext_line_extents(ctext_font *font);

typedef struct {
    uint32_t glyph;
    uint32_t cluster;  // index of its first character
    int32_t advance;
    int32_t x_offset;  // to the right
    int32_t y_offset;  // up
} ctext_glyph;

// Shapes characters of one direction; glyphs are given from left to right. `language` is a BCP 47 tag. Gives how many
// glyphs there are, of which at most `capacity` are written; -1 without memory.
ptrdiff_t ctext_shape(ctext_font *font, const uint32_t *scalars, size_t count, bool right_to_left,
                      const char *_Nullable language, ctext_glyph *glyphs, size_t capacity);

// How much of each pixel a glyph covers, 0 to 255.
typedef struct {
    const uint8_t *_Nullable rows;  // of the font, until its next glyph is drawn
    ptrdiff_t pitch;                // from a row to the one below
    int32_t width, height;
    int32_t left;  // of the first column, from the origin's pixel to the right
    int32_t top;   // of the first row, from the baseline up
} ctext_coverage;

// Draws a glyph at `size` 64ths of a pixel per em, without hints, its origin `shift` 64ths of a pixel right of a
// pixel's left edge. False if there is nothing to draw, or nothing that is meant well: a glyph may be 8 em wide and
// high at most. `size` may be 2048 pixels at most.
bool ctext_draw(ctext_font *font, uint32_t glyph, int size, int shift, ctext_coverage *coverage);

// Asks fontconfig for fonts like `family` that cover `scalars`, best first, until `visit` gives false, which it is
// called with `limit` times at most. `family` of the call is the font's own. Only after ctext_load_fontconfig has
// given NULL. False without memory.
bool ctext_find(const char *family, const char *_Nullable language, const uint32_t *scalars, size_t count, int limit,
                bool (*visit)(void *_Nullable context, const char *path, int index, const char *family),
                void *_Nullable context);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
