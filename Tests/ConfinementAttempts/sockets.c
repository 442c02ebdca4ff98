#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "attempts.h"

#ifdef __linux__

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

// If a socket could be created, closes it and reports success.
static long made(long socket) {
    if (socket >= 0) close((int)socket);
    return socket;
}
static long make(int domain, int type, int protocol) { return made(CALL(socket, domain, type, protocol)); }

// Calls `use` with a socket. Returns its result, or the failure to create the socket.
static long with_socket(int type, long (*use)(int socket)) {
    long file = CALL(socket, AF_INET, type, 0);
    if (file < 0) return -1;
    long result = use((int)file);
    int error = errno;
    close((int)file);
    errno = error;
    return result;
}

static const struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_addr = {0x0100007F}};

static long bound(int socket) { return CALL(bind, socket, &loopback, sizeof loopback); }
static long listening(int socket) { return CALL(listen, socket, 1); }
static long accepting(int socket) { return CALL(accept4, socket, 0, 0, 0); }
static long filtering(int socket) {
    struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, ~0u);
    struct sock_fprog program = {1, &all};
    return CALL(setsockopt, socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}
static long joining(int socket) {
    struct ip_mreq group = {.imr_multiaddr = {0x010000E0}};
    return CALL(setsockopt, socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group);
}
static long on_device(int socket) { return CALL(setsockopt, socket, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3); }
static long sharing_port(int socket) { return CALL(setsockopt, socket, SOL_SOCKET, SO_REUSEPORT, &(int){1}, 4); }
static long with_protocol(int socket) { return CALL(setsockopt, socket, IPPROTO_TCP, 31, "tls", 4); }  // TCP_ULP
static long owned(int socket) { return CALL(ioctl, socket, 0x8902, &(int){1}); }                        // SIOCSPGRP

