#include "CCodecs.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void apod_return_large_blocks(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
    // Encoders take up to 16 MB in smaller blocks. With glibc's default of 128 KB, each thread returns them after each
    // picture; half of the system time of a long run is then spent on getting them back.
    mallopt(M_TRIM_THRESHOLD, 16 * 1024 * 1024);
#endif
}
