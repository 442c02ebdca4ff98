#include "CCodecs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// LZW as in GIF (GIF89a, appendix F): codes of up to 12 bits, each for a string of palette indices.

enum {
    CODES = 4096,
    // A power of two, four times CODES: a full table fills a quarter of the slots.
    SLOTS = 16384,
    SLOT_BITS = 14,
    // The maximum number of candidate strings. Several strings of equal length may match, because pixels may have
    // several indices.
    PATHS = 8,
    // No string. Strings have codes from 0 to 4095.
    NONE = -1,
};

// A hash table of strings. A string is a shorter string followed by an index. A slot with an older generation counts as
// empty.
typedef struct {
    uint32_t keys[SLOTS];
    uint16_t codes[SLOTS];
    uint32_t generation;
    int next;
} strings;

// Codes that are not written yet, with their total length.
typedef struct {
    uint16_t codes[CODES];
    int count;
    long bits;
} piece;

struct apod_lzw {
    // `per_pixel` possible indices for each pixel. If a pixel has fewer indices, the first is repeated after the last.
    const uint8_t *choices;
    int per_pixel;
    size_t count, position;
    int depth, looks_ahead;
    // The current table, and two tables for trials.
    strings *tables[3];
    // Codes since the last clear code.
    int since_clear;
    // The index that the next string must begin with, because the newest string of the table ends with it. NONE if the
    // next string may begin with any index.
    int forced;
    piece pieces[3];
    uint8_t *output;
    size_t output_count;
    uint64_t buffer;
    int buffered;
};

static uint32_t slot_of(uint32_t key) { return (uint32_t)(key * 2654435769u) >> (32 - SLOT_BITS); }

static void clear_strings(strings *table, int depth) {
    if (++table->generation == CODES) {
        memset(table->keys, 0, sizeof table->keys);
        table->generation = 1;
    }
    // Two codes follow the indices: clear and end.
    table->next = (1 << depth) + 2;
}

static int longer(const strings *table, int code, uint8_t number) {
    uint32_t key = table->generation << 20 | (uint32_t)code << 8 | number;
    for (uint32_t slot = slot_of(key);; slot = (slot + 1) & (SLOTS - 1)) {
        if (table->keys[slot] == key) return table->codes[slot];
        if (table->keys[slot] >> 20 != table->generation) return NONE;
    }
}

// Adds the string `code` followed by `number`, and returns its slot. The caller may empty the slot again before the
// next string is added. If the string already exists, returns NONE; the string keeps its code, and the new code stays
// unused.
static int add(strings *table, int code, uint8_t number) {
    uint32_t key = table->generation << 20 | (uint32_t)code << 8 | number;
    uint32_t slot = slot_of(key);
    for (; table->keys[slot] >> 20 == table->generation; slot = (slot + 1) & (SLOTS - 1)) {
        if (table->keys[slot] == key) return NONE;
    }
    table->keys[slot] = key;
    table->codes[slot] = (uint16_t)table->next;
    return (int)slot;
}

// The longest strings that match the pixels at a position, and the first index of each string.
typedef struct {
    int codes[PATHS];
    uint8_t heads[PATHS];
    int count;
    size_t length;
} match;

static const uint8_t *choices_at(const struct apod_lzw *lzw, size_t place) {
    return lzw->choices + place * (size_t)lzw->per_pixel;
}

// Whether a pixel has more than `k` choices.
static int has_choice(const struct apod_lzw *lzw, const uint8_t *choices, int k) {
    return k == 0 || (k < lzw->per_pixel && choices[k] != choices[0]);
}

static void begin(const struct apod_lzw *lzw, size_t start, int forced, match *found) {
    const uint8_t *choices = choices_at(lzw, start);
    found->length = 1;
    found->count = 0;
    if (forced != NONE) {
        found->codes[found->count++] = forced;
        found->heads[0] = (uint8_t)forced;
        return;
    }
    for (int k = 0; k < PATHS && has_choice(lzw, choices, k); k++) {
        found->heads[found->count] = choices[k];
        found->codes[found->count++] = choices[k];
    }
}

