#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include "calls.h"

#include <sys/syscall.h>

// Numbers from 424 on are the same on all architectures. Headers may be older than the running C library.
enum {
    call_openat2 = 437,
    call_clone3 = 435,
    call_close_range = 436,
    call_faccessat2 = 439,
    call_epoll_pwait2 = 441,
    call_futex_waitv = 449,
    call_map_shadow_stack = 453,
    call_futex_wake = 454,
    call_futex_wait = 455,
    call_futex_requeue = 456,
    call_mseal = 462,
};

#define ALWAYS(call) [SYS_##call] = {always},
#define FILES(call) [SYS_##call] = {csystem_needs_files},
#define NETWORK(call) [SYS_##call] = {csystem_needs_network},
#define CHECKED(sets, call) [SYS_##call] = {sets, is_checked},

// The allowed system calls; all other calls are refused. The list comes from traces of the tools and their libraries,
// and for rare calls from the sources of glibc, musl, SQLite and libcurl.
const struct rule csystem_rules[first_unknown_call] = {
    // Memory of this process. Libraries are loaded later, so memory may become executable.
    ALWAYS(mmap) ALWAYS(munmap) ALWAYS(mremap) ALWAYS(mprotect) ALWAYS(madvise) ALWAYS(mincore) ALWAYS(msync)
    ALWAYS(brk) ALWAYS(membarrier) ALWAYS(get_mempolicy) [call_map_shadow_stack] = {always}, [call_mseal] = {always},

    // Threads of this process. clone3 fails as if it were missing, since a filter cannot check its flags, which are in
    // memory.
    CHECKED(always, clone) [call_clone3] = {always, is_missing}, ALWAYS(exit) ALWAYS(exit_group) ALWAYS(futex)
    [call_futex_waitv] = {always}, [call_futex_wake] = {always}, [call_futex_wait] = {always},
    [call_futex_requeue] = {always}, ALWAYS(set_robust_list) ALWAYS(set_tid_address) ALWAYS(rseq) ALWAYS(gettid)
    ALWAYS(getcpu) ALWAYS(sched_yield) ALWAYS(sched_getaffinity) ALWAYS(sched_getparam) ALWAYS(sched_getscheduler)
    ALWAYS(sched_getattr) ALWAYS(sched_get_priority_max) ALWAYS(sched_get_priority_min) CHECKED(always, prctl)

    // Signals to this process only, for `abort` and the end of an interrupted run.
    ALWAYS(rt_sigaction) ALWAYS(rt_sigprocmask) ALWAYS(rt_sigreturn) ALWAYS(rt_sigpending) ALWAYS(rt_sigsuspend)
    ALWAYS(rt_sigtimedwait) ALWAYS(sigaltstack) ALWAYS(restart_syscall) CHECKED(always, kill) CHECKED(always, tgkill)
#ifndef __GLIBC__
    // musl's `raise` passes only a thread ID, so there is no process ID to check. Landlock refuses signals to other
    // processes.
    ALWAYS(tkill)
#endif

    // Time.
    ALWAYS(clock_gettime) ALWAYS(clock_getres) ALWAYS(clock_nanosleep) ALWAYS(nanosleep) ALWAYS(gettimeofday)
    ALWAYS(times)

    // Information about this process and the machine, and limits of this process.
    ALWAYS(getpid) ALWAYS(getppid) ALWAYS(getuid) ALWAYS(geteuid) ALWAYS(getgid) ALWAYS(getegid) ALWAYS(getgroups)
    ALWAYS(getrusage) ALWAYS(getpriority) ALWAYS(getrlimit) ALWAYS(setrlimit) CHECKED(always, prlimit64) ALWAYS(uname)
    ALWAYS(sysinfo) ALWAYS(getrandom) ALWAYS(umask)

    // Open files, pipes and terminals.
    ALWAYS(read) ALWAYS(readv) ALWAYS(pread64) ALWAYS(preadv) ALWAYS(preadv2) ALWAYS(write) ALWAYS(writev)
    ALWAYS(pwrite64) ALWAYS(pwritev) ALWAYS(pwritev2) ALWAYS(lseek) ALWAYS(close) [call_close_range] = {always},
    ALWAYS(dup) ALWAYS(dup3) ALWAYS(pipe2) CHECKED(always, fcntl) CHECKED(always, ioctl) ALWAYS(fadvise64)
    ALWAYS(readahead) ALWAYS(sendfile) ALWAYS(copy_file_range) ALWAYS(splice) ALWAYS(ppoll) ALWAYS(pselect6)
    ALWAYS(epoll_create1) ALWAYS(epoll_ctl) ALWAYS(epoll_pwait) [call_epoll_pwait2] = {always}, ALWAYS(eventfd2)

    // Opening and inspecting the files that Landlock allows. A filter cannot check the mode that openat2 gives a new
    // file, as that argument is in memory.
    CHECKED(always, openat) [call_openat2] = {always, is_missing}, ALWAYS(fstat) ALWAYS(newfstatat) ALWAYS(statx)
    ALWAYS(faccessat) [call_faccessat2] = {always}, ALWAYS(readlinkat) ALWAYS(getdents64) ALWAYS(getcwd) ALWAYS(statfs)
    ALWAYS(fstatfs) ALWAYS(fgetxattr)

    // Creating, changing and removing files: the cache with its database, and outputs. As root, SQLite gives its
    // journal the owner of the database.
    FILES(ftruncate) FILES(fallocate) FILES(fsync) FILES(fdatasync) FILES(sync_file_range) FILES(flock) FILES(mkdirat)
    FILES(linkat) FILES(unlinkat) FILES(renameat) FILES(renameat2) FILES(fsetxattr) FILES(fchown)

    // Copying the permissions of a file to its replacement.
    [SYS_fchmod] = {csystem_needs_permissions, is_checked},

    // Connecting to servers and looking up names. The tools never listen or accept.
    CHECKED(csystem_needs_network, socket) CHECKED(csystem_needs_network, socketpair) NETWORK(connect)
    CHECKED(csystem_needs_network, bind) NETWORK(sendto) NETWORK(sendmsg) NETWORK(sendmmsg) NETWORK(recvfrom)
    NETWORK(recvmsg) NETWORK(recvmmsg) NETWORK(shutdown) NETWORK(getsockname) NETWORK(getpeername) NETWORK(getsockopt)
    CHECKED(csystem_needs_network, setsockopt)

#ifdef __x86_64__
    // Older forms of the calls above, which only this architecture has.
    CHECKED(always, open) ALWAYS(stat) ALWAYS(lstat) ALWAYS(access) ALWAYS(readlink) ALWAYS(getdents) ALWAYS(dup2)
    ALWAYS(pipe) ALWAYS(poll) ALWAYS(select) ALWAYS(epoll_create) ALWAYS(epoll_wait) ALWAYS(eventfd) ALWAYS(time)
    ALWAYS(getpgrp) FILES(mkdir) FILES(rmdir) FILES(link) FILES(unlink) FILES(rename)
    // Registers of this thread. glibc sets them for a library that was built without shadow stacks.
    ALWAYS(arch_prctl)
#endif
};

#endif
