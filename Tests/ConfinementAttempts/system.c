#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "attempts.h"

#include <errno.h>

#ifdef __linux__

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <time.h>

int pipe_end = -1, program_file = -1, victim_path = -1;

void confinement_prepare(const struct confinement_target *target) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0) pipe_end = ends[0];
    program_file = open("/bin/true", O_RDONLY | O_CLOEXEC);
    victim_path = open(target->victim, O_PATH | O_CLOEXEC);
}

long open_proc(TARGET target, const char *name, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)target->process, name);
    return CALL(openat, AT_FDCWD, path, flags, 0);
}

// Calls that would harm the machine have arguments that the kernel rejects. Any error except EPERM and ENOSYS then
// shows that the sandbox let the call through, which counts as success.
static long harmless(long result) { return result < 0 && errno != EPERM && errno != ENOSYS ? 0 : result; }

static long try_bpf(TARGET t) { (void)t; return harmless(CALL(bpf, -1, 0, 0)); }
static long try_perf(TARGET t) { (void)t; return harmless(CALL(perf_event_open, 0, -1, -1, -1, 0)); }
static long try_ring(TARGET t) { (void)t; return harmless(NUMBER(425, 1, 0)); }
static long try_ring_enter(TARGET t) { (void)t; return harmless(NUMBER(426, -1, 0, 0, 0, 0, 0)); }
static long try_ring_register(TARGET t) { (void)t; return harmless(NUMBER(427, -1, 0, 0, 0)); }
static long try_page_faults(TARGET t) { (void)t; return harmless(CALL(userfaultfd, -1)); }
static long try_add_key(TARGET t) { (void)t; return harmless(CALL(add_key, 0, 0, 0, 0, 0)); }
static long try_request_key(TARGET t) { (void)t; return harmless(CALL(request_key, 0, 0, 0, 0)); }
static long try_keys(TARGET t) { (void)t; return harmless(CALL(keyctl, 0, -3, 0)); }
static long try_module(TARGET t) { (void)t; return harmless(CALL(init_module, 0, 0, 0)); }
static long try_module_file(TARGET t) { (void)t; return harmless(CALL(finit_module, -1, 0, 0)); }
static long try_remove_module(TARGET t) { (void)t; return harmless(CALL(delete_module, 0, 0)); }
static long try_kexec(TARGET t) { (void)t; return harmless(CALL(kexec_load, 0, -1, 0, -1)); }
static long try_reboot(TARGET t) { (void)t; return harmless(CALL(reboot, 0, 0, 0, 0)); }
static long try_kernel_log(TARGET t) { (void)t; return harmless(CALL(syslog, 10, 0, 0)); }
static long try_accounting(TARGET t) { (void)t; return harmless(CALL(acct, "/nonexistent/file")); }
static long try_host_name(TARGET t) { (void)t; return harmless(CALL(sethostname, "x", -1)); }
static long try_domain_name(TARGET t) { (void)t; return harmless(CALL(setdomainname, "x", -1)); }
static long try_set_time(TARGET t) { (void)t; return harmless(CALL(settimeofday, &(struct timeval){-1, -1}, 0)); }
static long try_set_clock(TARGET t) { (void)t; return harmless(CALL(clock_settime, 0, &(struct timespec){-1, -1})); }
static long try_adjust_clock(TARGET t) { (void)t; return harmless(CALL(clock_adjtime, -1, 0)); }
static long try_quota_file(TARGET t) { (void)t; return harmless(NUMBER(443, -1, 0, 0, 0)); }
static long try_secret_memory(TARGET t) { (void)t; return harmless(NUMBER(447, -1)); }
static long try_landlock(TARGET t) { (void)t; return harmless(NUMBER(444, 0, 0, -1)); }
static long try_shared_memory(TARGET t) { (void)t; return harmless(CALL(shmget, 0, 0, 0)); }
static long try_messages(TARGET t) { (void)t; return harmless(CALL(msgget, 0, 0)); }
static long try_semaphores(TARGET t) { (void)t; return harmless(CALL(semget, 0, -1, 0)); }
static long try_message_queue(TARGET t) { (void)t; return harmless(CALL(mq_open, "", 0, 0, 0)); }
static long try_asynchronous(TARGET t) { (void)t; return harmless(CALL(io_setup, 0, 0)); }
static long try_timer(TARGET t) { (void)t; return harmless(CALL(timer_create, -1, 0, 0)); }
static long try_lock_memory(TARGET t) { (void)t; return harmless(CALL(mlockall, 0)); }
static long try_old_pages(TARGET t) { (void)t; return harmless(CALL(remap_file_pages, 0, 0, 0, 0, 0)); }
static long try_module_list(TARGET t) { (void)t; return harmless(NUMBER(461, 0, 0, -1)); }
static long try_mounts(TARGET t) { (void)t; return harmless(NUMBER(458, 0, 0, 0, -1)); }
static long try_type(TARGET t) { (void)t; return harmless(CALL(ioctl, 0, TIOCSTI, "\n")); }
static long try_paste(TARGET t) { (void)t; return harmless(CALL(ioctl, 0, TIOCLINUX, "\3")); }
static long try_take_terminal(TARGET t) { (void)t; return harmless(CALL(ioctl, 0, TIOCSCTTY, 1)); }
static long try_later_call(TARGET t) { (void)t; return harmless(NUMBER(470, -1, -1, -1, -1)); }
static long try_far_call(TARGET t) { (void)t; return harmless(NUMBER(100000, -1, -1, -1, -1)); }
#ifdef __x86_64__
static long try_x32(TARGET t) { (void)t; return harmless(NUMBER(0x40000000 + SYS_getpid)); }
static long try_ports(TARGET t) { (void)t; return harmless(CALL(iopl, -1)); }
static long try_port_bits(TARGET t) { (void)t; return harmless(CALL(ioperm, -1, -1, -1)); }
static long try_segments(TARGET t) { (void)t; return harmless(CALL(modify_ldt, -1, 0, 0)); }
#endif

