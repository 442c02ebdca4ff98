#include "CLibraryLoading.h"

#include <dlfcn.h>
#include <string.h>

void *cloading_open(const char *const *names) {
    // RTLD_NOW would bind all functions of libcurl and its 30 libraries. This would take a sixth of the load time.
    void *library = NULL;
    for (; library == NULL && *names != NULL; names++) library = dlopen(*names, RTLD_LAZY | RTLD_LOCAL);
    return library;
}

bool cloading_find(void *library, const struct cloading_function *functions) {
    for (; functions->name != NULL; functions++) {
        // POSIX permits converting this pointer to a function pointer, ISO C does not.
        void *function = dlsym(library, functions->name);
        if (function == NULL) return false;
        memcpy(functions->target, &function, sizeof function);
    }
    return true;
}
