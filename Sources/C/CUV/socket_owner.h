// SPDX-License-Identifier: MIT

#pragma once

// Finds the owner of the other end of a TCP connection within this network namespace
// (sock_diag(7)). Included by shim.h, after its own includes and the addresses.

#ifdef __linux__
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

typedef struct tapline_uv_diag_request {
    struct nlmsghdr head;
    struct inet_diag_req_v2 body;
} tapline_uv_diag_request;

static inline void tapline_uv_diag_encode(
    tapline_uv_address address, __be32 words[4], __be16 *port
) {
    *port = htons(address.port);
    if (address.version == 4) {
        words[0] = htonl((uint32_t)address.low);
        words[1] = words[2] = words[3] = 0;
    } else {
        words[0] = htonl((uint32_t)(address.high >> 32));
        words[1] = htonl((uint32_t)address.high);
        words[2] = htonl((uint32_t)(address.low >> 32));
        words[3] = htonl((uint32_t)address.low);
    }
}
#endif

// Opens a socket for queries about sockets; returns a negative error on failure.
static inline int tapline_uv_diag_open(void) {
#ifdef __linux__
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
    return fd < 0 ? -errno : fd;
#else
    return -ENOSYS;
#endif
}

// Finds the user of the TCP socket with exactly these ends: returns 1 if a process has the socket
// open, 0 if there is none, or a negative error. The kernel answers synchronously, so the call does
// not block.
//
// A socket without an inode no longer belongs to a process, and its user reads as 0, which would be
// root. If nothing is connected, the kernel returns a listener on `local` instead.
static inline int tapline_uv_diag_user(
    int fd, tapline_uv_address local, tapline_uv_address peer, uint32_t sequence, uint32_t *user
) {
#ifdef __linux__
    tapline_uv_diag_request request;
    memset(&request, 0, sizeof request);
    request.head.nlmsg_len = sizeof request;
    request.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.head.nlmsg_flags = NLM_F_REQUEST;
    request.head.nlmsg_seq = sequence;
    request.body.sdiag_family = local.version == 4 ? AF_INET : AF_INET6;
    request.body.sdiag_protocol = IPPROTO_TCP;
    request.body.idiag_states = ~0u;
    struct inet_diag_sockid *id = &request.body.id;
    tapline_uv_diag_encode(local, id->idiag_src, &id->idiag_sport);
    tapline_uv_diag_encode(peer, id->idiag_dst, &id->idiag_dport);
    id->idiag_if = local.scope;
    id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    ssize_t count = sendto(
        fd, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel);
    if (count < 0) return -errno;
    // An unread answer to the previous query may still be queued.
    for (int round = 0; round < 8; round++) {
        union {
            struct nlmsghdr head;
            char bytes[4096];
        } answer;
        struct sockaddr_nl sender;
        socklen_t length = sizeof sender;
        count = recvfrom(
            fd, &answer, sizeof answer, MSG_DONTWAIT, (struct sockaddr *)&sender, &length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -errno;
        if (length != sizeof sender || sender.nl_pid != 0) continue;
        if (!NLMSG_OK(&answer.head, (size_t)count) || answer.head.nlmsg_seq != sequence) continue;
        if (answer.head.nlmsg_type == NLMSG_ERROR) {
            if (answer.head.nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return -EPROTO;
            int error = ((struct nlmsgerr *)NLMSG_DATA(&answer.head))->error;
            return error == -ENOENT ? 0 : error < 0 ? error : -EPROTO;
        }
        if (answer.head.nlmsg_type != SOCK_DIAG_BY_FAMILY
            || answer.head.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
            return -EPROTO;
        const struct inet_diag_msg *found = (const struct inet_diag_msg *)NLMSG_DATA(&answer.head);
        if (found->idiag_inode == 0 || found->id.idiag_sport != id->idiag_sport
            || found->id.idiag_dport != id->idiag_dport)
            return 0;
        *user = found->idiag_uid;
        return 1;
    }
    return -EPROTO;
#else
    return -ENOSYS;
#endif
}
