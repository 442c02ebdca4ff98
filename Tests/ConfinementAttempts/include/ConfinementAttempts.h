// Attempts that must fail in every confined tool. They make system calls directly, because functions of the C library
// may make other calls.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// The targets of the attempts.
struct confinement_target {
    const char *victim;   // a file outside the plan
    const char *folder;   // the folder of the victim
    const char *cache;    // a folder that the plan makes writable
    const char *socket;   // a datagram socket that another process reads
    pid_t process;        // the ID of that process, which has the same user
};

// Starts a process that reads datagrams at `target->socket`, and stores its ID. The process ends after a minute, by a
// signal, or when it receives a datagram. Returns false on failure.
bool confinement_start_process(struct confinement_target *target);

// Opens the files that an attacker may have inherited. Must be called before the process is confined.
void confinement_prepare(const struct confinement_target *target);

// The number of attempts; 0 on systems without confinement.
int confinement_attempt_count(void);

// Performs an attempt and stores its name. Returns the error number; 0 if the attempt succeeded.
int confinement_attempt(int index, const struct confinement_target *target, const char **name);