static const struct attempt attempts[] = {
    TRY(bpf), TRY(perf), TRY(ring), TRY(ring_enter), TRY(ring_register), TRY(page_faults), TRY(add_key),
    TRY(request_key), TRY(keys), TRY(module), TRY(module_file), TRY(remove_module), TRY(kexec), TRY(reboot),
    TRY(kernel_log), TRY(accounting), TRY(host_name), TRY(domain_name), TRY(set_time), TRY(set_clock),
    TRY(adjust_clock), TRY(quota_file), TRY(secret_memory), TRY(landlock), TRY(shared_memory),
    TRY(messages), TRY(semaphores), TRY(message_queue), TRY(asynchronous), TRY(timer), TRY(lock_memory),
    TRY(old_pages), TRY(module_list), TRY(mounts), TRY(type), TRY(paste), TRY(take_terminal), TRY(later_call),
    TRY(far_call),
#ifdef __x86_64__
    TRY(x32), TRY(ports), TRY(port_bits), TRY(segments),
#endif
};
static const int own_count = sizeof attempts / sizeof *attempts;

int confinement_attempt_count(void) {
    return file_attempt_count + process_attempt_count + socket_attempt_count + own_count;
}

static const struct attempt *found(int index) {
    if (index < file_attempt_count) return file_attempts + index;
    index -= file_attempt_count;
    if (index < process_attempt_count) return process_attempts + index;
    index -= process_attempt_count;
    if (index < socket_attempt_count) return socket_attempts + index;
    return attempts + (index - socket_attempt_count);
}

int confinement_attempt(int index, const struct confinement_target *target, const char **name) {
    const struct attempt *attempt = found(index);
    *name = attempt->name;
    return attempt->run(target) < 0 ? errno : 0;
}

#else

bool confinement_start_process(struct confinement_target *target) { (void)target; return false; }
void confinement_prepare(const struct confinement_target *target) { (void)target; }
int confinement_attempt_count(void) { return 0; }
int confinement_attempt(int index, const struct confinement_target *target, const char **name) {
    (void)index, (void)target, (void)name;
    return ENOSYS;
}

#endif
