#pragma once
#include <stdbool.h>

#ifdef __linux__
#include <sys/vfs.h>
#endif

/// Whether the files of the file system that an open file is on lie in memory: tmpfs or ramfs (statfs(2)), which
/// Swift's module of the C library leaves out. False where there is no telling, as elsewhere than on Linux.
static inline bool cfilesystem_is_in_memory(int descriptor) {
#ifdef __linux__
    struct statfs found;
    if (fstatfs(descriptor, &found) != 0) return false;
    return (unsigned)found.f_type == 0x01021994u || (unsigned)found.f_type == 0x858458f6u;
#else
    (void)descriptor;
    return false;
#endif
}
