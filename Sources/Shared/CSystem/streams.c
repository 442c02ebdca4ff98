#include "CSystem.h"

#ifdef __GLIBC__

#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static ssize_t drop(void *cookie, const char *bytes, size_t count) {
    (void)cookie;
    // Passes on Swift's report of a trap, which uses this stream.
    if (memmem(bytes, count, "Fatal ", 6) != NULL && write(2, bytes, count) < 0) return (ssize_t)count;
    return (ssize_t)count;
}

void csystem_silence_libraries(void) {
    FILE *silent = fopencookie(NULL, "w", (cookie_io_functions_t){.write = drop});
    if (silent == NULL) return;
    setvbuf(silent, NULL, _IONBF, 0);
    // These are variables of glibc, which all libraries read at each use. The descriptors are unchanged.
    stdout = silent;
    stderr = silent;
}

#else

void csystem_silence_libraries(void) {}

#endif
