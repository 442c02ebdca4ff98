#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include "calls.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// Expands to a call's number as text, or to the name of its macro if the headers lack the call.
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number
#define NAME(call) {#call, TEXT(__NR_##call)},
#define NUMBERED(call, number) {#call, #number},

// The names of the system calls of both architectures, for messages. From 424 on the numbers are the same on all
// architectures, and headers may lack these calls.
static const struct {
    const char *name;
    const char *number;
} names[] = {
    // clang-format off
    NAME(read) NAME(write) NAME(open) NAME(close) NAME(stat) NAME(fstat) NAME(lstat) NAME(poll) NAME(lseek) NAME(mmap)
    NAME(mprotect) NAME(munmap) NAME(brk) NAME(rt_sigaction) NAME(rt_sigprocmask) NAME(rt_sigreturn) NAME(ioctl)
    NAME(pread64) NAME(pwrite64) NAME(readv) NAME(writev) NAME(access) NAME(pipe) NAME(select) NAME(sched_yield)
    NAME(mremap) NAME(msync) NAME(mincore) NAME(madvise) NAME(shmget) NAME(shmat) NAME(shmctl) NAME(dup) NAME(dup2)
    NAME(pause) NAME(nanosleep) NAME(getitimer) NAME(alarm) NAME(setitimer) NAME(getpid) NAME(sendfile) NAME(socket)
    NAME(connect) NAME(accept) NAME(sendto) NAME(recvfrom) NAME(sendmsg) NAME(recvmsg) NAME(shutdown) NAME(bind)
    NAME(listen) NAME(getsockname) NAME(getpeername) NAME(socketpair) NAME(setsockopt) NAME(getsockopt) NAME(clone)
    NAME(fork) NAME(vfork) NAME(execve) NAME(exit) NAME(wait4) NAME(kill) NAME(uname) NAME(semget) NAME(semop)
    NAME(semctl) NAME(shmdt) NAME(msgget) NAME(msgsnd) NAME(msgrcv) NAME(msgctl) NAME(fcntl) NAME(flock) NAME(fsync)
    NAME(fdatasync) NAME(truncate) NAME(ftruncate) NAME(getdents) NAME(getcwd) NAME(chdir) NAME(fchdir) NAME(rename)
    NAME(mkdir) NAME(rmdir) NAME(creat) NAME(link) NAME(unlink) NAME(symlink) NAME(readlink) NAME(chmod) NAME(fchmod)
    NAME(chown) NAME(fchown) NAME(lchown) NAME(umask) NAME(gettimeofday) NAME(getrlimit) NAME(getrusage) NAME(sysinfo)
    NAME(times) NAME(ptrace) NAME(getuid) NAME(syslog) NAME(getgid) NAME(setuid) NAME(setgid) NAME(geteuid)
    NAME(getegid) NAME(setpgid) NAME(getppid) NAME(getpgrp) NAME(setsid) NAME(setreuid) NAME(setregid) NAME(getgroups)
    NAME(setgroups) NAME(setresuid) NAME(getresuid) NAME(setresgid) NAME(getresgid) NAME(getpgid) NAME(setfsuid)
    NAME(setfsgid) NAME(getsid) NAME(capget) NAME(capset) NAME(rt_sigpending) NAME(rt_sigtimedwait)
    NAME(rt_sigqueueinfo) NAME(rt_sigsuspend) NAME(sigaltstack) NAME(utime) NAME(mknod) NAME(personality) NAME(ustat)
    NAME(statfs) NAME(fstatfs) NAME(sysfs) NAME(getpriority) NAME(setpriority) NAME(sched_setparam)
    NAME(sched_getparam) NAME(sched_setscheduler) NAME(sched_getscheduler) NAME(sched_get_priority_max)
    NAME(sched_get_priority_min) NAME(sched_rr_get_interval) NAME(mlock) NAME(munlock) NAME(mlockall) NAME(munlockall)
    NAME(vhangup) NAME(modify_ldt) NAME(pivot_root) NAME(prctl) NAME(arch_prctl) NAME(adjtimex) NAME(setrlimit)
    NAME(chroot) NAME(sync) NAME(acct) NAME(settimeofday) NAME(mount) NAME(umount2) NAME(swapon) NAME(swapoff)
    NAME(reboot) NAME(sethostname) NAME(setdomainname) NAME(iopl) NAME(ioperm) NAME(init_module) NAME(delete_module)
    NAME(quotactl) NAME(gettid) NAME(readahead) NAME(setxattr) NAME(lsetxattr) NAME(fsetxattr) NAME(getxattr)
    NAME(lgetxattr) NAME(fgetxattr) NAME(listxattr) NAME(llistxattr) NAME(flistxattr) NAME(removexattr)
    NAME(lremovexattr) NAME(fremovexattr) NAME(tkill) NAME(time) NAME(futex) NAME(sched_setaffinity)
    NAME(sched_getaffinity) NAME(set_thread_area) NAME(io_setup) NAME(io_destroy) NAME(io_getevents) NAME(io_submit)
    NAME(io_cancel) NAME(get_thread_area) NAME(lookup_dcookie) NAME(epoll_create) NAME(remap_file_pages)
    NAME(getdents64) NAME(set_tid_address) NAME(restart_syscall) NAME(semtimedop) NAME(fadvise64) NAME(timer_create)
    NAME(timer_settime) NAME(timer_gettime) NAME(timer_getoverrun) NAME(timer_delete) NAME(clock_settime)
    NAME(clock_gettime) NAME(clock_getres) NAME(clock_nanosleep) NAME(exit_group) NAME(epoll_wait) NAME(epoll_ctl)
    NAME(tgkill) NAME(utimes) NAME(mbind) NAME(set_mempolicy) NAME(get_mempolicy) NAME(mq_open) NAME(mq_unlink)
    NAME(mq_timedsend) NAME(mq_timedreceive) NAME(mq_notify) NAME(mq_getsetattr) NAME(kexec_load) NAME(waitid)
    NAME(add_key) NAME(request_key) NAME(keyctl) NAME(ioprio_set) NAME(ioprio_get) NAME(inotify_init)
    NAME(inotify_add_watch) NAME(inotify_rm_watch) NAME(migrate_pages) NAME(openat) NAME(mkdirat) NAME(mknodat)
    NAME(fchownat) NAME(futimesat) NAME(newfstatat) NAME(unlinkat) NAME(renameat) NAME(linkat) NAME(symlinkat)
    NAME(readlinkat) NAME(fchmodat) NAME(faccessat) NAME(pselect6) NAME(ppoll) NAME(unshare) NAME(set_robust_list)
    NAME(get_robust_list) NAME(splice) NAME(tee) NAME(sync_file_range) NAME(vmsplice) NAME(move_pages) NAME(utimensat)
    NAME(epoll_pwait) NAME(signalfd) NAME(timerfd_create) NAME(eventfd) NAME(fallocate) NAME(timerfd_settime)
    NAME(timerfd_gettime) NAME(accept4) NAME(signalfd4) NAME(eventfd2) NAME(epoll_create1) NAME(dup3) NAME(pipe2)
    NAME(inotify_init1) NAME(preadv) NAME(pwritev) NAME(rt_tgsigqueueinfo) NAME(perf_event_open) NAME(recvmmsg)
    NAME(fanotify_init) NAME(fanotify_mark) NAME(prlimit64) NAME(name_to_handle_at) NAME(open_by_handle_at)
    NAME(clock_adjtime) NAME(syncfs) NAME(sendmmsg) NAME(setns) NAME(getcpu) NAME(process_vm_readv)
    NAME(process_vm_writev) NAME(kcmp) NAME(finit_module) NAME(sched_setattr) NAME(sched_getattr) NAME(renameat2)
    NAME(seccomp) NAME(getrandom) NAME(memfd_create) NAME(kexec_file_load) NAME(bpf) NAME(execveat) NAME(userfaultfd)
    NAME(membarrier) NAME(mlock2) NAME(copy_file_range) NAME(preadv2) NAME(pwritev2) NAME(pkey_mprotect)
    NAME(pkey_alloc) NAME(pkey_free) NAME(statx) NAME(io_pgetevents) NAME(rseq) NAME(fstatat) NAME(sync_file_range2)
    NUMBERED(pidfd_send_signal, 424) NUMBERED(io_uring_setup, 425) NUMBERED(io_uring_enter, 426)
    NUMBERED(io_uring_register, 427) NUMBERED(open_tree, 428) NUMBERED(move_mount, 429) NUMBERED(fsopen, 430)
    NUMBERED(fsconfig, 431) NUMBERED(fsmount, 432) NUMBERED(fspick, 433) NUMBERED(pidfd_open, 434)
    NUMBERED(clone3, 435) NUMBERED(close_range, 436) NUMBERED(openat2, 437) NUMBERED(pidfd_getfd, 438)
    NUMBERED(faccessat2, 439) NUMBERED(process_madvise, 440) NUMBERED(epoll_pwait2, 441) NUMBERED(mount_setattr, 442)
    NUMBERED(quotactl_fd, 443) NUMBERED(landlock_create_ruleset, 444) NUMBERED(landlock_add_rule, 445)
    NUMBERED(landlock_restrict_self, 446) NUMBERED(memfd_secret, 447) NUMBERED(process_mrelease, 448)
    NUMBERED(futex_waitv, 449) NUMBERED(set_mempolicy_home_node, 450) NUMBERED(cachestat, 451)
    NUMBERED(fchmodat2, 452) NUMBERED(map_shadow_stack, 453) NUMBERED(futex_wake, 454) NUMBERED(futex_wait, 455)
    NUMBERED(futex_requeue, 456) NUMBERED(statmount, 457) NUMBERED(listmount, 458) NUMBERED(lsm_get_self_attr, 459)
    NUMBERED(lsm_set_self_attr, 460) NUMBERED(lsm_list_modules, 461) NUMBERED(mseal, 462) NUMBERED(setxattrat, 463)
    NUMBERED(getxattrat, 464) NUMBERED(listxattrat, 465) NUMBERED(removexattrat, 466) NUMBERED(open_tree_attr, 467)
    NUMBERED(file_getattr, 468) NUMBERED(file_setattr, 469)
    // clang-format on
};

