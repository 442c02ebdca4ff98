#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "attempts.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

bool confinement_start_process(struct confinement_target *target) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, target->socket, sizeof address.sun_path - 1);
    int reader = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (reader < 0 || bind(reader, (struct sockaddr *)&address, sizeof address) != 0) return false;
    target->process = fork();
    if (target->process == 0) {
        close(0), close(1), close(2);
        alarm(60);
        char byte;
        _exit(recv(reader, &byte, 1, 0) < 0 ? 1 : 2);
    }
    close(reader);
    return target->process > 0;
}

// MARK: Other processes

static long try_kill(TARGET t) { return CALL(kill, t->process, SIGKILL); }
static long try_kill_group(TARGET t) { (void)t; return CALL(kill, 0, 0); }
static long try_kill_all(TARGET t) { (void)t; return CALL(kill, -1, 0); }
static long try_tkill(TARGET t) { return CALL(tkill, t->process, SIGKILL); }
static long try_tgkill(TARGET t) { return CALL(tgkill, t->process, t->process, SIGKILL); }
static long try_queue(TARGET t) {
    siginfo_t info = {.si_signo = SIGKILL, .si_code = SI_QUEUE};
    return CALL(rt_sigqueueinfo, t->process, SIGKILL, &info);
}
static long try_queue_thread(TARGET t) {
    siginfo_t info = {.si_signo = SIGKILL, .si_code = SI_QUEUE};
    return CALL(rt_tgsigqueueinfo, t->process, t->process, SIGKILL, &info);
}
static long try_pidfd(TARGET t) { return NUMBER(434, t->process, 0); }
static long try_pidfd_signal(TARGET t) { (void)t; return NUMBER(424, 0, SIGKILL, 0, 0); }
static long try_pidfd_getfd(TARGET t) { (void)t; return NUMBER(438, 0, 0, 0); }
static long try_limit(TARGET t) {
    struct rlimit none = {0, 0};
    return CALL(prlimit64, t->process, RLIMIT_CPU, &none, 0);
}
static long try_limit_look(TARGET t) {
    struct rlimit found;
    return CALL(prlimit64, t->process, RLIMIT_CPU, 0, &found);
}
static long try_set_owner(TARGET t) { return CALL(fcntl, pipe_end, F_SETOWN, t->process); }
static long try_set_owner_ex(TARGET t) {
    struct f_owner_ex owner = {F_OWNER_PID, t->process};
    return CALL(fcntl, pipe_end, F_SETOWN_EX, &owner);
}
static long try_set_signal(TARGET t) { (void)t; return CALL(fcntl, pipe_end, F_SETSIG, 9); }
static long try_ioctl_owner(TARGET t) {
    int process = t->process;
    return CALL(ioctl, pipe_end, 0x8901, &process);  // FIOSETOWN
}
static long try_ptrace(TARGET t) { return CALL(ptrace, PTRACE_SEIZE, t->process, 0, 0); }
static long try_traceme(TARGET t) { (void)t; return CALL(ptrace, PTRACE_TRACEME, 0, 0, 0); }
static long vm(TARGET t, long number) {
    char byte;
    struct iovec own = {&byte, 1}, other = {(void *)&pipe_end, 1};
    return syscall(number, t->process, &own, 1, &other, 1, 0);
}
static long try_vm_read(TARGET t) { return vm(t, SYS_process_vm_readv); }
static long try_vm_write(TARGET t) { return vm(t, SYS_process_vm_writev); }
static long try_madvise(TARGET t) { (void)t; return NUMBER(440, 0, 0, 0, 0, 0); }
static long try_kcmp(TARGET t) { return CALL(kcmp, t->process, getpid(), 0, 0, 0); }
static long try_robust_list(TARGET t) {
    void *list;
    size_t size;
    return CALL(get_robust_list, t->process, &list, &size);
}
static long try_move_pages(TARGET t) { return CALL(move_pages, t->process, 0, 0, 0, 0, 0); }
static long try_migrate_pages(TARGET t) { return CALL(migrate_pages, t->process, 0, 0, 0); }
static long try_affinity(TARGET t) {
    unsigned long first = 1;
    return CALL(sched_setaffinity, t->process, sizeof first, &first);
}
static long try_scheduler(TARGET t) {
    struct sched_param param = {0};
    return CALL(sched_setscheduler, t->process, SCHED_IDLE, &param);
}
static long try_scheduler_param(TARGET t) {
    struct sched_param param = {0};
    return CALL(sched_setparam, t->process, &param);
}
static long try_priority(TARGET t) { return CALL(setpriority, PRIO_PROCESS, t->process, 19); }
static long try_user_priority(TARGET t) { (void)t; return CALL(setpriority, PRIO_USER, 0, 19); }
static long try_disk_priority(TARGET t) { return CALL(ioprio_set, 1, t->process, 3 << 13); }
static long try_group(TARGET t) { return CALL(setpgid, t->process, 0); }
static long try_session(TARGET t) { (void)t; return CALL(setsid); }
static long try_reap(TARGET t) { return CALL(wait4, t->process, 0, 1, 0); }
static long try_memory_file(TARGET t) { return open_proc(t, "mem", O_RDWR); }
static long try_environ(TARGET t) { return open_proc(t, "environ", O_RDONLY); }
static long try_own_memory_file(TARGET t) { (void)t; return CALL(openat, AT_FDCWD, "/proc/self/mem", O_RDWR, 0); }

