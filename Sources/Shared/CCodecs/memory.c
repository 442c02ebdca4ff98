#include "CCodecs.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void apod_return_large_blocks(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
#endif
}
