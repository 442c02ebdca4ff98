#include "CLibraryLoading.h"

#include <dlfcn.h>
#include <string.h>

void *cloading_open(const char *const *names) {
    void *library = NULL;
    for (; library == NULL && *names != NULL; names++) library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool cloading_find(void *library, const struct cloading_function *functions, size_t count) {
    for (size_t index = 0; index < count; index++) {
        // POSIX lets a pointer to a function be fetched this way, ISO C has no other.
        void *function = dlsym(library, functions[index].name);
        if (function == NULL) return false;
        memcpy(functions[index].target, &function, sizeof function);
    }
    return true;
}
