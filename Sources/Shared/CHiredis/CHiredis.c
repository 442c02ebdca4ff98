#include "CHiredis.h"

#include <CLibraryLoading.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>

#if __has_include(<hiredis/hiredis.h>)
#include <hiredis/hiredis.h>

// The functions that are used, found by name.
static struct {
    redisContext *(*connect)(const char *address, int port, const struct timeval timeout);
    void (*free)(redisContext *context);
    int (*set_timeout)(redisContext *context, const struct timeval timeout);
    int (*keep_alive)(redisContext *context);
    void *(*command)(redisContext *context, int count, const char **arguments, const size_t *lengths);
    void (*free_reply)(void *reply);
} hiredis;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *load_error;

static void load(void) {
#if HIREDIS_MAJOR == 0
    CLOADING_NAMES(names, "libhiredis.so.0.14", "libhiredis.0.14.dylib");
#elif HIREDIS_MINOR == 0
    CLOADING_NAMES(names, "libhiredis.so.1.0.0", "libhiredis.1.0.0.dylib");
#else
    CLOADING_NAMES(names, "libhiredis.so.1.1.0", "libhiredis.1.1.0.dylib");
#endif
    void *library = cloading_open(names);
    if (library == NULL) {
        load_error =
            "a Redis remote needs hiredis, which is not installed or has another version than the tools were built "
            "with; install libhiredis0.14 or libhiredis1.1.0 (Debian) or hiredis (Homebrew)";
        return;
    }
    const struct cloading_function functions[] = {
        {&hiredis.connect, "redisConnectWithTimeout"},
        {&hiredis.free, "redisFree"},
        {&hiredis.set_timeout, "redisSetTimeout"},
        {&hiredis.keep_alive, "redisEnableKeepAlive"},
        {&hiredis.command, "redisCommandArgv"},
        {&hiredis.free_reply, "freeReplyObject"},
    };
    if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        load_error = "libhiredis lacks a function that it should have: install it anew";
    }
}

const char *chiredis_load(void) {
    pthread_once(&once, load);
    return load_error;
}

static redisContext *context_of(chiredis_connection *connection) { return (redisContext *)connection; }

static struct timeval time_of(int milliseconds) {
    return (struct timeval){.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
}

chiredis_connection *chiredis_connect(
    const char *address, int port, int milliseconds, char message[CHIREDIS_MESSAGE_CAPACITY]) {
    redisContext *context = hiredis.connect(address, port, time_of(milliseconds));
    if (context == NULL) {
        snprintf(message, CHIREDIS_MESSAGE_CAPACITY, "there is no memory left");
        return NULL;
    }
    if (context->err != 0) {
        snprintf(message, CHIREDIS_MESSAGE_CAPACITY, "%s", context->errstr);
        hiredis.free(context);
        return NULL;
    }
    hiredis.keep_alive(context);
    return (chiredis_connection *)context;
}

void chiredis_close(chiredis_connection *connection) { hiredis.free(context_of(connection)); }

void chiredis_wake(chiredis_connection *connection) { shutdown(context_of(connection)->fd, SHUT_RDWR); }

static chiredis_kind kind_of(const redisReply *reply) {
    switch (reply->type) {
    case REDIS_REPLY_NIL: return CHIREDIS_NIL;
    case REDIS_REPLY_INTEGER: return CHIREDIS_INTEGER;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS: return CHIREDIS_BYTES;
    case REDIS_REPLY_ERROR: return CHIREDIS_ERROR;
    default: return CHIREDIS_OTHER;
    }
}

bool chiredis_command(
    chiredis_connection *connection, int milliseconds, int count, const char **arguments, const size_t *lengths,
    chiredis_reply *reply, char message[CHIREDIS_MESSAGE_CAPACITY]) {
    redisContext *context = context_of(connection);
    hiredis.set_timeout(context, time_of(milliseconds));
    redisReply *found = hiredis.command(context, count, arguments, lengths);
    if (found == NULL) {
        *reply = (chiredis_reply){
            .is_late = context->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK)};
        snprintf(
            message, CHIREDIS_MESSAGE_CAPACITY, "%s", reply->is_late ? "it did not answer in time" : context->errstr);
        return false;
    }
    *reply = (chiredis_reply){.kind = kind_of(found), .integer = found->integer, .reply = found};
    // Other kinds leave these two as they were.
    if (reply->kind == CHIREDIS_BYTES || reply->kind == CHIREDIS_ERROR) {
        reply->bytes = found->str;
        reply->count = found->len;
    }
    return true;
}

void chiredis_free(chiredis_reply *reply) {
    if (reply->reply != NULL) hiredis.free_reply(reply->reply);
    reply->reply = NULL;
}

#else

const char *chiredis_load(void) { return "this was built without hiredis; build it anew with libhiredis-dev installed"; }

chiredis_connection *chiredis_connect(
    const char *address, int port, int milliseconds, char message[CHIREDIS_MESSAGE_CAPACITY]) {
    snprintf(message, CHIREDIS_MESSAGE_CAPACITY, "%s", chiredis_load());
    return NULL;
}

void chiredis_close(chiredis_connection *connection) {}

void chiredis_wake(chiredis_connection *connection) {}

bool chiredis_command(
    chiredis_connection *connection, int milliseconds, int count, const char **arguments, const size_t *lengths,
    chiredis_reply *reply, char message[CHIREDIS_MESSAGE_CAPACITY]) {
    snprintf(message, CHIREDIS_MESSAGE_CAPACITY, "%s", chiredis_load());
    return false;
}

void chiredis_free(chiredis_reply *reply) {}

#endif
