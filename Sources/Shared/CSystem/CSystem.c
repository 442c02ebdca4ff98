#include "CSystem.h"

#include <errno.h>
#ifdef __linux__
#include <sched.h>
#endif
#include <stddef.h>

static int argument_count;
static char **arguments;

#ifdef __GLIBC__
// glibc passes main's arguments to constructors; other C libraries do not.
__attribute__((constructor)) static void keep_arguments(int count, char **words) {
    argument_count = count;
    arguments = words;
}
#endif

int csystem_argument_count(void) { return argument_count; }

const char *csystem_argument(int index) { return arguments[index]; }

#ifdef __linux__

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    // linux/ioprio.h and linux/magic.h, which some C libraries lack.
    priority_of_thread = 1,  // IOPRIO_WHO_PROCESS
    class_idle = 3,          // IOPRIO_CLASS_IDLE
    class_shift = 13,        // IOPRIO_CLASS_SHIFT
    magic_of_tmpfs = 0x01021994,
};

// Keeps errno, because the caller ignores a failure of this call but may read errno later.
void csystem_use_idle_disk(void) {
    int kept = errno;
    syscall(SYS_ioprio_set, priority_of_thread, 0, class_idle << class_shift);
    errno = kept;
}

bool csystem_is_in_memory(int descriptor) {
    const uint32_t magic_of_ramfs = 0x858458f6;
    struct statfs found;
    if (fstatfs(descriptor, &found) != 0) return false;
    uint32_t magic = (uint32_t)found.f_type;
    return magic == magic_of_tmpfs || magic == magic_of_ramfs;
}

bool csystem_is_local(int descriptor) {
    // The magic numbers of remote file systems (linux/magic.h and statfs(2)).
    static const uint32_t remote[] = {
        0x6969,      // NFS
        0x517b,      // SMB
        0xfe534d42,  // SMB2
        0xff534d42,  // CIFS
        0x01021997,  // 9P
        0x5346414f,  // AFS
        0x00c36400,  // Ceph
        0x0bd00bd0,  // Lustre
        0x65735546,  // FUSE
    };
    struct statfs found;
    if (fstatfs(descriptor, &found) != 0) return false;
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++) {
        if ((uint32_t)found.f_type == remote[i]) return false;
    }
    return true;
}

uint64_t csystem_mount(int descriptor) {
#ifdef SYS_statx
    // struct statx of linux/stat.h, which some C libraries lack: 256 bytes, the mask first and stx_mnt_id at 144.
    uint64_t found[32] = {0};
    const unsigned mask_mount = 0x1000;  // STATX_MNT_ID
    if (syscall(SYS_statx, descriptor, "", 0x1000 /* AT_EMPTY_PATH */, mask_mount, found) != 0) return 0;
    return (uint32_t)found[0] & mask_mount ? found[18] : 0;
#else
    (void)descriptor;
    return 0;
#endif
}

bool csystem_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    return fsetxattr(descriptor, name, value, size, 0) == 0;
}

ssize_t csystem_get_attribute(int descriptor, const char *name, void *value, size_t size) {
    // With a size of 0, fgetxattr(2) returns the size of the value.
    return size == 0 ? -1 : fgetxattr(descriptor, name, value, size);
}

bool csystem_close_from(int first) {
    const long call_close_range = 436;  // Linux 5.9, newer than some headers
    return syscall(call_close_range, (unsigned)first, ~0U, 0) == 0;
}

bool csystem_copy(int source, int target) {
    const unsigned long share_blocks = 0x40049409;  // FICLONE of linux/fs.h
    if (ioctl(target, share_blocks, source) == 0) return true;
    struct stat status;
    if (fstat(source, &status) != 0) return false;
    off_t offset = 0;
    while (offset < status.st_size) {
        // Copies at most 64 MiB per call, so that signals are handled soon.
        ssize_t copied = copy_file_range(source, &offset, target, NULL, 64 << 20, 0);
        if (copied < 0 && errno == EINTR) continue;
        if (copied <= 0) return false;
    }
    return true;
}

int csystem_open_unnamed(int folder, unsigned mode) {
    return openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
}

int csystem_name_file(int descriptor, int folder, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW);
}

int csystem_open_beneath(int folder, const char *name, int flags, unsigned mode) {
    // linux/openat2.h, which some C libraries lack.
    struct {
        uint64_t flags, mode, resolve;
    } how = {(uint64_t)flags, mode, 0};
    const uint64_t no_symbolic_links = 0x04, beneath = 0x08;
    const long number = 437;  // SYS_openat2, the same on all architectures.
    how.resolve = no_symbolic_links | beneath;
    return (int)syscall(number, folder, name, &how, sizeof how);
}

#else

int csystem_open_beneath(int folder, const char *name, int flags, unsigned mode) {
    (void)folder, (void)name, (void)flags, (void)mode;
    errno = ENOSYS;
    return -1;
}

void csystem_use_idle_disk(void) {}

bool csystem_is_in_memory(int descriptor) {
    (void)descriptor;
    return false;
}

#ifdef __APPLE__
#include <sys/mount.h>

bool csystem_is_local(int descriptor) {
    struct statfs found;
    return fstatfs(descriptor, &found) == 0 && found.f_flags & MNT_LOCAL;
}
#else
bool csystem_is_local(int descriptor) {
    (void)descriptor;
    return false;
}
#endif

uint64_t csystem_mount(int descriptor) {
    (void)descriptor;
    return 0;
}

bool csystem_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    (void)descriptor, (void)name, (void)value, (void)size;
    return false;
}

ssize_t csystem_get_attribute(int descriptor, const char *name, void *value, size_t size) {
    (void)descriptor, (void)name, (void)value, (void)size;
    return -1;
}

bool csystem_close_from(int first) {
    (void)first;
    return false;
}

bool csystem_copy(int source, int target) {
    (void)source, (void)target;
    return false;
}

int csystem_open_unnamed(int folder, unsigned mode) {
    (void)folder, (void)mode;
    errno = ENOTSUP;
    return -1;
}

int csystem_name_file(int descriptor, int folder, const char *name) {
    (void)descriptor, (void)folder, (void)name;
    errno = ENOTSUP;
    return -1;
}

#endif

long csystem_processors(void) {
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}
