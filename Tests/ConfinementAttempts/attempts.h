// Declarations for the source files that define the attempts.
#pragma once

#include "ConfinementAttempts.h"

#ifdef __linux__

#include <sys/syscall.h>
#include <unistd.h>

#define TARGET const struct confinement_target *
#define CALL(name, ...) syscall(SYS_##name __VA_OPT__(, ) __VA_ARGS__)
// Makes a system call that is newer than some headers. The numbers of these calls are the same on all architectures.
#define NUMBER(number, ...) syscall(number __VA_OPT__(, ) __VA_ARGS__)
#define TRY(name) {#name, try_##name}

struct attempt {
    const char *name;
    long (*run)(TARGET target);
};

extern const struct attempt file_attempts[], process_attempts[], socket_attempts[];
extern const int file_attempt_count, process_attempt_count, socket_attempt_count;

// Files opened before confinement: one end of a pipe, and a program.
extern int pipe_end, program_file;
// A descriptor of the victim opened with O_PATH, which permits neither reading nor writing.
extern int victim_path;

// Opens a file of the attacked process in /proc.
long open_proc(TARGET target, const char *name, int flags);

#endif