// Extends the strings by one pixel. Returns 0 if no string can be extended.
static int follow(const struct apod_lzw *lzw, const strings *table, size_t start, match *found) {
    size_t place = start + found->length;
    if (place == lzw->count) return 0;
    const uint8_t *choices = choices_at(lzw, place);
    int codes[PATHS], count = 0;
    uint8_t heads[PATHS];
    for (int path = 0; path < found->count; path++) {
        for (int k = 0; count < PATHS && has_choice(lzw, choices, k); k++) {
            int code = longer(table, found->codes[path], choices[k]);
            if (code == NONE) continue;
            heads[count] = found->heads[path];
            codes[count++] = code;
        }
    }
    if (count == 0) return 0;
    memcpy(found->codes, codes, sizeof *codes * (size_t)count);
    memcpy(found->heads, heads, (size_t)count);
    found->count = count;
    found->length++;
    return 1;
}

static match longest(const struct apod_lzw *lzw, const strings *table, size_t start, int forced) {
    match found;
    begin(lzw, start, forced, &found);
    while (follow(lzw, table, start, &found)) {}
    return found;
}

// Chooses the string to write, and the index to append to it in the table, so that the written string and the next
// string together cover the most pixels. Replaces an earlier choice only if the new choice covers more pixels.
static void choose(struct apod_lzw *lzw, strings *table, size_t start, const match *found, size_t *best, int *code,
                   int *number) {
    size_t place = start + found->length;
    const uint8_t *numbers = choices_at(lzw, place);
    // Trying all combinations of many choices would take too long, so this appends the first index of the longest next
    // string.
    if (lzw->per_pixel > 2) {
        match behind = longest(lzw, table, place, NONE);
        size_t reach = found->length + behind.length;
        if (*code != NONE && reach <= *best) return;
        *best = reach;
        *code = found->codes[0];
        *number = behind.heads[0];
        return;
    }
    for (int path = 0; path < found->count; path++) {
        for (int choice = 0; has_choice(lzw, numbers, choice); choice++) {
            int slot = table->next < CODES ? add(table, found->codes[path], numbers[choice]) : NONE;
            match behind = longest(lzw, table, place, numbers[choice]);
            if (slot != NONE) table->keys[slot] = 0;
            size_t reach = found->length + behind.length;
            if (*code != NONE && reach <= *best) continue;
            *best = reach;
            *code = found->codes[path];
            *number = numbers[choice];
        }
    }
}

static int width(const struct apod_lzw *lzw, int since_clear) {
    // The highest possible value of the next code.
    int highest = (1 << lzw->depth) + since_clear + 1;
    if (highest >= CODES) return 12;
    int bits = lzw->depth + 1;
    while (highest >> bits != 0) bits++;
    return bits;
}

static void take(struct apod_lzw *lzw, piece *piece, int code, int *since_clear) {
    piece->codes[piece->count++] = (uint16_t)code;
    piece->bits += width(lzw, (*since_clear)++);
}

// Encodes pixels from `*position` into `piece` until the table is full, or up to `end` if the table is already full.
// Returns 0 if the piece exceeds `most` bits.
static int run(struct apod_lzw *lzw, strings *table, int looks_ahead, size_t *position, size_t end, int *forced,
               int *since_clear, long most, piece *piece) {
    int fills = table->next < CODES;
    while (*position < lzw->count && (fills ? table->next < CODES : *position < end)) {
        if (piece->bits > most || piece->count == CODES) return 0;
        size_t start = *position;
        match steps[4];
        int kept = 0;
        match found;
        begin(lzw, start, *forced, &found);
        while (1) {
            steps[kept++ & 3] = found;
            if (!follow(lzw, table, start, &found)) break;
        }
        int code = found.codes[0], number = NONE;
        size_t length = found.length;
        if (start + length < lzw->count) {
            size_t best = 0;
            const uint8_t *next = choices_at(lzw, start + length);
            if (looks_ahead || found.count > 1 || has_choice(lzw, next, 1)) {
                code = NONE;
                choose(lzw, table, start, &found, &best, &code, &number);
                for (int back = 1; back <= looks_ahead && back < kept; back++) {
                    size_t reach = best;
                    choose(lzw, table, start, &steps[(kept - 1 - back) & 3], &best, &code, &number);
                    if (best > reach) length = found.length - (size_t)back;
                }
            } else {
                number = next[0];
            }
            if (table->next < CODES) {
                add(table, code, (uint8_t)number);
                table->next++;
            } else if (!looks_ahead) {
                number = NONE;
            }
        }
        take(lzw, piece, code, since_clear);
        *forced = number;
        *position += length;
    }
    return 1;
}

static void put(struct apod_lzw *lzw, int code, int bits) {
    lzw->buffer |= (uint64_t)code << lzw->buffered;
    lzw->buffered += bits;
    while (lzw->buffered >= 8) {
        lzw->output[lzw->output_count++] = (uint8_t)lzw->buffer;
        lzw->buffer >>= 8;
        lzw->buffered -= 8;
    }
}

