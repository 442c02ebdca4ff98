#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CCurl.h"

#include <CLibraryLoading.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    // CURLoption: 10,000 + n takes a pointer, 20,000 + n a function, 30,000 + n a curl_off_t.
    option_upload = 46,
    option_write_data = 10001,
    option_read_data = 10009,
    option_error_buffer = 10010,
    option_http_header = 10023,
    option_header_data = 10029,
    option_opensocket_data = 10164,
    option_seek_data = 10168,
    option_connect_to = 10243,
    option_write_function = 20011,
    option_read_function = 20012,
    option_header_function = 20079,
    option_opensocket_function = 20163,
    option_seek_function = 20167,
    option_upload_size = 30115,   // CURLOPT_INFILESIZE_LARGE
    read_abort = 0x10000000,      // CURL_READFUNC_ABORT
    seek_impossible = 2,          // CURL_SEEKFUNC_CANTSEEK
    global_default = 3,      // CURL_GLOBAL_DEFAULT
    message_done = 1,        // CURLMSG_DONE
    error_text_size = 256,   // CURL_ERROR_SIZE
};

// struct CURLMsg (multi.h).
struct message {
    int kind;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
};

// struct curl_sockaddr (curl.h); `address` is as long as its family needs.
struct socket_address {
    int family;
    int type;
    int protocol;
    unsigned int length;
    struct sockaddr address;
};

// The functions that are used, found by name.
static struct {
    int (*global_init)(long flags);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *easy);
    void (*easy_reset)(void *easy);
    int (*easy_setopt)(void *easy, int option, ...);
    int (*easy_getinfo)(void *easy, int info, ...);
    const char *(*easy_strerror)(int code);
    void *(*slist_append)(void *list, const char *text);
    void (*slist_free_all)(void *list);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *multi);
    int (*multi_add_handle)(void *multi, void *easy);
    int (*multi_remove_handle)(void *multi, void *easy);
    int (*multi_perform)(void *multi, int *running);
    int (*multi_poll)(void *multi, void *extra, unsigned int count, int milliseconds, int *ready);
    int (*multi_wakeup)(void *multi);
    struct message *(*multi_info_read)(void *multi, int *left);
    char *(*version)(void);
} curl;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *load_error;

static void load(void) {
#ifdef __APPLE__
    static const char *const names[] = {"libcurl.4.dylib", "/usr/lib/libcurl.4.dylib", NULL};
#else
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
#endif
    void *library = cloading_open(names);
    if (library == NULL) {
        load_error = "it is not installed";
        return;
    }
    const struct cloading_function functions[] = {
        {&curl.global_init, "curl_global_init"},
        {&curl.easy_init, "curl_easy_init"},
        {&curl.easy_cleanup, "curl_easy_cleanup"},
        {&curl.easy_reset, "curl_easy_reset"},
        {&curl.easy_setopt, "curl_easy_setopt"},
        {&curl.easy_getinfo, "curl_easy_getinfo"},
        {&curl.easy_strerror, "curl_easy_strerror"},
        {&curl.slist_append, "curl_slist_append"},
        {&curl.slist_free_all, "curl_slist_free_all"},
        {&curl.multi_init, "curl_multi_init"},
        {&curl.multi_cleanup, "curl_multi_cleanup"},
        {&curl.multi_add_handle, "curl_multi_add_handle"},
        {&curl.multi_remove_handle, "curl_multi_remove_handle"},
        {&curl.multi_perform, "curl_multi_perform"},
        {&curl.multi_poll, "curl_multi_poll"},
        {&curl.multi_wakeup, "curl_multi_wakeup"},
        {&curl.multi_info_read, "curl_multi_info_read"},
        {&curl.version, "curl_version"},
    };
    if (!cloading_find(library, functions, CLOADING_COUNT(functions))) {
        load_error = "it is older than 7.68";
    } else if (curl.global_init(global_default) != CCURL_OK) {
        load_error = "it cannot be started";
    }
}

const char *ccurl_load(void) {
    pthread_once(&once, load);
    return load_error;
}

const char *ccurl_version(void) { return curl.version(); }

struct ccurl_connection {
    void *easy;
    void *multi;
    void *headers;
    void *targets;
    bool is_active;
    // How much of the body that is sent has been read.
    int64_t sent;
    ccurl_receiver receiver;
    char error_text[error_text_size];
};

ccurl_connection *ccurl_open(void) {
    ccurl_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) return NULL;
    connection->easy = curl.easy_init();
    connection->multi = curl.multi_init();
    if (connection->easy == NULL || connection->multi == NULL) {
        ccurl_close(connection);
        return NULL;
    }
    return connection;
}

void ccurl_close(ccurl_connection *connection) {
    ccurl_end(connection);
    if (connection->easy != NULL) curl.easy_cleanup(connection->easy);
    if (connection->multi != NULL) curl.multi_cleanup(connection->multi);
    curl.slist_free_all(connection->headers);
    curl.slist_free_all(connection->targets);
    free(connection);
}

void ccurl_reset(ccurl_connection *connection) {
    ccurl_end(connection);
    curl.easy_reset(connection->easy);
    curl.slist_free_all(connection->headers);
    curl.slist_free_all(connection->targets);
    connection->headers = NULL;
    connection->targets = NULL;
    memset(&connection->receiver, 0, sizeof connection->receiver);
    connection->sent = 0;
    connection->error_text[0] = 0;
}

int ccurl_set_long(ccurl_connection *connection, int option, long value) {
    return curl.easy_setopt(connection->easy, option, value);
}

int ccurl_set_string(ccurl_connection *connection, int option, const char *value) {
    return curl.easy_setopt(connection->easy, option, value);
}

