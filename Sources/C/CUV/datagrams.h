// SPDX-License-Identifier: MIT

#pragma once

// Included by shim.h.

// MARK: Datagrams

// The destination and source of a datagram in host byte order; `local` has version 0 if the kernel
// does not report the address of this machine that the datagram was sent to.
typedef struct tapline_uv_ends {
    tapline_uv_address peer, local;
} tapline_uv_ends;

// in6_pktinfo of ipv6(7), which the C library declares only with _GNU_SOURCE.
typedef struct tapline_uv_pktinfo6 {
    struct in6_addr address;
    unsigned interface;
} tapline_uv_pktinfo6;

// A datagram socket that is connected to an address, so that only that one can answer; -errno on
// failure.
static inline int tapline_uv_connect_datagrams(tapline_uv_address address) {
    struct sockaddr_storage storage;
    socklen_t length = tapline_uv_encode(address, &storage);
    int fd = socket(storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (connect(fd, (struct sockaddr *)&storage, length) == 0) return fd;
    int error = errno;
    close(fd);
    return -error;
}

// A datagram socket that is bound to an address; sets the chosen port in the address. -errno on
// failure.
static inline int tapline_uv_bind_datagrams(tapline_uv_address *address) {
    struct sockaddr_storage storage;
    socklen_t length = tapline_uv_encode(*address, &storage);
    int fd = socket(storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    int status = bind(fd, (struct sockaddr *)&storage, length);
    length = sizeof storage;
    if (status == 0) status = getsockname(fd, (struct sockaddr *)&storage, &length);
    if (status < 0) {
        status = -errno;
        close(fd);
        return status;
    }
    *address = tapline_uv_decode((struct sockaddr *)&storage);
    return fd;
}

// Receives a datagram; its size, or -errno. A longer datagram is cut.
static inline long tapline_uv_receive_datagram(
    int fd, uint8_t *bytes, size_t size, tapline_uv_ends *ends
) {
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct sockaddr_storage storage;
    union {
        struct cmsghdr header;
        char bytes[256];
    } control;
    struct msghdr message = {
        .msg_name = &storage,
        .msg_namelen = sizeof storage,
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    memset(ends, 0, sizeof *ends);
    memset(&storage, 0, sizeof storage);
    ssize_t count;
    do count = recvmsg(fd, &message, 0);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    ends->peer = tapline_uv_decode((struct sockaddr *)&storage);
#ifdef __linux__
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(header), sizeof info);
            ends->local.version = 4;
            ends->local.low = ntohl(info.ipi_addr.s_addr);
        } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO) {
            tapline_uv_pktinfo6 info;
            memcpy(&info, CMSG_DATA(header), sizeof info);
            struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_addr = info.address};
            ends->local = tapline_uv_decode((struct sockaddr *)&in);
        }
    }
#endif
    return count;
}

// Sends a datagram to `peer`, or to the connected peer if its version is 0, from the address
// `local` if that has a version; 0 or -errno.
static inline int tapline_uv_send_datagram(
    int fd, const uint8_t *bytes, size_t size, const tapline_uv_ends *ends
) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    struct sockaddr_storage storage;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (ends->peer.version != 0) {
        message.msg_namelen = tapline_uv_encode(ends->peer, &storage);
        message.msg_name = &storage;
    }
#ifdef __linux__
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(tapline_uv_pktinfo6))];
    } control;
    memset(&control, 0, sizeof control);
    if (ends->local.version != 0) {
        int is_v4 = ends->local.version == 4;
        size_t length = is_v4 ? sizeof(struct in_pktinfo) : sizeof(tapline_uv_pktinfo6);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(length);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = is_v4 ? IPPROTO_IP : IPPROTO_IPV6;
        header->cmsg_type = is_v4 ? IP_PKTINFO : IPV6_PKTINFO;
        header->cmsg_len = CMSG_LEN(length);
        struct sockaddr_storage source;
        tapline_uv_encode(ends->local, &source);
        if (is_v4) {
            struct in_pktinfo info = {
                .ipi_spec_dst = ((struct sockaddr_in *)&source)->sin_addr};
            memcpy(CMSG_DATA(header), &info, sizeof info);
        } else {
            tapline_uv_pktinfo6 info = {
                .address = ((struct sockaddr_in6 *)&source)->sin6_addr};
            memcpy(CMSG_DATA(header), &info, sizeof info);
        }
    }
#endif
    ssize_t sent;
    do sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

// Whether an interface of this machine has an IPv6 address that is neither loopback nor link-local.
static inline int tapline_uv_has_ipv6(void) {
    struct ifaddrs *list = NULL;
    int found = 0;
    if (getifaddrs(&list) != 0) return 0;
    for (struct ifaddrs *entry = list; entry != NULL && !found; entry = entry->ifa_next) {
        if (entry->ifa_addr == NULL || entry->ifa_addr->sa_family != AF_INET6) continue;
        const struct in6_addr *own = &((struct sockaddr_in6 *)entry->ifa_addr)->sin6_addr;
        found = !IN6_IS_ADDR_LOOPBACK(own) && !IN6_IS_ADDR_LINKLOCAL(own);
    }
    freeifaddrs(list);
    return found;
}
