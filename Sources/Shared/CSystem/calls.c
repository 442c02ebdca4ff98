#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include "CSystem.h"
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

// An allow-list of system calls; all others are refused. It comes from traces of the tools and their libraries, and
// for rare calls from the sources of glibc, musl, SQLite and libcurl.
const struct rule csystem_rules[first_unknown_call] = {
    // Memory of this process. Libraries are loaded later, so memory may become executable.
    [SYS_mmap] = {always},
    [SYS_munmap] = {always},
    [SYS_mremap] = {always},
    [SYS_mprotect] = {always},
    [SYS_madvise] = {always},
    [SYS_mincore] = {always},
    [SYS_msync] = {always},
    [SYS_brk] = {always},
    [SYS_membarrier] = {always},
    [SYS_get_mempolicy] = {always},
    [call_map_shadow_stack] = {always},
    [call_mseal] = {always},

    // Threads of this process. A filter cannot check the flags of clone3, which are in memory.
    [SYS_clone] = {always, is_checked},
    [call_clone3] = {always, is_missing},
    [SYS_exit] = {always},
    [SYS_exit_group] = {always},
    [SYS_futex] = {always},
    [call_futex_waitv] = {always},
    [call_futex_wake] = {always},
    [call_futex_wait] = {always},
    [call_futex_requeue] = {always},
    [SYS_set_robust_list] = {always},
    [SYS_set_tid_address] = {always},
    [SYS_rseq] = {always},
    [SYS_gettid] = {always},
    [SYS_getcpu] = {always},
    [SYS_sched_yield] = {always},
    [SYS_sched_getaffinity] = {always},
    [SYS_sched_getparam] = {always},
    [SYS_sched_getscheduler] = {always},
    [SYS_sched_getattr] = {always},
    [SYS_sched_get_priority_max] = {always},
    [SYS_sched_get_priority_min] = {always},
    [SYS_prctl] = {always, is_checked},

    // Signals to this process alone, for `abort` and the end of an interrupted run.
    [SYS_rt_sigaction] = {always},
    [SYS_rt_sigprocmask] = {always},
    [SYS_rt_sigreturn] = {always},
    [SYS_rt_sigpending] = {always},
    [SYS_rt_sigsuspend] = {always},
    [SYS_rt_sigtimedwait] = {always},
    [SYS_sigaltstack] = {always},
    [SYS_restart_syscall] = {always},
    [SYS_kill] = {always, is_checked},
    [SYS_tgkill] = {always, is_checked},
#ifndef __GLIBC__
    // musl's `raise` passes only a thread ID, so there is no process ID to check. Landlock refuses signals to other
    // processes.
    [SYS_tkill] = {always},
#endif

    // Time.
    [SYS_clock_gettime] = {always},
    [SYS_clock_getres] = {always},
    [SYS_clock_nanosleep] = {always},
    [SYS_nanosleep] = {always},
    [SYS_gettimeofday] = {always},
    [SYS_times] = {always},

    // Information about this process and the machine, and limits of this process.
    [SYS_getpid] = {always},
    [SYS_getppid] = {always},
    [SYS_getuid] = {always},
    [SYS_geteuid] = {always},
    [SYS_getgid] = {always},
    [SYS_getegid] = {always},
    [SYS_getgroups] = {always},
    [SYS_getrusage] = {always},
    [SYS_getpriority] = {always},
    [SYS_getrlimit] = {always},
    [SYS_setrlimit] = {always},
    [SYS_prlimit64] = {always, is_checked},
    [SYS_uname] = {always},
    [SYS_sysinfo] = {always},
    [SYS_getrandom] = {always},
    [SYS_umask] = {always},

    // Open files, pipes and terminals.
    [SYS_read] = {always},
    [SYS_readv] = {always},
    [SYS_pread64] = {always},
    [SYS_preadv] = {always},
    [SYS_preadv2] = {always},
    [SYS_write] = {always},
    [SYS_writev] = {always},
    [SYS_pwrite64] = {always},
    [SYS_pwritev] = {always},
    [SYS_pwritev2] = {always},
    [SYS_lseek] = {always},
    [SYS_close] = {always},
    [call_close_range] = {always},
    [SYS_dup] = {always},
    [SYS_dup3] = {always},
    [SYS_pipe2] = {always},
    [SYS_fcntl] = {always, is_checked},
    [SYS_ioctl] = {always, is_checked},
    [SYS_fadvise64] = {always},
    [SYS_readahead] = {always},
    [SYS_sendfile] = {always},
    [SYS_copy_file_range] = {always},
    [SYS_splice] = {always},
    [SYS_ppoll] = {always},
    [SYS_pselect6] = {always},
    [SYS_epoll_create1] = {always},
    [SYS_epoll_ctl] = {always},
    [SYS_epoll_pwait] = {always},
    [call_epoll_pwait2] = {always},
    [SYS_eventfd2] = {always},

    // Opening and inspecting the files that Landlock allows. A filter cannot check the mode that openat2 gives a new
    // file, as that argument is in memory.
    [SYS_openat] = {always, is_checked},
    [call_openat2] = {always, is_missing},
    [SYS_fstat] = {always},
    [SYS_newfstatat] = {always},
    [SYS_statx] = {always},
    [SYS_faccessat] = {always},
    [call_faccessat2] = {always},
    [SYS_readlinkat] = {always},
    [SYS_getdents64] = {always},
    [SYS_getcwd] = {always},
    [SYS_statfs] = {always},
    [SYS_fstatfs] = {always},
    [SYS_fgetxattr] = {always},

    // Creating, changing and removing files: the cache with its database, and outputs. As root, SQLite gives its
    // journal the owner of the database.
    [SYS_ftruncate] = {csystem_needs_files},
    [SYS_fallocate] = {csystem_needs_files},
    [SYS_fsync] = {csystem_needs_files},
    [SYS_fdatasync] = {csystem_needs_files},
    [SYS_sync_file_range] = {csystem_needs_files},
    [SYS_flock] = {csystem_needs_files},
    [SYS_mkdirat] = {csystem_needs_files},
    [SYS_linkat] = {csystem_needs_files},
    [SYS_unlinkat] = {csystem_needs_files},
    [SYS_renameat] = {csystem_needs_files},
    [SYS_renameat2] = {csystem_needs_files},
    [SYS_fsetxattr] = {csystem_needs_files},
    [SYS_fchown] = {csystem_needs_files},

    // Copying the permissions of a file to its replacement.
    [SYS_fchmod] = {csystem_needs_permissions, is_checked},

    // Clients and name lookups. The tools never listen or accept.
    [SYS_socket] = {csystem_needs_network, is_checked},
    [SYS_socketpair] = {csystem_needs_network, is_checked},
    [SYS_connect] = {csystem_needs_network},
    [SYS_bind] = {csystem_needs_network, is_checked},
    [SYS_sendto] = {csystem_needs_network},
    [SYS_sendmsg] = {csystem_needs_network},
    [SYS_sendmmsg] = {csystem_needs_network},
    [SYS_recvfrom] = {csystem_needs_network},
    [SYS_recvmsg] = {csystem_needs_network},
    [SYS_recvmmsg] = {csystem_needs_network},
    [SYS_shutdown] = {csystem_needs_network},
    [SYS_getsockname] = {csystem_needs_network},
    [SYS_getpeername] = {csystem_needs_network},
    [SYS_getsockopt] = {csystem_needs_network},
    [SYS_setsockopt] = {csystem_needs_network, is_checked},

#ifdef __x86_64__
    // Older forms of the calls above, which only this architecture has.
    [SYS_open] = {always, is_checked},
    [SYS_stat] = {always},
    [SYS_lstat] = {always},
    [SYS_access] = {always},
    [SYS_readlink] = {always},
    [SYS_getdents] = {always},
    [SYS_dup2] = {always},
    [SYS_pipe] = {always},
    [SYS_poll] = {always},
    [SYS_select] = {always},
    [SYS_epoll_create] = {always},
    [SYS_epoll_wait] = {always},
    [SYS_eventfd] = {always},
    [SYS_time] = {always},
    [SYS_getpgrp] = {always},
    [SYS_mkdir] = {csystem_needs_files},
    [SYS_rmdir] = {csystem_needs_files},
    [SYS_link] = {csystem_needs_files},
    [SYS_unlink] = {csystem_needs_files},
    [SYS_rename] = {csystem_needs_files},
    // Registers of this thread. glibc sets them for a library that was built without shadow stacks.
    [SYS_arch_prctl] = {always},
#endif
};

#endif
