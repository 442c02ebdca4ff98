#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include "calls.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum {
    set_id_bits = S_ISUID | S_ISGID,
    // O_TMPFILE includes O_DIRECTORY, which creates no file.
    makes_file = O_CREAT | (O_TMPFILE & ~O_DIRECTORY),
    // linux/sched.h: mount, cgroup, UTS, IPC, user, PID and network namespaces.
    new_namespaces = 0x7E020000,
    // PR_SET_VMA of linux/prctl.h: names memory. glibc calls it if a tunable requests it.
    set_memory_name = 0x53564D41,
    // SIOCGIFNAME and SIOCGIFINDEX of linux/sockios.h, for IPv6 addresses with an interface.
    ioctl_interface_name = 0x8910,
    ioctl_interface_number = 0x8933,
    // The bits of a socket's type, without its flags.
    socket_type = 0xF,
    // The size of a netlink address. Internet addresses are larger.
    netlink_address_size = 12,
    netlink_route = 0,
    // linux/in.h and linux/in6.h.
    ip_receive_errors = 11,
    ipv6_receive_errors = 25,
    ipv6_traffic_class = 67,
};
static const uint32_t ioctl_share_blocks = 0x40049409;  // linux/fs.h: FICLONE
static const uint32_t ioctl_terminal = 0x802C542A;      // asm-generic/ioctls.h: TCGETS2 of newer C libraries

#define SOCKET(domain, type, protocol) \
    {SYS_socket, {IS(0, (domain)), HAS(1, socket_type, (type)), IS(2, (protocol))}, false}
#define FCNTL(command) {SYS_fcntl, {IS(1, (command))}}
#define IOCTL(request) {SYS_ioctl, {IS(1, (request))}}
#define SOCKET_OPTION(level, name) {SYS_setsockopt, {IS(1, (level)), IS(2, (name))}, false}

