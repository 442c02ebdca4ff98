// Calls of Linux that Swift's import of the C library does not show. Elsewhere they do nothing.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Begins to write these bytes of a file to the disk, and does not wait (sync_file_range(2)). A hint.
void csystem_begin_write_back(int descriptor, int64_t offset, int64_t count);

// Lets the calling thread, and those that it starts, use a disk only while nobody else does (ioprio_set(2), class
// idle). A hint: not every I/O scheduler heeds it.
void csystem_use_idle_disk(void);

// Whether the files of the file system that an open file is on lie in memory: tmpfs or ramfs (statfs(2)).
bool csystem_is_in_memory(int descriptor);

// Opens what a relative name leads to below an open folder, and never follows a symbolic link on the way (openat2(2)
// with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS). Returns a descriptor, or -1 with errno set: ELOOP for a link, EXDEV for
// a name that leads out of the folder, ENOSYS or EPERM where the system has no such call or a filter refuses it. `mode`
// must be 0 unless `flags` has O_CREAT.
int csystem_open_beneath(int folder, const char *name, int flags, unsigned mode);
