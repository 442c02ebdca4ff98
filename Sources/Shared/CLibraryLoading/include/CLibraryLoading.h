// Loads shared libraries by name on first use, and finds their functions.
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// The address of a function pointer to set, and the name of the function.
struct cloading_function {
    void *target;
    const char *name;
};

// Declares a pointer for each function in a list `FUNCTIONS(F)` of `F(name, result, arguments)`.
#define CLOADING_DECLARED(name, result, arguments) static result(*name) arguments;

// Sets the pointers that CLOADING_DECLARED declares for a list. Returns false if the library lacks a function of the
// list.
#define CLOADING_FIND(library, FUNCTIONS) \
    cloading_find(library, (const struct cloading_function[]){FUNCTIONS(CLOADING_ENTRY) {NULL, NULL}})
#define CLOADING_ENTRY(name, result, arguments) {&name, #name},

// The names of a library for `cloading_open`. macOS does not search Homebrew's folders.
#ifdef __APPLE__
#define CLOADING_NAMES(dylib, ...) \
    ((const char *const[]){dylib, "/opt/homebrew/lib/" dylib, "/usr/local/lib/" dylib, NULL})
#else
#define CLOADING_NAMES(dylib, ...) ((const char *const[]){__VA_ARGS__, NULL})
#endif

// Defines a function that calls `load` once per process and returns its result: NULL, or the error.
#define CLOADING_ONCE(name, load) \
    static pthread_once_t once = PTHREAD_ONCE_INIT; \
    static const char *load_error; \
    static void load_once(void) { load_error = load(); } \
    const char *name(void) { \
        pthread_once(&once, load_once); \
        return load_error; \
    }

// Loads the first available library of a NULL-terminated list. Returns NULL if no library of the list is available.
void *cloading_open(const char *const *names);

// Sets all function pointers of a list that ends with a NULL name. Returns false if a function is missing.
bool cloading_find(void *library, const struct cloading_function *functions);