const struct condition csystem_conditions[] = {
    // Allows new threads, but no new processes or namespaces.
    {SYS_clone, {HAS(0, new_namespaces | CLONE_THREAD, CLONE_THREAD)}},
    {SYS_kill, {IS_OWN_PROCESS(0)}},
    {SYS_tgkill, {IS_OWN_PROCESS(0)}},
    {SYS_prlimit64, {IS(0, 0)}},
    {SYS_prlimit64, {IS_OWN_PROCESS(0)}},
    {SYS_prctl, {IS(0, PR_SET_NAME)}},
    {SYS_prctl, {IS(0, PR_GET_NAME)}},
    {SYS_prctl, {IS(0, PR_GET_DUMPABLE)}},
    {SYS_prctl, {IS(0, set_memory_name)}},

    // Forbids the set-user-ID and set-group-ID bits of files.
    {SYS_openat, {HAS(2, makes_file, 0)}},
    {SYS_openat, {HAS(3, set_id_bits, 0)}},
#ifdef __x86_64__
    {SYS_open, {HAS(1, makes_file, 0)}},
    {SYS_open, {HAS(2, set_id_bits, 0)}},
#endif
    {SYS_fchmod, {HAS(1, set_id_bits, 0)}},

    // Excludes F_SETOWN, which makes the kernel send signals to other processes, and leases. Frequent commands first.
    FCNTL(F_SETLK), FCNTL(F_GETFL), FCNTL(F_SETFD), FCNTL(F_OFD_SETLK), FCNTL(F_OFD_GETLK), FCNTL(F_OFD_SETLKW),
    FCNTL(F_GETLK), FCNTL(F_SETLKW), FCNTL(F_GETFD), FCNTL(F_SETFL), FCNTL(F_DUPFD), FCNTL(F_DUPFD_CLOEXEC),
    FCNTL(F_GETPIPE_SZ),

    // Excludes TIOCSTI and TIOCLINUX, which insert input into a terminal, and FIOSETOWN.
    IOCTL(TIOCGWINSZ), IOCTL(TCGETS), IOCTL(ioctl_terminal), IOCTL(ioctl_share_blocks), IOCTL(TIOCGPGRP),
    IOCTL(FIONREAD), IOCTL(FIONBIO), IOCTL(FIOCLEX), IOCTL(ioctl_interface_name), IOCTL(ioctl_interface_number),

    // Allows TCP and UDP, and access to the kernel's routes for name lookups. Refuses AF_UNIX, because daemons that run
    // programs on request (D-Bus, container engines) listen on sockets with a path. Does not report this refusal, since
    // glibc tries nscd's socket before each lookup.
    SOCKET(AF_INET, SOCK_STREAM, 0),
    SOCKET(AF_INET, SOCK_STREAM, IPPROTO_TCP),
    SOCKET(AF_INET, SOCK_DGRAM, 0),
    SOCKET(AF_INET, SOCK_DGRAM, IPPROTO_UDP),
    SOCKET(AF_INET6, SOCK_STREAM, 0),
    SOCKET(AF_INET6, SOCK_STREAM, IPPROTO_TCP),
    SOCKET(AF_INET6, SOCK_DGRAM, 0),
    SOCKET(AF_INET6, SOCK_DGRAM, IPPROTO_UDP),
    SOCKET(AF_NETLINK, SOCK_RAW, netlink_route),
    SOCKET(AF_NETLINK, SOCK_DGRAM, netlink_route),
    {SYS_socket, {IS(0, AF_UNIX)}, .refuses = true},
    // libcurl wakes its threads through a socket pair. Excludes datagram pairs, since such a socket could later be
    // connected to a path.
    {SYS_socketpair, {IS(0, AF_UNIX), HAS(1, socket_type, SOCK_STREAM), IS(2, 0)}},
    // glibc binds its netlink socket.
    {SYS_bind, {IS(2, netlink_address_size)}},
#ifndef __GLIBC__
    // musl binds the socket for its queries to name servers.
    {SYS_bind, {IS(2, sizeof(struct sockaddr_in))}},
    {SYS_bind, {IS(2, sizeof(struct sockaddr_in6))}},
#endif
    // The options that libcurl, hiredis and the resolver set. No option that attaches a BPF program is allowed.
    SOCKET_OPTION(SOL_SOCKET, SO_KEEPALIVE), SOCKET_OPTION(SOL_SOCKET, SO_RCVTIMEO),
    SOCKET_OPTION(SOL_SOCKET, SO_SNDTIMEO), SOCKET_OPTION(SOL_SOCKET, SO_RCVBUF), SOCKET_OPTION(SOL_SOCKET, SO_SNDBUF),
    SOCKET_OPTION(SOL_SOCKET, SO_REUSEADDR), SOCKET_OPTION(IPPROTO_TCP, TCP_NODELAY),
    SOCKET_OPTION(IPPROTO_TCP, TCP_MAXSEG), SOCKET_OPTION(IPPROTO_TCP, TCP_KEEPIDLE),
    SOCKET_OPTION(IPPROTO_TCP, TCP_KEEPINTVL), SOCKET_OPTION(IPPROTO_TCP, TCP_KEEPCNT),
    SOCKET_OPTION(IPPROTO_TCP, TCP_QUICKACK), SOCKET_OPTION(IPPROTO_TCP, TCP_USER_TIMEOUT),
    SOCKET_OPTION(IPPROTO_TCP, TCP_FASTOPEN_CONNECT), SOCKET_OPTION(IPPROTO_IP, IP_TOS),
    SOCKET_OPTION(IPPROTO_IP, ip_receive_errors), SOCKET_OPTION(IPPROTO_IPV6, IPV6_V6ONLY),
    SOCKET_OPTION(IPPROTO_IPV6, ipv6_receive_errors), SOCKET_OPTION(IPPROTO_IPV6, ipv6_traffic_class),
};

const size_t csystem_condition_count = sizeof csystem_conditions / sizeof *csystem_conditions;

#endif
