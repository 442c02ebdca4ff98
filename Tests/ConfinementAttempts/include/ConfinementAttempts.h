// What a confined process may not do in any tool: each is tried, by the calls themselves rather than by functions of the
// C library, which may use others.
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

// Starts a process that reads datagrams at `target->socket`, and ends a minute later or at the first signal or datagram;
// fills in its id. Returns false if that fails.
bool confinement_start_process(struct confinement_target *target);

// Opens what is opened before the rights are given up.
void confinement_prepare(const struct confinement_target *target);

// The number of attempts; 0 on systems without confinement.
int confinement_attempt_count(void);

// Tries one, and returns the error number; 0 if it was done. Stores its name.
int confinement_attempt(int index, const struct confinement_target *target, const char **name);
