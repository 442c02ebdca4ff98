// libcurl, loaded on first use.
//
// The numbers and signatures below are copied from <curl/curl.h> and <curl/multi.h>. They are part of libcurl's ABI,
// which has not changed since 2006 and will not change (https://curl.se/libcurl/abi.html). So a build needs no headers
// of libcurl, and a run that does not use the network needs no libcurl.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// CURLoption (curl.h): numbers below 10,000 take a long, others a string.
enum {
    CCURL_LOW_SPEED_LIMIT = 19,
    CCURL_LOW_SPEED_TIME = 20,
    CCURL_NOBODY = 44,
    CCURL_FOLLOWLOCATION = 52,
    CCURL_HTTPGET = 80,
    CCURL_HTTP_VERSION = 84,
    CCURL_BUFFERSIZE = 98,
    CCURL_NOSIGNAL = 99,
    CCURL_TIMEOUT_MS = 155,
    CCURL_CONNECTTIMEOUT_MS = 156,
    CCURL_PROTOCOLS = 181,
    CCURL_TCP_KEEPALIVE = 213,
    CCURL_PATH_AS_IS = 234,
    CCURL_SUPPRESS_CONNECT_HEADERS = 265,
    CCURL_HTTP09_ALLOWED = 285,
    CCURL_QUICK_EXIT = 322,  // since 7.87
    CCURL_URL = 10002,
    CCURL_PROXY = 10004,
    CCURL_RANGE = 10007,
    CCURL_USERAGENT = 10018,
    CCURL_CAINFO = 10065,
    CCURL_ACCEPT_ENCODING = 10102,
    CCURL_USERNAME = 10173,
    CCURL_PASSWORD = 10174,
    CCURL_NOPROXY = 10177,
};

// Values of options.
enum {
    CCURL_PROTOCOLS_HTTP_AND_HTTPS = 3,
    CCURL_HTTP_VERSION_2TLS = 4,
};

// CURLINFO (curl.h). The high bits are the type: 0x200000 for a long, 0x600000 for a time in microseconds.
enum {
    CCURL_INFO_HTTP_CONNECTCODE = 0x200000 + 22,
    CCURL_INFO_PRETRANSFER_TIME_T = 0x600000 + 53,
};

// CURLcode (curl.h). The callers treat every code that is not listed as an invalid response.
enum {
    CCURL_OK = 0,
    CCURL_FAILED_INIT = 2,
    CCURL_URL_MALFORMAT = 3,
    CCURL_NOT_BUILT_IN = 4,
    CCURL_COULDNT_RESOLVE_PROXY = 5,
    CCURL_COULDNT_RESOLVE_HOST = 6,
    CCURL_COULDNT_CONNECT = 7,
    CCURL_HTTP2 = 16,
    CCURL_PARTIAL_FILE = 18,
    CCURL_READ_ERROR = 26,
    CCURL_OUT_OF_MEMORY = 27,
    CCURL_OPERATION_TIMEDOUT = 28,
    CCURL_SSL_CONNECT_ERROR = 35,
    CCURL_FUNCTION_NOT_FOUND = 41,
    CCURL_ABORTED_BY_CALLBACK = 42,
    CCURL_BAD_FUNCTION_ARGUMENT = 43,
    CCURL_INTERFACE_FAILED = 45,
    CCURL_UNKNOWN_OPTION = 48,
    CCURL_GOT_NOTHING = 52,
    CCURL_SSL_ENGINE_NOTFOUND = 53,
    CCURL_SSL_ENGINE_SETFAILED = 54,
    CCURL_SEND_ERROR = 55,
    CCURL_RECV_ERROR = 56,
    CCURL_SSL_CERTPROBLEM = 58,
    CCURL_SSL_CIPHER = 59,
    CCURL_PEER_FAILED_VERIFICATION = 60,
    CCURL_USE_SSL_FAILED = 64,
    CCURL_SEND_FAIL_REWIND = 65,
    CCURL_SSL_ENGINE_INITFAILED = 66,
    CCURL_SSL_CACERT_BADFILE = 77,
    CCURL_SSL_SHUTDOWN_FAILED = 80,
    CCURL_AGAIN = 81,
    CCURL_SSL_CRL_BADFILE = 82,
    CCURL_SSL_ISSUER_ERROR = 83,
    CCURL_NO_CONNECTION_AVAILABLE = 89,
    CCURL_SSL_PINNEDPUBKEYNOTMATCH = 90,
    CCURL_SSL_INVALIDCERTSTATUS = 91,
    CCURL_HTTP2_STREAM = 92,
    CCURL_RECURSIVE_API_CALL = 93,
    CCURL_HTTP3 = 95,
    CCURL_QUIC_CONNECT_ERROR = 96,
    CCURL_PROXY_ERROR = 97,
    CCURL_SSL_CLIENTCERT = 98,
    CCURL_UNRECOVERABLE_POLL = 99,
    CCURL_TOO_LARGE = 100,  // since 8.6; OUT_OF_MEMORY before
    CCURL_ECH_REQUIRED = 101,
};

