// Loads a shared library when it is first needed: by one of its names, and its functions by theirs.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A function pointer to fill in, and the name by which the function is found.
struct cloading_function {
    void *target;
    const char *name;
};

#define CLOADING_COUNT(array) (sizeof(array) / sizeof *(array))

// Defines the names of a library for `cloading_open`. Homebrew's folder is not among those that macOS searches.
#ifdef __APPLE__
#define CLOADING_NAMES(name, soname, dylib) \
    static const char *const name[] = {dylib, "/opt/homebrew/lib/" dylib, "/usr/local/lib/" dylib, NULL}
#else
#define CLOADING_NAMES(name, soname, dylib) static const char *const name[] = {soname, NULL}
#endif

// Returns the first library that can be loaded, of names that NULL ends; NULL if there is none.
void *cloading_open(const char *const *names);

// Fills in all function pointers; false if the library lacks one of the functions.
bool cloading_find(void *library, const struct cloading_function *functions, size_t count);
