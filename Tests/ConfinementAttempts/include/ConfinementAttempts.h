// Attempts that must fail in every confined tool. They make system calls directly, since functions of the C library may
// make other calls.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// The places that are attacked.
struct confinement_target {
    const char *victim;   // a file outside of the plan
    const char *folder;   // the folder that it is in
    const char *cache;    // a folder that the plan allows to change
    const char *socket;   // a datagram socket that another process reads
    pid_t process;        // that process, of the same user
};

// Starts a process that reads datagrams at `target->socket`, and stores its id. It ends after a minute, by a signal, or
// when it gets a datagram. Returns false if that fails.
bool confinement_start_process(struct confinement_target *target);

// Opens the files that an attacker may have inherited. Call it before the process is confined.
void confinement_prepare(const struct confinement_target *target);

// The number of attempts; 0 on systems without confinement.
int confinement_attempt_count(void);

// Tries one, and returns the error number; 0 if it was done. Stores its name.
int confinement_attempt(int index, const struct confinement_target *target, const char **name);
