#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static struct flock byte_at(int64_t offset, short type) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
}

void csystem_sign_byte(int descriptor, int64_t offset, bool is_signed) {
    struct flock lock = byte_at(offset, is_signed ? F_WRLCK : F_UNLCK);
    fcntl(descriptor, F_SETLK, &lock);
}

pid_t csystem_byte_signer(int descriptor, int64_t offset) {
    struct flock lock = byte_at(offset, F_WRLCK);
    if (fcntl(descriptor, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK || lock.l_pid <= 0) return 0;
    return lock.l_pid;
}

int64_t csystem_processor_time(pid_t process) {
#ifdef __linux__
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return -1;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
#else
    (void)process;
    return -1;
#endif
}

#ifdef F_OFD_SETLK

bool csystem_has_byte_locks(void) { return true; }

int csystem_lock_byte(int descriptor, int64_t offset) {
    struct flock lock = byte_at(offset, F_WRLCK);
    while (fcntl(descriptor, F_OFD_SETLK, &lock) != 0) {
        if (errno == EAGAIN || errno == EACCES) return 0;
        if (errno != EINTR) return -1;
    }
    return 1;
}

void csystem_unlock_byte(int descriptor, int64_t offset) {
    struct flock lock = byte_at(offset, F_UNLCK);
    fcntl(descriptor, F_OFD_SETLK, &lock);
}

int csystem_is_byte_locked(int descriptor, int64_t offset) {
    struct flock lock = byte_at(offset, F_WRLCK);
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
    return lock.l_type != F_UNLCK;
}

#else

bool csystem_has_byte_locks(void) { return false; }

int csystem_lock_byte(int descriptor, int64_t offset) {
    (void)descriptor, (void)offset;
    errno = ENOTSUP;
    return -1;
}

void csystem_unlock_byte(int descriptor, int64_t offset) { (void)descriptor, (void)offset; }

int csystem_is_byte_locked(int descriptor, int64_t offset) {
    (void)descriptor, (void)offset;
    errno = ENOTSUP;
    return -1;
}

#endif