static const char *name_of(int call) {
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        char first = names[index].number[0];
        if (first >= '0' && first <= '9' && atoi(names[index].number) == call) return names[index].name;
    }
    return "of an unknown number";
}

static struct csystem_report line;
// Whether a call was reported, by its number. Numbers from 1023 on share the last element.
static atomic_bool reported[1024];

static char *append(char *end, const char *limit, const char *text) {
    size_t length = strlen(text);
    if (length > (size_t)(limit - end)) length = (size_t)(limit - end);
    memcpy(end, text, length);
    return end + length;
}

// Calls only functions that are allowed in a handler (signal-safety(7)). `atoi`, `strlen` and `memcpy` hold no locks.
static void report(int signal, siginfo_t *info, void *context) {
    (void)signal;
    int kept = errno;
    unsigned call = (unsigned)info->si_syscall;
    if (!atomic_exchange(&reported[call < 1023 ? call : 1023], true)) {
        char text[1024];
        const char *limit = text + sizeof text;
        char *end = append(text, limit, line.before);
        end = append(end, limit, name_of((int)call));
        end = append(end, limit, line.after);
        if (write(2, text, (size_t)(end - text)) < 0) {}
    }
    // The call returns the error that the filter has chosen.
    ucontext_t *resumed = context;
#ifdef __x86_64__
    resumed->uc_mcontext.gregs[REG_RAX] = -info->si_errno;
#else
    resumed->uc_mcontext.regs[0] = (unsigned long long)-info->si_errno;
#endif
    errno = kept;
}

bool csystem_report_refusals(const struct csystem_report *wanted) {
    line = *wanted;
    struct sigaction action = {.sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_RESTART};
    return sigaction(SIGSYS, &action, NULL) == 0;
}

#endif
