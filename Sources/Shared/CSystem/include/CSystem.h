// Linux system calls that Swift does not import from the C library. On other systems, most of these functions do
// nothing or fail.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The number of the program's arguments, including its name; 0 if the C library does not pass them to constructors.
int csystem_argument_count(void);
const char *csystem_argument(int index);

// Copies a file to an empty file: shares its blocks (FICLONE), or copies in the kernel (copy_file_range(2)). Returns
// false if copying is not supported or fails; a part may then have been written.
bool csystem_copy(int source, int target);

// Opens an unnamed file in an open folder for writing (O_TMPFILE). Returns -1 with errno set if the file system does
// not support it.
int csystem_open_unnamed(int folder, unsigned mode);

// Links an open unnamed file into an open folder, under a name that must not exist. Returns -1 with errno set.
int csystem_name_file(int descriptor, int folder, const char *name);

// Makes the calling thread, and threads that it starts, use the disk only while no other process uses it
// (ioprio_set(2), class idle). Some I/O schedulers ignore this.
void csystem_use_idle_disk(void);

// Whether an open file is in memory: on tmpfs or ramfs (statfs(2)).
bool csystem_is_in_memory(int descriptor);

// Whether an open file is on a local file system (statfs(2)): not on NFS, SMB, 9P, AFS, Ceph, Lustre or FUSE, which may
// lose written bytes while this machine keeps running.
bool csystem_is_local(int descriptor);

// The ID of the mount of an open file (statx(2), STATX_MNT_ID, Linux 5.8), or 0 if unknown.
uint64_t csystem_mount(int descriptor);

// Sets an extended attribute of an open file (xattr(7)). Returns false if the file system does not support it or has
// no room.
bool csystem_set_attribute(int descriptor, const char *name, const void *value, size_t size);

// Reads an extended attribute and returns its size, or -1 if it is missing or larger than `size` bytes.
ssize_t csystem_get_attribute(int descriptor, const char *name, void *value, size_t size);

// Opens a relative path below an open folder without following symbolic links (openat2(2) with RESOLVE_BENEATH and
// RESOLVE_NO_SYMLINKS). Returns a descriptor, or -1 with errno set: ELOOP for a link, EXDEV for a path that leaves the
// folder, ENOSYS or EPERM if the call is missing or filtered. `mode` must be 0 unless `flags` has O_CREAT.
int csystem_open_beneath(int folder, const char *name, int flags, unsigned mode);

// Locks on single bytes of a file. They belong to the open file description rather than the process (fcntl(2),
// F_OFD_SETLK). The kernel releases them when the last descriptor is closed, for example because the process dies.

bool csystem_has_byte_locks(void);

// Tries to lock a byte exclusively. Returns 1 on success, 0 if another description has locked it, -1 with errno set.
int csystem_lock_byte(int descriptor, int64_t offset);

void csystem_unlock_byte(int descriptor, int64_t offset);

// Whether another open file description has locked a byte: 1 or 0, or -1 with errno set.
int csystem_is_byte_locked(int descriptor, int64_t offset);

// Sets or removes a lock of the process on a byte (fcntl(2), F_SETLK). Other processes can query the ID of its owner,
// which the kernel does not report for the locks above. The process loses the lock when it closes any descriptor of the
// file. Ignores failures, since the lock only informs.
void csystem_sign_byte(int descriptor, int64_t offset, bool is_signed);

// The ID of another process that has locked a byte with `csystem_sign_byte`; 0 if there is no such process, or if it is
// not visible.
pid_t csystem_byte_signer(int descriptor, int64_t offset);

// The CPU time of all threads of a process in nanoseconds, or -1 if unknown.
int64_t csystem_processor_time(pid_t process);

// The number of processors that the process may use. taskset and containers lower it.
long csystem_processors(void);

// Closes all descriptors from `first` on (close_range(2)). Returns false if the system has no such call.
bool csystem_close_from(int first);

// MARK: Dropping rights, on Linux on x86-64 and ARM64. Elsewhere these functions do nothing.

enum csystem_right {
    csystem_right_read,   // read a file, or a folder with its contents
    csystem_right_write,  // also write it, and create, remove and move its contents
};

// The version of the kernel's Landlock interface; 0 if the kernel has none.
int csystem_landlock_version(void);

// Creates an empty set of rules, which forbids all use of files. Returns a descriptor, or -1. If the kernel supports
// it, the set also forbids listening on TCP ports and, unless `network` is true, connecting to them.
int csystem_landlock_begin(int version, bool network);

// Adds a rule for a path, following links. Also returns true if the file is missing.
bool csystem_landlock_allow(int rules, int version, const char *path, enum csystem_right right);

// Applies the rules permanently to the calling thread and threads that it starts.
bool csystem_landlock_enforce(int rules);

// Drops all capabilities except CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH and CAP_FOWNER, which are for files of
// other users. Affects the calling thread, and threads and processes that it starts later.
void csystem_drop_capabilities(void);

// Sets of system calls that a process may make in addition to the basic set.
enum {
    csystem_needs_files = 1,        // create, change and remove files
    csystem_needs_permissions = 2,  // set the permissions of open files
    csystem_needs_network = 4,      // connect to servers, and look up their names
};

// The texts before and after the name of the call in a message about a refused call. Both must live as long as the
// process.
struct csystem_report {
    const char *before;
    const char *after;
};

// Allows only the system calls of these sets, for the calling thread, and for threads and processes that it starts
// later. Other calls fail with EPERM. Calls that are newer than the table in calls.c fail with ENOSYS, so that C
// libraries fall back on older calls.
// With a `report`, writes the first refusal of each call to standard error; a refused call in a thread that blocks
// SIGSYS then ends the process. Returns false if the system does not support filters.
bool csystem_filter_calls(unsigned needs, const struct csystem_report *report);

// An instruction of a filter: the kernel's `struct sock_filter`.
struct csystem_instruction {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t operand;
};

enum { csystem_filter_capacity = 1024 };

// Writes the filter for these sets and returns the number of its instructions, which exceeds `capacity` if the filter
// does not fit. `reports` makes refused calls raise SIGSYS; `process` is the ID of the process that will be filtered.
// A pure function.
size_t csystem_filter(unsigned needs, bool reports, pid_t process, struct csystem_instruction *code, size_t capacity);

// Discards everything that C libraries write to `stdout` and `stderr`. Call it before other threads start, in a process
// whose own code writes only to descriptors. Does nothing without glibc.
void csystem_silence_libraries(void);
