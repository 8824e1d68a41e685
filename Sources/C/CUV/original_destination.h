// SPDX-License-Identifier: MIT

#pragma once

// Included by shim.h.

// MARK: Redirected connections

// The address that the client of a redirected connection has connected to (SO_ORIGINAL_DST of
// netfilter, the same number for IPv6); version 0 if the connection was not redirected.
static inline tapline_uv_address tapline_uv_original_destination(
    tapline_uv_connection *connection
) {
    tapline_uv_address address = {0};
#ifdef __linux__
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    const int original_destination = 80;
    uv_os_fd_t fd;
    if (uv_fileno((const uv_handle_t *)&connection->tcp, &fd) != 0) return address;
    memset(&storage, 0, sizeof storage);
    if (getsockopt(fd, IPPROTO_IP, original_destination, &storage, &length) == 0
        && storage.ss_family == AF_INET)
        return tapline_uv_decode((struct sockaddr *)&storage);
    length = sizeof storage;
    if (getsockopt(fd, IPPROTO_IPV6, original_destination, &storage, &length) == 0
        && storage.ss_family == AF_INET6)
        return tapline_uv_decode((struct sockaddr *)&storage);
#else
    (void)connection;
#endif
    return address;
}

// Lets a connection use an open socket, and takes ownership of it, even on failure.
static inline int tapline_uv_adopt(tapline_uv_connection *connection, int fd) {
    int status = uv_tcp_open(&connection->tcp, fd);
    if (status < 0) close(fd);
    return status;
}

// Lets a socket that is not bound yet accept connections to addresses of other machines (ip(7),
// IP_TRANSPARENT); 0 or -1.
static inline int tapline_uv_set_transparent(int fd, int version) {
#ifdef __linux__
    const int ipv6_transparent = 75;
    int on = 1;
    return version == 4
        ? setsockopt(fd, IPPROTO_IP, IP_TRANSPARENT, &on, sizeof on)
        : setsockopt(fd, IPPROTO_IPV6, ipv6_transparent, &on, sizeof on);
#else
    (void)fd, (void)version;
    errno = ENOPROTOOPT;
    return -1;
#endif
}