bool ccurl_add_header(ccurl_connection *connection, const char *line) {
    void *longer = curl.slist_append(connection->headers, line);
    if (longer == NULL) return false;
    connection->headers = longer;
    return true;
}

bool ccurl_connect_to(ccurl_connection *connection, const char *rule) {
    void *longer = curl.slist_append(connection->targets, rule);
    if (longer == NULL) return false;
    connection->targets = longer;
    return curl.easy_setopt(connection->easy, option_connect_to, longer) == CCURL_OK;
}

// Any count but the one that was offered ends the transfer; this one cannot be the one that pauses it.
static const size_t stop = SIZE_MAX;

static size_t receive_head(char *bytes, size_t size, size_t count, void *user) {
    ccurl_connection *connection = user;
    count *= size;
    return connection->receiver.head(connection->receiver.context, (const uint8_t *)bytes, count) ? count : stop;
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *user) {
    ccurl_connection *connection = user;
    count *= size;
    return connection->receiver.body(connection->receiver.context, (const uint8_t *)bytes, count) ? count : stop;
}

static size_t send_body(char *buffer, size_t size, size_t count, void *user) {
    ccurl_connection *connection = user;
    ptrdiff_t read =
        connection->receiver.send(connection->receiver.context, connection->sent, (uint8_t *)buffer, size * count);
    if (read < 0) return read_abort;
    connection->sent += read;
    return (size_t)read;
}

// libcurl begins anew where a connection that was kept open turns out to be closed.
static int seek_body(void *user, int64_t offset, int origin) {
    if (origin != SEEK_SET || offset < 0) return seek_impossible;
    ((ccurl_connection *)user)->sent = offset;
    return 0;
}

bool ccurl_upload(ccurl_connection *connection, int64_t count) {
    void *easy = connection->easy;
    // Many servers never answer "Expect: 100-continue", and libcurl would wait for a second.
    return ccurl_add_header(connection, "Expect:") && curl.easy_setopt(easy, option_upload, 1L) == CCURL_OK &&
           curl.easy_setopt(easy, option_upload_size, count) == CCURL_OK &&
           curl.easy_setopt(easy, option_read_function, send_body) == CCURL_OK &&
           curl.easy_setopt(easy, option_read_data, (void *)connection) == CCURL_OK &&
           curl.easy_setopt(easy, option_seek_function, seek_body) == CCURL_OK &&
           curl.easy_setopt(easy, option_seek_data, (void *)connection) == CCURL_OK;
}

static int open_socket(void *user, int purpose, struct socket_address *target) {
    (void)purpose;
    ccurl_connection *connection = user;
    const uint8_t *bytes;
    size_t count;
    switch (target->family) {
    case AF_INET:
        bytes = (const uint8_t *)&((const struct sockaddr_in *)&target->address)->sin_addr;
        count = 4;
        break;
    case AF_INET6:
        bytes = (const uint8_t *)&((const struct sockaddr_in6 *)&target->address)->sin6_addr;
        count = 16;
        break;
    default: return -1;
    }
    if (!connection->receiver.dial(connection->receiver.context, bytes, count)) return -1;
#ifdef SOCK_CLOEXEC
    return socket(target->family, target->type | SOCK_CLOEXEC, target->protocol);
#else
    int descriptor = socket(target->family, target->type, target->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

void ccurl_set_receiver(ccurl_connection *connection, ccurl_receiver receiver) {
    connection->receiver = receiver;
    void *easy = connection->easy;
    curl.easy_setopt(easy, option_error_buffer, (void *)connection->error_text);
    curl.easy_setopt(easy, option_header_function, receive_head);
    curl.easy_setopt(easy, option_header_data, (void *)connection);
    curl.easy_setopt(easy, option_write_function, receive_body);
    curl.easy_setopt(easy, option_write_data, (void *)connection);
    curl.easy_setopt(easy, option_opensocket_function, open_socket);
    curl.easy_setopt(easy, option_opensocket_data, (void *)connection);
}

bool ccurl_begin(ccurl_connection *connection) {
    if (curl.easy_setopt(connection->easy, option_http_header, connection->headers) != CCURL_OK) return false;
    connection->is_active = curl.multi_add_handle(connection->multi, connection->easy) == 0;
    return connection->is_active;
}

int ccurl_step(ccurl_connection *connection) {
    int running = 0;
    int left = 0;
    // Only for want of memory or a fault within libcurl, neither of which another step would mend.
    if (curl.multi_perform(connection->multi, &running) != 0) return CCURL_FAILED_INIT;
    for (struct message *message; (message = curl.multi_info_read(connection->multi, &left)) != NULL;) {
        if (message->kind == message_done) return message->data.result;
    }
    return -1;
}

void ccurl_wait(ccurl_connection *connection, int milliseconds) {
    curl.multi_poll(connection->multi, NULL, 0, milliseconds, NULL);
}

void ccurl_wake(ccurl_connection *connection) { curl.multi_wakeup(connection->multi); }

void ccurl_end(ccurl_connection *connection) {
    if (!connection->is_active) return;
    connection->is_active = false;
    curl.multi_remove_handle(connection->multi, connection->easy);
}

long ccurl_info_long(ccurl_connection *connection, int info) {
    long value = 0;
    curl.easy_getinfo(connection->easy, info, &value);
    return value;
}

int64_t ccurl_info_microseconds(ccurl_connection *connection, int info) {
    int64_t value = 0;
    curl.easy_getinfo(connection->easy, info, &value);
    return value;
}

const char *ccurl_error_text(ccurl_connection *connection, int code) {
    return connection->error_text[0] != 0 ? connection->error_text : curl.easy_strerror(code);
}
