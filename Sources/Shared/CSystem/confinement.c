#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CSystem.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Landlock (landlock(7)): numbers that not every kernel's headers come with

enum {
    call_create_ruleset = 444,
    call_add_rule = 445,
    call_restrict_self = 446,
    create_version = 1,  // LANDLOCK_CREATE_RULESET_VERSION
    rule_path_beneath = 1,
};

static const uint64_t access_execute = 1 << 0;
static const uint64_t access_write_file = 1 << 1;
static const uint64_t access_read_file = 1 << 2;
static const uint64_t access_read_dir = 1 << 3;
static const uint64_t access_remove_dir = 1 << 4;
static const uint64_t access_remove_file = 1 << 5;
static const uint64_t access_make_dir = 1 << 7;
static const uint64_t access_make_reg = 1 << 8;
static const uint64_t access_refer = 1 << 13;
static const uint64_t access_truncate = 1 << 14;
static const uint64_t access_ioctl_dev = 1 << 15;
static const uint64_t access_tcp = 3;     // to bind, to connect
static const uint64_t access_tcp_bind = 1;
static const uint64_t scope_all = 3;      // sockets without a path, signals

// The LANDLOCK_ACCESS_FS_… that a version of the interface knows: all below the first unknown one.
static uint64_t known_file_rights(int version) {
    int count = version >= 5 ? 16 : version >= 3 ? 15 : 14;
    return ((uint64_t)1 << count) - 1;
}

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

struct __attribute__((packed)) beneath {
    uint64_t rights;
    int32_t folder;
};

int csystem_landlock_version(void) {
    long version = syscall(call_create_ruleset, NULL, 0, create_version);
    return version < 0 ? 0 : (int)version;
}

int csystem_landlock_begin(int version, bool network) {
    struct ruleset ruleset = {
        .files = known_file_rights(version),
        // Nothing here listens. Landlock does not affect UDP, which name lookups use.
        .network = version < 4 ? 0 : network ? access_tcp_bind : access_tcp,
        .scopes = version < 6 ? 0 : scope_all,
    };
    // A kernel refuses a structure with unknown fields unless they are zero.
    return (int)syscall(call_create_ruleset, &ruleset, sizeof ruleset, 0);
}

bool csystem_landlock_allow(int rules, int version, const char *path, enum csystem_right right) {
    int kept = errno;
    int opened = open(path, O_PATH | O_CLOEXEC);
    if (opened < 0) {
        bool missing = errno == ENOENT || errno == ENOTDIR;
        errno = kept;
        return missing;
    }
    uint64_t file = access_read_file;
    uint64_t folder = access_read_dir;
    if (right == csystem_right_execute) file |= access_execute;
    if (right == csystem_right_write) {
        file |= access_write_file | access_truncate | access_ioctl_dev;
        folder |= access_remove_dir | access_remove_file | access_make_dir | access_make_reg | access_refer;
    }
    struct stat status;
    bool is_folder = fstat(opened, &status) == 0 && S_ISDIR(status.st_mode);
    if (is_folder) file &= ~access_ioctl_dev;
    struct beneath beneath = {
        .rights = (is_folder ? file | folder : file) & known_file_rights(version),
        .folder = opened,
    };
    // A pipe takes no rule (EBADFD), and needs none.
    bool done = syscall(call_add_rule, rules, rule_path_beneath, &beneath, 0) == 0 || errno == EBADFD;
    close(opened);
    errno = kept;
    return done;
}

bool csystem_landlock_enforce(int rules) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(call_restrict_self, rules, 0) == 0;
}

// MARK: seccomp (seccomp(2))

// How a call is answered.
#define ALLOW SECCOMP_RET_ALLOW
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define MISSING (SECCOMP_RET_ERRNO | ENOSYS)

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The lower half of an argument; both architectures are little-endian.
#define LOAD_ARGUMENT(index) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]))
#define RETURN(verdict) BPF_STMT(BPF_RET | BPF_K, (verdict))
// Returns the verdict if the loaded value equals a number, has (or lacks) these bits, or is at least a number; otherwise
// goes on.
#define IF(number, verdict) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), RETURN(verdict)
#define IF_ANY_BIT(bits, verdict) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), RETURN(verdict)
#define IF_NO_BIT(bits, verdict) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 1, 0), RETURN(verdict)
#define IF_FROM(number, verdict) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (number), 0, 1), RETURN(verdict)
#define UNLESS(number, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, (skipped))

#ifdef __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

enum {
    // linux/sched.h: mount, cgroup, UTS, IPC, user, PID and network namespaces.
    new_namespaces = 0x7E020000,
    new_thread = 0x00010000,
    // Calls that are newer than some headers; the same numbers on every architecture.
    call_io_uring_setup = 425,
    call_io_uring_enter = 426,
    call_io_uring_register = 427,
    call_open_tree = 428,
    call_move_mount = 429,
    call_fsopen = 430,
    call_fsmount = 432,
    call_clone3 = 435,
    call_pidfd_getfd = 438,
    // asm-generic/ioctls.h: what types into a terminal in the name of its user, and what pastes there.
    ioctl_type = 0x5412,
    ioctl_console = 0x541C,
};

// Programs are short lists that are concatenated; each ends with the call's number loaded.