// MARK: Programs, processes and namespaces

static long run(const char *program, const char *argument) {
    char *words[] = {(char *)program, (char *)argument, 0};
    char *none[] = {0};
    return CALL(execve, program, words, none);
}
static long try_run(TARGET t) { (void)t; return run("/bin/true", 0); }
static long try_run_self(TARGET t) { (void)t; return run("/proc/self/exe", "--"); }
static long try_run_loader(TARGET t) {
    (void)t;
#ifdef __x86_64__
    return run("/lib64/ld-linux-x86-64.so.2", "/bin/true");
#else
    return run("/lib/ld-linux-aarch64.so.1", "/bin/true");
#endif
}
static long try_run_open(TARGET t) {
    (void)t;
    char *none[] = {0};
    return CALL(execveat, program_file, "", none, none, AT_EMPTY_PATH);
}
static long try_memory_program(TARGET t) { (void)t; return CALL(memfd_create, "x", 0); }
// Exits immediately in the child process. In the parent, returns the ID of the child, or a negative number on failure.
static long forked(long process) {
    if (process == 0) _exit(0);
    return process;
}
#ifdef SYS_fork
static long try_fork(TARGET t) { (void)t; return forked(CALL(fork)); }
#endif
static long try_clone(TARGET t) { (void)t; return forked(CALL(clone, SIGCHLD, 0, 0, 0, 0)); }
static long try_clone_user(TARGET t) {
    (void)t;
    return forked(CALL(clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}
static long try_clone3(TARGET t) {
    (void)t;
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    return forked(NUMBER(435, &arguments, sizeof arguments));
}
static long try_unshare_user(TARGET t) { (void)t; return CALL(unshare, CLONE_NEWUSER); }
static long try_unshare_mounts(TARGET t) { (void)t; return CALL(unshare, CLONE_NEWNS); }
static long try_unshare_network(TARGET t) { (void)t; return CALL(unshare, CLONE_NEWNET); }
static long try_setns(TARGET t) { (void)t; return CALL(setns, pipe_end, 0); }
static long try_personality(TARGET t) { (void)t; return CALL(personality, 0x0040000); }

// MARK: Rights of this process

static long try_setuid(TARGET t) { (void)t; return CALL(setuid, getuid()); }
static long try_setgid(TARGET t) { (void)t; return CALL(setgid, getgid()); }
static long try_setresuid(TARGET t) { (void)t; return CALL(setresuid, -1, -1, -1); }
static long try_setgroups(TARGET t) { (void)t; return CALL(setgroups, 0, 0); }
static long try_setfsuid(TARGET t) {
    (void)t;
    // setfsuid returns the previous ID on success, so only a refusal by the sandbox is negative.
    return CALL(setfsuid, -1);
}
static long try_capset(TARGET t) { (void)t; return CALL(capset, 0, 0); }
static long try_dumpable(TARGET t) { (void)t; return CALL(prctl, PR_SET_DUMPABLE, 1, 0, 0, 0); }
static long try_tracer(TARGET t) { (void)t; return CALL(prctl, 0x59616d61, -1, 0, 0, 0); }
static long try_keep_capabilities(TARGET t) { (void)t; return CALL(prctl, PR_SET_KEEPCAPS, 0, 0, 0, 0); }
static long try_subreaper(TARGET t) { (void)t; return CALL(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }
static long try_seccomp(TARGET t) { (void)t; return CALL(seccomp, 2, 0, &(int){0}); }

const struct attempt process_attempts[] = {
    TRY(kill), TRY(kill_group), TRY(kill_all), TRY(tkill), TRY(tgkill), TRY(queue), TRY(queue_thread), TRY(pidfd),
    TRY(pidfd_signal), TRY(pidfd_getfd), TRY(limit), TRY(limit_look), TRY(set_owner), TRY(set_owner_ex),
    TRY(set_signal), TRY(ioctl_owner), TRY(ptrace), TRY(traceme), TRY(vm_read), TRY(vm_write), TRY(madvise), TRY(kcmp),
    TRY(robust_list), TRY(move_pages), TRY(migrate_pages), TRY(affinity), TRY(scheduler), TRY(scheduler_param),
    TRY(priority), TRY(user_priority), TRY(disk_priority), TRY(group), TRY(session), TRY(reap), TRY(memory_file),
    TRY(environ), TRY(own_memory_file), TRY(run), TRY(run_self), TRY(run_loader), TRY(run_open), TRY(memory_program),
#ifdef SYS_fork
    TRY(fork),
#endif
    TRY(clone), TRY(clone_user), TRY(clone3), TRY(unshare_user), TRY(unshare_mounts), TRY(unshare_network), TRY(setns),
    TRY(personality), TRY(setuid), TRY(setgid), TRY(setresuid), TRY(setgroups), TRY(setfsuid), TRY(capset),
    TRY(dumpable), TRY(tracer), TRY(keep_capabilities), TRY(subreaper), TRY(seccomp),
};
const int process_attempt_count = sizeof process_attempts / sizeof *process_attempts;

#endif
