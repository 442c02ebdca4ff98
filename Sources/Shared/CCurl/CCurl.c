#include "CCurl.h"

#include <CLibraryLoading.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    // CURLoption: numbers from 10,000 take a pointer, from 20,000 a function, from 30,000 a curl_off_t.
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
    option_upload_size = 30115,  // CURLOPT_INFILESIZE_LARGE
    read_abort = 0x10000000,     // CURL_READFUNC_ABORT
    seek_impossible = 2,         // CURL_SEEKFUNC_CANTSEEK
    global_default = 3,          // CURL_GLOBAL_DEFAULT
    message_done = 1,            // CURLMSG_DONE
    error_text_size = 256,       // CURL_ERROR_SIZE
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

// struct curl_sockaddr (curl.h). `address` has the length that its family needs.
struct socket_address {
    int family;
    int type;
    int protocol;
    unsigned int length;
    struct sockaddr address;
};

#define FUNCTIONS(F) \
    F(curl_global_init, int, (long flags)) \
    F(curl_easy_init, void *, (void)) \
    F(curl_easy_cleanup, void, (void *easy)) \
    F(curl_easy_reset, void, (void *easy)) \
    F(curl_easy_setopt, int, (void *easy, int option, ...)) \
    F(curl_easy_getinfo, int, (void *easy, int info, ...)) \
    F(curl_easy_strerror, const char *, (int code)) \
    F(curl_slist_append, void *, (void *list, const char *text)) \
    F(curl_slist_free_all, void, (void *list)) \
    F(curl_multi_init, void *, (void)) \
    F(curl_multi_cleanup, int, (void *multi)) \
    F(curl_multi_add_handle, int, (void *multi, void *easy)) \
    F(curl_multi_remove_handle, int, (void *multi, void *easy)) \
    F(curl_multi_perform, int, (void *multi, int *running)) \
    F(curl_multi_poll, int, (void *multi, void *extra, unsigned int count, int milliseconds, int *ready)) \
    F(curl_multi_wakeup, int, (void *multi)) \
    F(curl_multi_info_read, struct message *, (void *multi, int *left)) \
    F(curl_version, char *, (void))
FUNCTIONS(CLOADING_DECLARED)

static const char *load(void) {
#ifdef __APPLE__
    static const char *const names[] = {"libcurl.4.dylib", "/usr/lib/libcurl.4.dylib", NULL};
#else
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
#endif
    void *library = cloading_open(names);
    if (library == NULL) return "it is not installed";
    if (!CLOADING_FIND(library, FUNCTIONS)) return "it is older than 7.68";
    return curl_global_init(global_default) == CCURL_OK ? NULL : "it cannot be initialized";
}

CLOADING_ONCE(ccurl_load, load)

const char *ccurl_version(void) { return curl_version(); }

struct ccurl_connection {
    void *easy;
    void *multi;
    void *headers;
    void *targets;
    bool is_active;
    // The number of bytes read from the request body.
    int64_t sent;
    ccurl_receiver receiver;
    char error_text[error_text_size];
};

ccurl_connection *ccurl_open(void) {
    ccurl_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) return NULL;
    connection->easy = curl_easy_init();
    connection->multi = curl_multi_init();
    if (connection->easy == NULL || connection->multi == NULL) {
        ccurl_close(connection);
        return NULL;
    }
    return connection;
}

void ccurl_close(ccurl_connection *connection) {
    ccurl_end(connection);
    if (connection->easy != NULL) curl_easy_cleanup(connection->easy);
    if (connection->multi != NULL) curl_multi_cleanup(connection->multi);
    curl_slist_free_all(connection->headers);
    curl_slist_free_all(connection->targets);
    free(connection);
}

void ccurl_reset(ccurl_connection *connection) {
    ccurl_end(connection);
    curl_easy_reset(connection->easy);
    curl_slist_free_all(connection->headers);
    curl_slist_free_all(connection->targets);
    connection->headers = NULL;
    connection->targets = NULL;
    memset(&connection->receiver, 0, sizeof connection->receiver);
    connection->sent = 0;
    connection->error_text[0] = 0;
}

int ccurl_set_long(ccurl_connection *connection, int option, long value) {
    return curl_easy_setopt(connection->easy, option, value);
}

