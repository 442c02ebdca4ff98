#include "CIDN.h"

#include <CLibraryLoading.h>
#include <string.h>

#define FUNCTIONS(F) \
    F(idn2_to_ascii_8z, int, (const char *input, char **output, int flags)) \
    F(idn2_to_unicode_8z8z, int, (const char *input, char **output, int flags)) \
    F(idn2_free, void, (void *text))
FUNCTIONS(CLOADING_DECLARED)

// The values of idn2_flags and idn2_rc. Without the flag IDN2_USE_STD3_ASCII_RULES, underscores are allowed; the caller
// checks the ASCII characters.
enum { NFC_INPUT = 1, TRANSITIONAL = 4, NONTRANSITIONAL = 8 };
enum { OK = 0, MALLOC = -100, DISALLOWED = -304, UNASSIGNED = -309 };

static const char *load(void) {
    void *library = cloading_open(CLOADING_NAMES("libidn2.0.dylib", "libidn2.so.0"));
    if (library == NULL) return "libidn2 cannot be loaded; install it (Debian: libidn2-0, Homebrew: libidn2)";
    if (CLOADING_FIND(library, FUNCTIONS)) return NULL;
    return "libidn2 is older than 2.0; update it (Debian: libidn2-0, Homebrew: libidn2)";
}

CLOADING_ONCE(cidn_load, load)

static cidn_status taken(int status, char *text, char *output) {
    switch (status) {
    case OK: break;
    case MALLOC: return CIDN_NO_MEMORY;
    case DISALLOWED:
    case UNASSIGNED: return CIDN_DISALLOWED;
    default: return CIDN_INVALID;
    }
    const size_t size = strlen(text) + 1;
    if (size <= CIDN_CAPACITY) memcpy(output, text, size);
    idn2_free(text);
    return size <= CIDN_CAPACITY ? CIDN_OK : CIDN_INVALID;
}

cidn_status cidn_to_ascii(const char *label, int is_transitional, char output[CIDN_CAPACITY]) {
    char *text = NULL;
    const int status = idn2_to_ascii_8z(label, &text, NFC_INPUT | (is_transitional ? TRANSITIONAL : NONTRANSITIONAL));
    return taken(status, text, output);
}

cidn_status cidn_to_unicode(const char *label, char output[CIDN_CAPACITY]) {
    char *text = NULL;
    const int status = idn2_to_unicode_8z8z(label, &text, 0);
    return taken(status, text, output);
}