// Loads libcurl once per process. Returns NULL on success, otherwise the reason as a static string. May be called from
// any thread.
const char *_Nullable ccurl_load(void);

// Returns the names and versions of libcurl and its libraries. Call this and `ccurl_open` only after ccurl_load has
// returned NULL.
const char *ccurl_version(void);

// An easy handle in its own multi handle. Only one thread at a time may use it, except for ccurl_wake.
typedef struct ccurl_connection ccurl_connection;

// The callbacks of a transfer. They run in ccurl_step, on its thread.
typedef struct {
    void *_Nullable context;
    // `head` receives a header line, `body` a part of the body. Returning false ends the transfer.
    bool (*head)(void *_Nullable context, const uint8_t *_Nullable bytes, size_t count);
    bool (*body)(void *_Nullable context, const uint8_t *_Nullable bytes, size_t count);
    // Fills the buffer with bytes of the request body from `offset` on. Returns their number, or a negative number to
    // end the transfer.
    ptrdiff_t (*send)(void *_Nullable context, int64_t offset, uint8_t *buffer, size_t count);
    // Receives the 4 or 16 bytes of an address before libcurl connects to it. Returning false prevents the connection.
    bool (*dial)(void *_Nullable context, const uint8_t *address, size_t count);
} ccurl_receiver;

// Returns NULL if memory is exhausted.
ccurl_connection *_Nullable ccurl_open(void);
void ccurl_close(ccurl_connection *connection);

// Resets all options, but keeps network connections open.
void ccurl_reset(ccurl_connection *connection);
// Both return a CURLcode.
int ccurl_set_long(ccurl_connection *connection, int option, long value);
int ccurl_set_string(ccurl_connection *connection, int option, const char *_Nullable value);
// Adds `Name: value` to the request. Returns false if memory is exhausted.
bool ccurl_add_header(ccurl_connection *connection, const char *line);
// Connects to another host and port by a rule `HOST:PORT:OTHER-HOST:OTHER-PORT`. An empty HOST or PORT matches every
// host or port; an empty OTHER part keeps the original. Call it at most once per request. Returns false if memory is
// exhausted.
bool ccurl_connect_to(ccurl_connection *connection, const char *rule);
// Makes the request a PUT with a body of `count` bytes, which `ccurl_receiver.send` supplies. Returns false on an error
// of libcurl, or if memory is exhausted.
bool ccurl_upload(ccurl_connection *connection, int64_t count);
void ccurl_set_receiver(ccurl_connection *connection, ccurl_receiver receiver);

// Starts a transfer. Returns false if memory is exhausted.
bool ccurl_begin(ccurl_connection *connection);
// Does all work that is possible without waiting. Returns the CURLcode of a finished transfer, or -1 if the transfer
// continues.
int ccurl_step(ccurl_connection *connection);
// Waits until there is work, until ccurl_wake is called, or for `milliseconds` at most.
void ccurl_wait(ccurl_connection *connection, int milliseconds);
// Ends the current wait, or else the next wait. May be called from any thread.
void ccurl_wake(ccurl_connection *connection);
// Ends a transfer, whether it has finished or not.
void ccurl_end(ccurl_connection *connection);

// Both return a value about the last transfer, or 0 if it is unknown.
long ccurl_info_long(ccurl_connection *connection, int info);
int64_t ccurl_info_microseconds(ccurl_connection *connection, int info);
// Returns the transfer's error message, or libcurl's text for `code`.
const char *ccurl_error_text(ccurl_connection *connection, int code);

#pragma clang assume_nonnull end