static const struct sock_filter head[] = {
    LOAD(arch),
    UNLESS(OWN_ARCHITECTURE, 1),
    BPF_STMT(BPF_JMP | BPF_JA, 1),
    RETURN(REFUSE),
    LOAD(nr),
#ifdef __x86_64__
    IF_FROM(0x40000000, REFUSE),  // x32, another set of numbers
#endif
    // It keeps its flags in memory, which a filter cannot read: C libraries fall back on clone.
    IF(call_clone3, MISSING),
    // Other processes.
    IF(SYS_ptrace, REFUSE),
    IF(SYS_process_vm_readv, REFUSE),
    IF(SYS_process_vm_writev, REFUSE),
    IF(SYS_kcmp, REFUSE),
    IF(call_pidfd_getfd, REFUSE),
    // Another view of the file system, and ways around its paths.
    IF(SYS_unshare, REFUSE),
    IF(SYS_setns, REFUSE),
    IF(SYS_mount, REFUSE),
    IF(SYS_umount2, REFUSE),
    IF(SYS_pivot_root, REFUSE),
    IF(SYS_chroot, REFUSE),
    IF(call_open_tree, REFUSE),
    IF(call_move_mount, REFUSE),
    IF(call_fsopen, REFUSE),
    IF(call_fsmount, REFUSE),
    IF(SYS_open_by_handle_at, REFUSE),
    // Parts of the kernel that have had holes. A ring does the work of other calls, which bypasses this filter.
    IF(call_io_uring_setup, REFUSE),
    IF(call_io_uring_enter, REFUSE),
    IF(call_io_uring_register, REFUSE),
    IF(SYS_bpf, REFUSE),
    IF(SYS_perf_event_open, REFUSE),
    IF(SYS_userfaultfd, REFUSE),
    IF(SYS_add_key, REFUSE),
    IF(SYS_request_key, REFUSE),
    IF(SYS_keyctl, REFUSE),
    // The machine itself, in case root runs a tool.
    IF(SYS_kexec_load, REFUSE),
    IF(SYS_kexec_file_load, REFUSE),
    IF(SYS_init_module, REFUSE),
    IF(SYS_finit_module, REFUSE),
    IF(SYS_delete_module, REFUSE),
    IF(SYS_reboot, REFUSE),
    UNLESS(SYS_ioctl, 6),
    LOAD_ARGUMENT(1),
    IF(ioctl_type, REFUSE),
    IF(ioctl_console, REFUSE),
    LOAD(nr),
};

// New processes are allowed, new namespaces for them are not.
static const struct sock_filter with_processes[] = {
    UNLESS(SYS_clone, 4),
    LOAD_ARGUMENT(0),
    IF_ANY_BIT(new_namespaces, REFUSE),
    LOAD(nr),
};

static const struct sock_filter without_processes[] = {
    IF(SYS_execve, REFUSE),
    IF(SYS_execveat, REFUSE),
#ifdef __x86_64__
    IF(SYS_fork, REFUSE),
    IF(SYS_vfork, REFUSE),
#endif
    UNLESS(SYS_clone, 6),
    LOAD_ARGUMENT(0),
    IF_ANY_BIT(new_namespaces, REFUSE),
    IF_NO_BIT(new_thread, REFUSE),
    LOAD(nr),
};

// What name lookups and connections need: the internet, and the kernel's routing. Services of this machine that would
// run a program for anybody (D-Bus, a container's daemon) listen on sockets with a path: those are refused.
static const struct sock_filter with_network[] = {
    UNLESS(SYS_socket, 8),
    LOAD_ARGUMENT(0),
    IF(AF_INET, ALLOW),
    IF(AF_INET6, ALLOW),
    IF(AF_NETLINK, ALLOW),
    RETURN(REFUSE),
};

static const struct sock_filter without_network[] = {
    IF(SYS_socket, REFUSE),
    IF(SYS_socketpair, REFUSE),
    IF(SYS_connect, REFUSE),
    IF(SYS_bind, REFUSE),
    IF(SYS_listen, REFUSE),
    IF(SYS_accept, REFUSE),
    IF(SYS_accept4, REFUSE),
    IF(SYS_sendto, REFUSE),
    IF(SYS_sendmsg, REFUSE),
    IF(SYS_sendmmsg, REFUSE),
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static size_t append(struct sock_filter *program, size_t count, const struct sock_filter *part, size_t length) {
    for (size_t index = 0; index < length; index++) program[count + index] = part[index];
    return count + length;
}

bool csystem_filter_calls(bool network, bool processes) {
    struct sock_filter program
        [COUNT(head) + COUNT(with_processes) + COUNT(without_processes) + COUNT(with_network) + COUNT(without_network)
         + 1];
    const struct sock_filter end = RETURN(ALLOW);
    size_t count = append(program, 0, head, COUNT(head));
    count = processes ? append(program, count, with_processes, COUNT(with_processes))
                      : append(program, count, without_processes, COUNT(without_processes));
    count = network ? append(program, count, with_network, COUNT(with_network))
                    : append(program, count, without_network, COUNT(without_network));
    count = append(program, count, &end, 1);
    struct sock_fprog filter = {.len = (unsigned short)count, .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

#else

int csystem_landlock_version(void) { return 0; }

int csystem_landlock_begin(int version, bool network) {
    (void)version;
    (void)network;
    return -1;
}

bool csystem_landlock_allow(int rules, int version, const char *path, enum csystem_right right) {
    (void)rules;
    (void)version;
    (void)path;
    (void)right;
    return false;
}

bool csystem_landlock_enforce(int rules) {
    (void)rules;
    return false;
}

bool csystem_filter_calls(bool network, bool processes) {
    (void)network;
    (void)processes;
    return false;
}

#endif
