// SPDX-License-Identifier: MIT

#ifdef __linux__

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static socklen_t any_address(int family, uint16_t port, struct sockaddr_storage *storage) {
    memset(storage, 0, sizeof *storage);
    if (family == AF_INET) {
        struct sockaddr_in *in = (struct sockaddr_in *)storage;
        in->sin_family = AF_INET;
        in->sin_port = htons(port);
        return sizeof *in;
    }
    struct sockaddr_in6 *in = (struct sockaddr_in6 *)storage;
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(port);
    return sizeof *in;
}

// Binds a socket to all addresses of its family, and sets the port that the kernel chose; closes
// the socket on failure.
static int bind_any(int fd, int family, uint16_t *port) {
    struct sockaddr_storage storage;
    int on = 1;
    int status = 0;
    if (family == AF_INET6) status = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    socklen_t length = any_address(family, *port, &storage);
    if (status == 0) status = bind(fd, (struct sockaddr *)&storage, length);
    length = sizeof storage;
    if (status == 0) status = getsockname(fd, (struct sockaddr *)&storage, &length);
    if (status < 0) {
        status = -errno;
        close(fd);
        return status;
    }
    *port = ntohs(
        family == AF_INET ? ((struct sockaddr_in *)&storage)->sin_port
                          : ((struct sockaddr_in6 *)&storage)->sin6_port);
    return fd;
}

int tapline_reach_listen(int family, uint16_t *port, int shared) {
    int on = 1;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (shared) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    fd = bind_any(fd, family, port);
    if (fd < 0 || listen(fd, 4096) == 0) return fd;
    int error = errno;
    close(fd);
    return -error;
}

int tapline_reach_open_dns(int family, uint16_t *port) {
    int on = 1;
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    // The answer has to come from the address that was asked.
    if (family == AF_INET) setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    else setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    return bind_any(fd, family, port);
}

// A raw socket gets a copy of each datagram; the kernel still answers that the port is unreachable.
int tapline_reach_open_quic(int family) {
    struct sock_filter v4[] = {
        BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
        BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 443, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 2048),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_filter v6[] = {
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 2),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 443, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 2048),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog program4 = {.len = sizeof v4 / sizeof *v4, .filter = v4};
    struct sock_fprog program6 = {.len = sizeof v6 / sizeof *v6, .filter = v6};
    const struct sock_fprog *program = family == AF_INET ? &program4 : &program6;
    int on = 1;
    int fd = socket(family, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP);
    if (fd < 0) return -errno;
    int status = setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, program, sizeof *program);
    if (status == 0)
        status = family == AF_INET
            ? setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on)
            : setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    if (status == 0) return fd;
    int error = errno;
    close(fd);
    return -error;
}

int tapline_reach_open(const reach_namespace *space, unsigned version, unsigned port) {
    int family = version == 4 ? AF_INET : AF_INET6;
    unsigned mark = REACH_MARK;
    // Without the redirect, and at the listeners themselves, only Tapline would answer.
    if (!space->is_redirected || port == 0) return -ECONNREFUSED;
    if (port == space->tcp_port4 || port == space->tcp_port6) return -ECONNREFUSED;
    if (family == AF_INET6 && !space->has_ipv6) return -ECONNREFUSED;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof mark) == 0) return fd;
    int error = errno;
    close(fd);
    return -error;
}

#endif