static void put_clear(struct apod_lzw *lzw) {
    put(lzw, 1 << lzw->depth, width(lzw, lzw->since_clear));
    lzw->since_clear = 0;
}

static void put_piece(struct apod_lzw *lzw, const piece *piece) {
    for (int i = 0; i < piece->count; i++) put(lzw, piece->codes[i], width(lzw, lzw->since_clear++));
}

apod_lzw *apod_lzw_open(const uint8_t *choices, int per_pixel, size_t count, int depth, int looks_ahead) {
    if (count > SIZE_MAX / 2 - 4096) return NULL;
    apod_lzw *lzw = calloc(1, sizeof *lzw);
    if (lzw == NULL) return NULL;
    int refused = 0;
    for (int i = 0; i < 3; i++) {
        lzw->tables[i] = calloc(1, sizeof *lzw->tables[i]);
        refused |= lzw->tables[i] == NULL;
    }
    // At most 12 bits per pixel, a clear code per 3,800 codes, and the end code.
    lzw->output = malloc(count * 2 + 64);
    if (refused || lzw->output == NULL) {
        apod_lzw_close(lzw);
        return NULL;
    }
    lzw->choices = choices;
    lzw->per_pixel = per_pixel;
    lzw->count = count;
    lzw->depth = depth;
    lzw->looks_ahead = looks_ahead;
    lzw->forced = NONE;
    return lzw;
}

void apod_lzw_close(apod_lzw *lzw) {
    for (int i = 0; i < 3; i++) free(lzw->tables[i]);
    free(lzw->output);
    free(lzw);
}

// A trial encoding from the current position.
typedef struct {
    piece *piece;
    size_t position;
    int forced, since_clear;
} attempt;

// Encodes with a new table until the table is full.
static attempt try_new_table(struct apod_lzw *lzw, int number, int looks_ahead) {
    attempt tried = {.piece = &lzw->pieces[number], .position = lzw->position, .forced = NONE};
    *tried.piece = (piece){.bits = width(lzw, lzw->since_clear)};
    clear_strings(lzw->tables[number], lzw->depth);
    run(lzw, lzw->tables[number], looks_ahead, &tried.position, 0, &tried.forced, &tried.since_clear, LONG_MAX,
        tried.piece);
    return tried;
}

int apod_lzw_step(apod_lzw *lzw) {
    if (lzw->position == lzw->count) return 0;
    // Tries new tables 1 and 2. Table 0 is the current table.
    int best = 1;
    attempt fresh = try_new_table(lzw, best, 0);
    if (lzw->looks_ahead) {
        // A shortened string adds no new string to the table, which may cost more than it saves.
        attempt other = try_new_table(lzw, 2, lzw->looks_ahead);
        if ((double)other.piece->bits * (double)(fresh.position - lzw->position) <
            (double)fresh.piece->bits * (double)(other.position - lzw->position)) {
            fresh = other;
            best = 2;
        }
    }
    if (lzw->position > 0) {
        // Keeps the old table if it encodes the same pixels in no more bits.
        attempt on = {.piece = &lzw->pieces[0], .position = lzw->position, .forced = lzw->forced,
                      .since_clear = lzw->since_clear};
        *on.piece = (piece){.bits = 0};
        if (run(lzw, lzw->tables[0], lzw->looks_ahead, &on.position, fresh.position, &on.forced, &on.since_clear,
                fresh.piece->bits, on.piece) &&
            on.piece->bits <= fresh.piece->bits) {
            put_piece(lzw, on.piece);
            lzw->position = on.position;
            lzw->forced = on.forced;
            return 1;
        }
    }
    put_clear(lzw);
    put_piece(lzw, fresh.piece);
    lzw->position = fresh.position;
    lzw->forced = fresh.forced;
    strings *table = lzw->tables[best];
    lzw->tables[best] = lzw->tables[0];
    lzw->tables[0] = table;
    return 1;
}

const uint8_t *apod_lzw_finish(apod_lzw *lzw, size_t *count) {
    if (lzw->output_count == 0 && lzw->buffered == 0) put_clear(lzw);
    put(lzw, (1 << lzw->depth) + 1, width(lzw, lzw->since_clear));
    if (lzw->buffered > 0) put(lzw, 0, 8 - lzw->buffered);
    *count = lzw->output_count;
    return lzw->output;
}
