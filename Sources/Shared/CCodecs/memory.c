#include "CCodecs.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void apod_return_large_blocks(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
    // Encoders allocate up to 16 MB in blocks of less than a megabyte. By default, glibc keeps only 128 KB of free
    // memory, so each thread would return these blocks after each picture. Allocating them again then takes half of the
    // system time of a long run.
    mallopt(M_TRIM_THRESHOLD, 16 * 1024 * 1024);
#endif
}
