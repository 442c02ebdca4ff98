#include "CCodecs.h"

#include <png.h>
#include <stdio.h>
// jpeglib.h needs stdio.h.
#include <jpeglib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

void apod_return_large_blocks(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
#endif
}

#define APOD_TEXT_OF(token) #token
#define APOD_TEXT(macro) APOD_TEXT_OF(macro)

const char *apod_jpeg_version(void) {
#ifdef LIBJPEG_TURBO_VERSION
    return "libjpeg-turbo " APOD_TEXT(LIBJPEG_TURBO_VERSION);
#else
    return "libjpeg " APOD_TEXT(JPEG_LIB_VERSION);
#endif
}

const char *apod_png_version(void) { return png_get_libpng_ver(NULL); }
