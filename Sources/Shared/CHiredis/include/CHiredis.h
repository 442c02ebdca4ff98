// hiredis, loaded when it is first used, as few runs have a Redis server as their remote.
//
// Its structures changed between 0.14 and 1.0, and again after that. So this is built with the header
// <hiredis/hiredis.h> if that is there, and loads the library of the binary interface that the header names.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

/// Loads the library, the first time it is called. NULL if Redis servers can be used, else why not and what to install.
/// Any number of threads may call it.
const char *_Nullable chiredis_load(void);

/// A connection to a server, for one thread at a time, except for `chiredis_wake`.
typedef struct chiredis_connection chiredis_connection;

#define CHIREDIS_MESSAGE_CAPACITY 160

/// Connects to an address, not to a name. Only after `chiredis_load` gave NULL. NULL with a message if that fails.
chiredis_connection *_Nullable chiredis_connect(
    const char *address, int port, int milliseconds, char message[_Nonnull CHIREDIS_MESSAGE_CAPACITY]);

void chiredis_close(chiredis_connection *connection);

/// Makes what waits on the connection fail at once. Any thread may call it while the connection is open.
void chiredis_wake(chiredis_connection *connection);

typedef enum {
    /// There is no such key, or a condition was not met.
    CHIREDIS_NIL,
    CHIREDIS_INTEGER,
    /// Bytes, or a status such as "OK".
    CHIREDIS_BYTES,
    /// The server refuses the command; the bytes say why.
    CHIREDIS_ERROR,
    /// An array or the like, which no command that is used here gives.
    CHIREDIS_OTHER,
} chiredis_kind;

typedef struct {
    chiredis_kind kind;
    int64_t integer;
    const char *_Nullable bytes;
    size_t count;
    /// Whether there was no reply in time.
    bool is_late;
    /// To be freed by `chiredis_free`.
    void *_Nullable reply;
} chiredis_reply;

/// Sends a command and waits for its reply, at most so many milliseconds for each step. False with a message if the
/// connection is of no use any more.
bool chiredis_command(
    chiredis_connection *connection, int milliseconds, int count, const char *_Nonnull *_Nonnull arguments,
    const size_t *lengths, chiredis_reply *reply, char message[_Nonnull CHIREDIS_MESSAGE_CAPACITY]);

void chiredis_free(chiredis_reply *reply);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif
