#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "attempts.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

// Returns a path in the cache, in one of four reused buffers.
static const char *in_cache(TARGET t, const char *name) {
    static char paths[4][1024];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", t->cache, name);
    return path;
}

// Calls `use` with a file in the cache, which a confined process may write.
static long with_own_file(TARGET t, long (*use)(int file)) {
    int file = open(in_cache(t, "own"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    long result = use(file);
    int error = errno;
    close(file);
    errno = error;
    return result;
}

// If a file could be opened, closes it and reports success.
static long closed(long file) {
    if (file >= 0) close((int)file);
    return file;
}

static const struct timespec epoch[2];
static const char value[] = "x";

// MARK: Permissions

static long try_fchmodat(TARGET t) { return CALL(fchmodat, AT_FDCWD, t->victim, 0666); }
static long try_fchmodat2(TARGET t) { return NUMBER(452, AT_FDCWD, t->victim, 0666, AT_SYMLINK_NOFOLLOW); }
static long try_fchmodat_folder(TARGET t) { return CALL(fchmodat, AT_FDCWD, t->folder, 0777); }
static long try_fchmod_by_path(TARGET t) { (void)t; return CALL(fchmod, victim_path, 0666); }
static long try_fchmodat_link(TARGET t) {
    (void)t;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", victim_path);
    return CALL(fchmodat, AT_FDCWD, path, 0666);
}
static long try_fchmodat2_empty(TARGET t) { (void)t; return NUMBER(452, victim_path, "", 0666, AT_EMPTY_PATH); }
static long setuid_of(int file) { return CALL(fchmod, file, 04755); }
static long setgid_of(int file) { return CALL(fchmod, file, 02755); }
static long try_setuid_file(TARGET t) { return with_own_file(t, setuid_of); }
static long try_setgid_file(TARGET t) { return with_own_file(t, setgid_of); }
static long try_open_setuid(TARGET t) {
    return closed(CALL(openat, AT_FDCWD, in_cache(t, "made-1"), O_WRONLY | O_CREAT, 04755));
}
static long try_open_setgid(TARGET t) {
    return closed(CALL(openat, AT_FDCWD, in_cache(t, "made-2"), O_WRONLY | O_CREAT, 02755));
}
static long try_open_unnamed_setuid(TARGET t) {
    return closed(CALL(openat, AT_FDCWD, t->cache, O_TMPFILE | O_WRONLY, 04755));
}
static long try_openat2_setuid(TARGET t) {
    unsigned long long how[3] = {O_WRONLY | O_CREAT, 04755, 0};
    return closed(NUMBER(437, AT_FDCWD, in_cache(t, "made-3"), how, sizeof how));
}
static long try_mknod_setuid(TARGET t) { return CALL(mknodat, AT_FDCWD, in_cache(t, "made-4"), S_IFREG | 04755, 0); }
#ifdef SYS_chmod
static long try_chmod(TARGET t) { return CALL(chmod, t->victim, 0666); }
static long try_chmod_folder(TARGET t) { return CALL(chmod, t->folder, 0777); }
static long try_creat_setuid(TARGET t) { return closed(CALL(creat, in_cache(t, "made-5"), 04755)); }
static long try_old_open_setuid(TARGET t) {
    return closed(CALL(open, in_cache(t, "made-6"), O_WRONLY | O_CREAT, 04755));
}
static long try_chown(TARGET t) { return CALL(chown, t->victim, 1, 1); }
static long try_lchown(TARGET t) { return CALL(lchown, t->victim, 1, 1); }
static long try_utime(TARGET t) { return CALL(utime, t->victim, &(struct utimbuf){0, 0}); }
static long try_utimes(TARGET t) { return CALL(utimes, t->victim, epoch); }
static long try_futimesat(TARGET t) { return CALL(futimesat, AT_FDCWD, t->victim, epoch); }
#endif

// MARK: Owners, times and attributes

static long try_fchownat(TARGET t) { return CALL(fchownat, AT_FDCWD, t->victim, 1, 1, 0); }
static long try_fchown_by_path(TARGET t) { (void)t; return CALL(fchown, victim_path, 1, 1); }
static long try_utimensat(TARGET t) { return CALL(utimensat, AT_FDCWD, t->victim, epoch, 0); }
static long try_utimensat_folder(TARGET t) { return CALL(utimensat, AT_FDCWD, t->folder, epoch, 0); }
static long times_of(int file) { return CALL(utimensat, file, 0, epoch, 0); }
static long try_futimens(TARGET t) { return with_own_file(t, times_of); }
static long try_setxattr(TARGET t) { return CALL(setxattr, t->victim, "user.x", value, 1, 0); }
static long try_lsetxattr(TARGET t) { return CALL(lsetxattr, t->victim, "user.x", value, 1, 0); }
static long try_setxattrat(TARGET t) { return NUMBER(463, AT_FDCWD, t->victim, 0, "user.x", value, 16); }
static long try_removexattr(TARGET t) { return CALL(removexattr, t->victim, "user.kept"); }
static long try_lremovexattr(TARGET t) { return CALL(lremovexattr, t->victim, "user.kept"); }
static long try_removexattrat(TARGET t) { return NUMBER(466, AT_FDCWD, t->victim, 0, "user.kept"); }
static long try_getxattr(TARGET t) {
    char found[16];
    return CALL(getxattr, t->victim, "user.kept", found, sizeof found);
}
static long capability_of(int file) {
    // A revision 2 attribute with all capabilities.
    const unsigned capability[5] = {0x02000001, ~0u, 0, ~0u, 0};
    return CALL(fsetxattr, file, "security.capability", capability, sizeof capability, 0);
}
static long try_file_capability(TARGET t) { return with_own_file(t, capability_of); }
static long security_of(int file) { return CALL(fsetxattr, file, "security.x", value, 1, 0); }
static long try_security_attribute(TARGET t) { return with_own_file(t, security_of); }
static long trusted_of(int file) { return CALL(fsetxattr, file, "trusted.x", value, 1, 0); }
static long try_trusted_attribute(TARGET t) { return with_own_file(t, trusted_of); }
static long flags_of(int file) { return CALL(ioctl, file, 0x40086602, &(long){0x10}); }  // FS_IOC_SETFLAGS
static long try_immutable(TARGET t) { return with_own_file(t, flags_of); }
static long try_file_setattr(TARGET t) {
    unsigned attributes[8] = {0};
    return NUMBER(469, AT_FDCWD, t->victim, attributes, sizeof attributes, 0);
}

// MARK: Content and names

static long try_read(TARGET t) { return closed(CALL(openat, AT_FDCWD, t->victim, O_RDONLY, 0)); }
static long try_write(TARGET t) { return closed(CALL(openat, AT_FDCWD, t->victim, O_WRONLY, 0)); }
static long try_list(TARGET t) { return closed(CALL(openat, AT_FDCWD, t->folder, O_RDONLY | O_DIRECTORY, 0)); }
static long try_reopen(TARGET t) {
    (void)t;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", victim_path);
    return closed(CALL(openat, AT_FDCWD, path, O_RDWR, 0));
}
static long try_truncate(TARGET t) { return CALL(truncate, t->victim, 0); }
static long try_remove(TARGET t) { return CALL(unlinkat, AT_FDCWD, t->victim, 0); }
static long try_move(TARGET t) { return CALL(renameat2, AT_FDCWD, t->victim, AT_FDCWD, in_cache(t, "made-7"), 0); }
static long try_exchange(TARGET t) {
    const char *own = in_cache(t, "own");
    return CALL(renameat2, AT_FDCWD, t->victim, AT_FDCWD, own, 2);
}
static long try_link(TARGET t) { return CALL(linkat, AT_FDCWD, t->victim, AT_FDCWD, in_cache(t, "made-8"), 0); }
static long try_symlink(TARGET t) { return CALL(symlinkat, "/", AT_FDCWD, in_cache(t, "made-9")); }
static long try_fifo(TARGET t) { return CALL(mknodat, AT_FDCWD, in_cache(t, "made-10"), S_IFIFO | 0600, 0); }
static long try_device(TARGET t) { return CALL(mknodat, AT_FDCWD, in_cache(t, "made-11"), S_IFCHR | 0600, 0x103); }
static long try_socket_file(TARGET t) { return CALL(mknodat, AT_FDCWD, in_cache(t, "made-12"), S_IFSOCK | 0600, 0); }
static long make_beside(TARGET t, const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    return closed(CALL(openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0600));
}
static long try_make(TARGET t) { return make_beside(t, "made"); }
static long try_chdir(TARGET t) { return CALL(chdir, t->folder); }
static long try_chroot(TARGET t) { return CALL(chroot, t->cache); }
static long try_handle(TARGET t) {
    struct file_handle handle = {.handle_bytes = 0};
    int mount;
    return CALL(name_to_handle_at, AT_FDCWD, t->victim, &handle, &mount, 0);
}
static long try_open_handle(TARGET t) { (void)t; return CALL(open_by_handle_at, AT_FDCWD, value, O_RDONLY); }
static long try_watch(TARGET t) { (void)t; return closed(CALL(inotify_init1, 0)); }
static long try_lease(TARGET t) { (void)t; return CALL(fcntl, pipe_end, F_SETLEASE, F_RDLCK); }
static long try_notify(TARGET t) { (void)t; return CALL(fcntl, pipe_end, F_NOTIFY, 1); }

// MARK: File systems

static long try_mount(TARGET t) { return CALL(mount, t->cache, t->folder, "", MS_BIND, 0); }
static long try_umount(TARGET t) { return CALL(umount2, t->folder, 0); }
static long try_pivot_root(TARGET t) { return CALL(pivot_root, t->cache, t->cache); }
static long try_open_tree(TARGET t) { return closed(NUMBER(428, AT_FDCWD, t->cache, 1)); }
static long try_move_mount(TARGET t) { return NUMBER(429, AT_FDCWD, t->cache, AT_FDCWD, t->folder, 0); }
static long try_fsopen(TARGET t) { (void)t; return closed(NUMBER(430, "tmpfs", 0)); }
static long try_fspick(TARGET t) { return closed(NUMBER(433, AT_FDCWD, t->cache, 0)); }
static long try_mount_setattr(TARGET t) { return NUMBER(442, AT_FDCWD, t->cache, 0, (long long[4]){1}, 32); }
static long try_quota(TARGET t) { (void)t; return CALL(quotactl, 0, 0, 0, 0); }
static long try_swapon(TARGET t) { return CALL(swapon, t->victim, 0); }
static long try_fanotify(TARGET t) { (void)t; return closed(CALL(fanotify_init, 0x200, O_RDONLY)); }

const struct attempt file_attempts[] = {
    TRY(fchmodat), TRY(fchmodat2), TRY(fchmodat_folder), TRY(fchmod_by_path), TRY(fchmodat_link),
    TRY(fchmodat2_empty), TRY(setuid_file), TRY(setgid_file), TRY(open_setuid), TRY(open_setgid),
    TRY(open_unnamed_setuid), TRY(openat2_setuid), TRY(mknod_setuid),
#ifdef SYS_chmod
    TRY(chmod), TRY(chmod_folder), TRY(creat_setuid), TRY(old_open_setuid), TRY(chown), TRY(lchown), TRY(utime),
    TRY(utimes), TRY(futimesat),
#endif
    TRY(fchownat), TRY(fchown_by_path), TRY(utimensat), TRY(utimensat_folder), TRY(futimens), TRY(setxattr),
    TRY(lsetxattr), TRY(setxattrat), TRY(removexattr), TRY(lremovexattr), TRY(removexattrat), TRY(getxattr),
    TRY(file_capability), TRY(security_attribute), TRY(trusted_attribute), TRY(immutable), TRY(file_setattr), TRY(read),
    TRY(write), TRY(list), TRY(reopen), TRY(truncate), TRY(remove), TRY(move), TRY(exchange), TRY(link), TRY(symlink),
    TRY(fifo), TRY(device), TRY(socket_file), TRY(make), TRY(chdir), TRY(chroot), TRY(handle), TRY(open_handle),
    TRY(watch), TRY(lease), TRY(notify), TRY(mount), TRY(umount), TRY(pivot_root), TRY(open_tree), TRY(move_mount),
    TRY(fsopen), TRY(fspick), TRY(mount_setattr), TRY(quota), TRY(swapon), TRY(fanotify),
};
const int file_attempt_count = sizeof file_attempts / sizeof *file_attempts;

#endif
