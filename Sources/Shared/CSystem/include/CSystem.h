// Calls of Linux that Swift does not import from the C library. On other systems they do nothing.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The program's arguments, including its name; 0 if the C library does not pass them to constructors.
int csystem_argument_count(void);
const char *csystem_argument(int index);

// Begins to write these bytes of a file to the disk, without waiting (sync_file_range(2)). A hint.
void csystem_begin_write_back(int descriptor, int64_t offset, int64_t count);

// Gives an empty file the content of another one: so that both share their blocks (FICLONE), else copied within the
// kernel (copy_file_range(2)). False if the caller has to copy, and for any failure; a part may have been written then.
bool csystem_copy(int source, int target);

// Opens a file without a name in an open folder (O_TMPFILE), for writing; -1 with errno set if the file system has none.
int csystem_open_unnamed(int folder, unsigned mode);

// Gives an open file without a name this one in an open folder, which must not be taken; -1 with errno set.
int csystem_name_file(int descriptor, int folder, const char *name);

// Lets the calling thread, and those that it starts, use a disk only while nobody else does (ioprio_set(2), class
// idle). A hint that some I/O schedulers ignore.
void csystem_use_idle_disk(void);

// Whether an open file is on a file system in memory: tmpfs or ramfs (statfs(2)).
bool csystem_is_in_memory(int descriptor);

// Sets an extended attribute of an open file (xattr(7)); false where its file system has none, or no room.
bool csystem_set_attribute(int descriptor, const char *name, const void *value, size_t size);

// Reads one into `value`, and returns its size; -1 if there is none, or if it has more than `size` bytes.
ssize_t csystem_get_attribute(int descriptor, const char *name, void *value, size_t size);

// Opens what a relative name leads to below an open folder, and never follows a symbolic link on the way (openat2(2)
// with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS). Returns a descriptor, or -1 with errno set: ELOOP for a link, EXDEV for
// a name that leads out of the folder, ENOSYS or EPERM if the system has no such call or a filter refuses it. `mode`
// must be 0 unless `flags` has O_CREAT.
int csystem_open_beneath(int folder, const char *name, int flags, unsigned mode);

// Locks of single bytes of a file, which belong to the open file description rather than to the process (fcntl(2),
// F_OFD_SETLK). The kernel lets go of them when the last descriptor is closed, as when a process dies.

// Whether the system has such locks.
bool csystem_has_byte_locks(void);

// Takes the exclusive lock of a byte and does not wait: 1 if it is taken, 0 if somebody else has it, -1 with errno set.
int csystem_lock_byte(int descriptor, int64_t offset);

// Lets go of it.
void csystem_unlock_byte(int descriptor, int64_t offset);

// Whether another open file description has the lock of a byte: 1 or 0, -1 with errno set.
int csystem_is_byte_locked(int descriptor, int64_t offset);

// Locks or unlocks a byte for the process (fcntl(2), F_SETLK), so that others can ask the kernel for its process ID,
// which the locks above do not have. Lost when the process closes any descriptor of the file. Keeps no one out: failures are ignored.
void csystem_sign_byte(int descriptor, int64_t offset, bool is_signed);

// The other process that has locked a byte for itself; 0 if there is none, or none that this process can see.
pid_t csystem_byte_signer(int descriptor, int64_t offset);

// The processor time that all threads of a process have used, in nanoseconds; -1 if the system does not tell.
int64_t csystem_processor_time(pid_t process);

// How many processors the process may run on: with taskset or in a container fewer than there are.
long csystem_processors(void);

// Closes all files from this number on (close_range(2)); false where the system cannot do that in one call.
bool csystem_close_from(int first);

// MARK: Giving up rights. Only on Linux, on x86-64 and ARM64; elsewhere nothing is given up.

enum csystem_right {
    // To read a file, or a folder with all below it.
    csystem_right_read,
    // Also to change it, and to make, remove and move what is below it.
    csystem_right_write,
};

// The version of Landlock's interface that the kernel has; 0 if it has none.
int csystem_landlock_version(void);

// Begins a set of rules that allows nothing but what is added; returns a descriptor, or -1. TCP is refused too, if the
// kernel can do that; with `network`, only listening is.
int csystem_landlock_begin(int version, bool network);

// Adds a rule for what is at a path, links followed. A missing file is no failure, as it needs no rule.
bool csystem_landlock_allow(int rules, int version, const char *path, enum csystem_right right);

// Puts the rules into effect for the calling thread and those that it starts, for good.
bool csystem_landlock_enforce(int rules);

// Drops all capabilities except the ones for files of other users, for the calling thread and its later children.
void csystem_drop_capabilities(void);

// The sets of system calls that a process can have beside the basic set.
enum {
    // To make, change and remove files.
    csystem_needs_files = 1,
    // To set the permissions of open files.
    csystem_needs_permissions = 2,
    // To ask servers, and to look up their names.
    csystem_needs_network = 4,
};

// A line that reports a refused call: the name of the call is written between these two texts, which must live as long
// as the process.
struct csystem_report {
    const char *before;
    const char *after;
};

// Allows only the system calls of these sets, for the calling thread and its later children. Other calls fail with
// EPERM. Calls that are newer than the sets fail with ENOSYS, so that C libraries fall back on older calls. With a
// `report`, each refused call is reported on standard error the first time; a refused call in a thread that blocks
// SIGSYS then ends the process. Returns false if the system has no such filters.
bool csystem_filter_calls(unsigned needs, const struct csystem_report *report);

// Installs the handler of SIGSYS that reports. For `csystem_filter_calls`.
bool csystem_report_refusals(const struct csystem_report *report);

// An instruction of a filter: the kernel's `struct sock_filter`.
struct csystem_instruction {
    uint16_t code;
    uint8_t if_true, if_false;
    uint32_t operand;
};

enum { csystem_filter_capacity = 1024 };

// Writes the filter for these sets, and returns the number of its instructions; more than `capacity` if it did not fit.
// `reports` makes refused calls raise SIGSYS; `process` is the id of the process. Depends on nothing else.
size_t csystem_filter(unsigned needs, bool reports, pid_t process, struct csystem_instruction *code, size_t capacity);

// Drops all that C libraries write to `stdout` and `stderr` from now on. To be called before there are other threads, by
// a process that itself writes to the descriptors only. Does nothing if the C library is not glibc.
void csystem_silence_libraries(void);
