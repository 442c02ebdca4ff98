// How a library is loaded: by one of its names, and its functions by theirs.
#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// A function pointer to fill in, and the name it is found by.
struct function {
    void *target;
    const char *name;
};

static inline void *open_library(const char *const *names) {
    void *library = NULL;
    for (; library == NULL && *names != NULL; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

static inline bool find_functions(void *library, const struct function *functions, size_t count) {
    for (size_t index = 0; index < count; index++) {
        // POSIX lets a pointer to a function be fetched this way, ISO C has no other.
        void *function = dlsym(library, functions[index].name);
        if (function == NULL) return false;
        memcpy(functions[index].target, &function, sizeof function);
    }
    return true;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Homebrew's folder is not among those that macOS searches.
#ifdef __APPLE__
#define NAMES(name, soname, dylib) \
    static const char *const name[] = {dylib, "/opt/homebrew/lib/" dylib, "/usr/local/lib/" dylib, NULL}
#else
#define NAMES(name, soname, dylib) static const char *const name[] = {soname, NULL}
#endif
