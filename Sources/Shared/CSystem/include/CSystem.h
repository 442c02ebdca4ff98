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