int ccurl_set_string(ccurl_connection *connection, int option, const char *value) {
    return curl_easy_setopt(connection->easy, option, value);
}

bool ccurl_add_header(ccurl_connection *connection, const char *line) {
    void *longer = curl_slist_append(connection->headers, line);
    if (longer == NULL) return false;
    connection->headers = longer;
    return true;
}

bool ccurl_connect_to(ccurl_connection *connection, const char *rule) {
    void *longer = curl_slist_append(connection->targets, rule);
    if (longer == NULL) return false;
    connection->targets = longer;
    return curl_easy_setopt(connection->easy, option_connect_to, longer) == CCURL_OK;
}

// A callback ends the transfer by returning a number other than `count`. SIZE_MAX differs from CURL_WRITEFUNC_PAUSE,
// which would only pause the transfer.
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

// libcurl rewinds the body to repeat a request if a kept-alive connection turns out to be closed.
static int seek_body(void *user, int64_t offset, int origin) {
    if (origin != SEEK_SET || offset < 0) return seek_impossible;
    ((ccurl_connection *)user)->sent = offset;
    return 0;
}

bool ccurl_upload(ccurl_connection *connection, int64_t count) {
    void *easy = connection->easy;
    // Many servers never answer "Expect: 100-continue", and libcurl would wait a second for it.
    return ccurl_add_header(connection, "Expect:") && curl_easy_setopt(easy, option_upload, 1L) == CCURL_OK &&
           curl_easy_setopt(easy, option_upload_size, count) == CCURL_OK &&
           curl_easy_setopt(easy, option_read_function, send_body) == CCURL_OK &&
           curl_easy_setopt(easy, option_read_data, (void *)connection) == CCURL_OK &&
           curl_easy_setopt(easy, option_seek_function, seek_body) == CCURL_OK &&
           curl_easy_setopt(easy, option_seek_data, (void *)connection) == CCURL_OK;
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
    curl_easy_setopt(easy, option_error_buffer, (void *)connection->error_text);
    curl_easy_setopt(easy, option_header_function, receive_head);
    curl_easy_setopt(easy, option_header_data, (void *)connection);
    curl_easy_setopt(easy, option_write_function, receive_body);
    curl_easy_setopt(easy, option_write_data, (void *)connection);
    curl_easy_setopt(easy, option_opensocket_function, open_socket);
    curl_easy_setopt(easy, option_opensocket_data, (void *)connection);
}

bool ccurl_begin(ccurl_connection *connection) {
    if (curl_easy_setopt(connection->easy, option_http_header, connection->headers) != CCURL_OK) return false;
    connection->is_active = curl_multi_add_handle(connection->multi, connection->easy) == 0;
    return connection->is_active;
}

int ccurl_step(ccurl_connection *connection) {
    int running = 0;
    int left = 0;
    // Fails only if memory is exhausted or libcurl has an internal error, so another step would not help.
    if (curl_multi_perform(connection->multi, &running) != 0) return CCURL_FAILED_INIT;
    for (struct message *message; (message = curl_multi_info_read(connection->multi, &left)) != NULL;) {
        if (message->kind == message_done) return message->data.result;
    }
    return -1;
}

void ccurl_wait(ccurl_connection *connection, int milliseconds) {
    curl_multi_poll(connection->multi, NULL, 0, milliseconds, NULL);
}

void ccurl_wake(ccurl_connection *connection) { curl_multi_wakeup(connection->multi); }

void ccurl_end(ccurl_connection *connection) {
    if (!connection->is_active) return;
    connection->is_active = false;
    curl_multi_remove_handle(connection->multi, connection->easy);
}

long ccurl_info_long(ccurl_connection *connection, int info) {
    long value = 0;
    curl_easy_getinfo(connection->easy, info, &value);
    return value;
}

int64_t ccurl_info_microseconds(ccurl_connection *connection, int info) {
    int64_t value = 0;
    curl_easy_getinfo(connection->easy, info, &value);
    return value;
}

const char *ccurl_error_text(ccurl_connection *connection, int code) {
    return connection->error_text[0] != 0 ? connection->error_text : curl_easy_strerror(code);
}