static long try_bind_tcp(TARGET t) { (void)t; return with_socket(SOCK_STREAM, bound); }
static long try_bind_udp(TARGET t) { (void)t; return with_socket(SOCK_DGRAM, bound); }
static long try_listen(TARGET t) { (void)t; return with_socket(SOCK_STREAM, listening); }
static long try_accept(TARGET t) { (void)t; return with_socket(SOCK_STREAM, accepting); }
static long try_socket_filter(TARGET t) { (void)t; return with_socket(SOCK_DGRAM, filtering); }
static long try_multicast(TARGET t) { (void)t; return with_socket(SOCK_DGRAM, joining); }
static long try_bind_device(TARGET t) { (void)t; return with_socket(SOCK_DGRAM, on_device); }
static long try_share_port(TARGET t) { (void)t; return with_socket(SOCK_DGRAM, sharing_port); }
static long try_upper_protocol(TARGET t) { (void)t; return with_socket(SOCK_STREAM, with_protocol); }
static long try_socket_owner(TARGET t) { (void)t; return with_socket(SOCK_STREAM, owned); }
static long try_mptcp(TARGET t) { (void)t; return make(AF_INET, SOCK_STREAM, 262); }
static long try_sctp(TARGET t) { (void)t; return make(AF_INET, SOCK_STREAM, 132); }
static long try_smc(TARGET t) { (void)t; return make(43, SOCK_STREAM, 0); }
static long try_udp_lite(TARGET t) { (void)t; return make(AF_INET, SOCK_DGRAM, 136); }
static long try_ping(TARGET t) { (void)t; return make(AF_INET, SOCK_DGRAM, IPPROTO_ICMP); }
static long try_raw(TARGET t) { (void)t; return make(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static long try_raw6(TARGET t) { (void)t; return make(AF_INET6, SOCK_RAW, IPPROTO_ICMPV6); }
static long try_packet(TARGET t) { (void)t; return make(AF_PACKET, SOCK_RAW, 0x300); }
static long try_sequenced(TARGET t) { (void)t; return make(AF_INET, SOCK_SEQPACKET, 0); }
static long try_netfilter(TARGET t) { (void)t; return make(AF_NETLINK, SOCK_RAW, 12); }
static long try_uevents(TARGET t) { (void)t; return make(AF_NETLINK, SOCK_DGRAM, 15); }
static long try_audit(TARGET t) { (void)t; return make(AF_NETLINK, SOCK_RAW, 9); }
static long try_diagnosis(TARGET t) { (void)t; return make(AF_NETLINK, SOCK_DGRAM, 4); }
static long try_generic_netlink(TARGET t) { (void)t; return make(AF_NETLINK, SOCK_RAW, 16); }
static long try_kernel_crypto(TARGET t) { (void)t; return make(38, SOCK_SEQPACKET, 0); }
static long try_virtual_machine(TARGET t) { (void)t; return make(40, SOCK_STREAM, 0); }
static long try_bluetooth(TARGET t) { (void)t; return make(31, SOCK_RAW, 1); }
static long try_express_data(TARGET t) { (void)t; return make(44, SOCK_RAW, 0); }
static long try_unix_stream(TARGET t) { (void)t; return make(AF_UNIX, SOCK_STREAM, 0); }
static long try_unix_datagram(TARGET t) { (void)t; return make(AF_UNIX, SOCK_DGRAM, 0); }

// Sends a datagram to the attacked process through one end of a socket pair. Returns the result of the last call.
static long through_pair(TARGET t, int type, bool connects) {
    int pair[2];
    if (CALL(socketpair, AF_UNIX, type, 0, pair) < 0) return -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, t->socket, sizeof address.sun_path - 1);
    long result = connects ? CALL(connect, pair[0], &address, sizeof address)
                           : CALL(sendto, pair[0], "x", 1, 0, &address, sizeof address);
    if (connects && result == 0) result = CALL(sendto, pair[0], "x", 1, 0, 0, 0);
    int error = errno;
    close(pair[0]), close(pair[1]);
    errno = error;
    return result;
}
static long try_pair_connect(TARGET t) { return through_pair(t, SOCK_DGRAM, true); }
static long try_pair_send(TARGET t) { return through_pair(t, SOCK_DGRAM, false); }
static long try_sequenced_pair(TARGET t) { return through_pair(t, SOCK_SEQPACKET, true); }
static long try_stream_pair_connect(TARGET t) { return through_pair(t, SOCK_STREAM, true); }
static long try_stream_pair_send(TARGET t) { return through_pair(t, SOCK_STREAM, false); }
static long try_pair_bind(TARGET t) {
    int pair[2];
    if (CALL(socketpair, AF_UNIX, SOCK_STREAM, 0, pair) < 0) return -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0confinement"};
    long result = CALL(bind, pair[0], &address, sizeof address);
    if (result == 0) result = CALL(listen, pair[0], 1);
    int error = errno;
    close(pair[0]), close(pair[1]);
    errno = error;
    return result;
}

const struct attempt socket_attempts[] = {
    TRY(bind_tcp), TRY(bind_udp), TRY(listen), TRY(accept), TRY(socket_filter), TRY(multicast), TRY(bind_device),
    TRY(share_port), TRY(upper_protocol), TRY(socket_owner), TRY(mptcp), TRY(sctp), TRY(smc), TRY(udp_lite), TRY(ping),
    TRY(raw), TRY(raw6), TRY(packet), TRY(sequenced), TRY(netfilter), TRY(uevents), TRY(audit), TRY(diagnosis),
    TRY(generic_netlink), TRY(kernel_crypto), TRY(virtual_machine), TRY(bluetooth), TRY(express_data),
    TRY(unix_stream), TRY(unix_datagram), TRY(pair_connect), TRY(pair_send), TRY(sequenced_pair),
    TRY(stream_pair_connect), TRY(stream_pair_send), TRY(pair_bind),
};
const int socket_attempt_count = sizeof socket_attempts / sizeof *socket_attempts;

#endif
