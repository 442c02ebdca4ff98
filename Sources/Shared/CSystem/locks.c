#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef F_OFD_SETLK

static struct flock byte_at(int64_t offset, short type) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
}

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
