#include "CIDN.h"

#include <CLibraryLoading.h>
#include <pthread.h>
#include <string.h>

// The functions that are used, found by name.
static struct {
    int (*to_ascii)(const char *input, char **output, int flags);
    int (*to_unicode)(const char *input, char **output, int flags);
    void (*release)(void *text);
} idn;

// idn2_flags and idn2_rc. Without IDN2_USE_STD3_ASCII_RULES, underscores are allowed; the caller checks ASCII itself.
enum { NFC_INPUT = 1, TRANSITIONAL = 4, NONTRANSITIONAL = 8 };
enum { OK = 0, MALLOC = -100, DISALLOWED = -304, UNASSIGNED = -309 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *load_error;

static void load(void) {
    CLOADING_NAMES(names, "libidn2.so.0", "libidn2.0.dylib");
    void *library = cloading_open(names);
    if (library == NULL) {
        load_error = "libidn2 cannot be loaded; install it (Debian: libidn2-0, Homebrew: libidn2)";
        return;
    }
    const struct cloading_function functions[] = {
        {&idn.to_ascii, "idn2_to_ascii_8z"},
        {&idn.to_unicode, "idn2_to_unicode_8z8z"},
        {&idn.release, "idn2_free"},
    };
    if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        load_error = "libidn2 is older than 2.0; update it (Debian: libidn2-0, Homebrew: libidn2)";
    }
}

const char *cidn_load(void) {
    pthread_once(&once, load);
    return load_error;
}

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
    idn.release(text);
    return size <= CIDN_CAPACITY ? CIDN_OK : CIDN_INVALID;
}

cidn_status cidn_to_ascii(const char *label, int is_transitional, char output[CIDN_CAPACITY]) {
    char *text = NULL;
    const int status = idn.to_ascii(label, &text, NFC_INPUT | (is_transitional ? TRANSITIONAL : NONTRANSITIONAL));
    return taken(status, text, output);
}

cidn_status cidn_to_unicode(const char *label, char output[CIDN_CAPACITY]) {
    char *text = NULL;
    const int status = idn.to_unicode(label, &text, 0);
    return taken(status, text, output);
}
