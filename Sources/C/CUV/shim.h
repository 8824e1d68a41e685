// SPDX-License-Identifier: MIT

#pragma once

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <uv.h>

#ifdef __linux__
#include <linux/sockios.h>
#include <sys/timerfd.h>
#endif

// libuv's handles refer to themselves and to each other by address, and its functions take them as
// base types that require a cast. Related handles are therefore one block here, which is allocated
// once, and the functions below do the casts.

// MARK: Addresses

// An address in host byte order; `version` is 4, 6, or 0 if there is none.
typedef struct tapline_uv_address {
    uint64_t high, low;
    uint32_t scope;
    uint16_t port;
    uint8_t version;
} tapline_uv_address;

static inline socklen_t tapline_uv_encode(
    tapline_uv_address address, struct sockaddr_storage *storage
) {
    memset(storage, 0, sizeof *storage);
    if (address.version == 4) {
        struct sockaddr_in *in = (struct sockaddr_in *)storage;
        in->sin_family = AF_INET;
        in->sin_port = htons(address.port);
        in->sin_addr.s_addr = htonl((uint32_t)address.low);
        return sizeof *in;
    }
    struct sockaddr_in6 *in = (struct sockaddr_in6 *)storage;
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(address.port);
    in->sin6_scope_id = address.scope;
    for (int i = 0; i < 8; i++) {
        in->sin6_addr.s6_addr[i] = (uint8_t)(address.high >> (56 - 8 * i));
        in->sin6_addr.s6_addr[8 + i] = (uint8_t)(address.low >> (56 - 8 * i));
    }
    return sizeof *in;
}

static inline tapline_uv_address tapline_uv_decode(const struct sockaddr *socket_address) {
    tapline_uv_address address = {0};
    if (socket_address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)socket_address;
        address.version = 4;
        address.port = ntohs(in->sin_port);
        address.low = ntohl(in->sin_addr.s_addr);
    } else if (socket_address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)socket_address;
        address.version = 6;
        address.port = ntohs(in->sin6_port);
        address.scope = in->sin6_scope_id;
        for (int i = 0; i < 8; i++) {
            address.high = address.high << 8 | in->sin6_addr.s6_addr[i];
            address.low = address.low << 8 | in->sin6_addr.s6_addr[8 + i];
        }
    }
    return address;
}

// Whether an interface of this machine, up or down, has an address (getifaddrs(3)).
static inline int tapline_uv_is_interface(tapline_uv_address address) {
    struct ifaddrs *list = NULL;
    int found = 0;
    if (getifaddrs(&list) != 0) return 0;
    for (struct ifaddrs *entry = list; entry != NULL && !found; entry = entry->ifa_next) {
        if (entry->ifa_addr == NULL) continue;
        tapline_uv_address own = tapline_uv_decode(entry->ifa_addr);
        found = own.version != 0 && own.version == address.version && own.high == address.high
            && own.low == address.low;
    }
    freeifaddrs(list);
    return found;
}

#include "socket_owner.h"

// MARK: Loop

// The handles of a loop; `lent` is the buffer that all its connections read into.
typedef struct tapline_uv_core {
    uv_loop_t loop;
    uv_async_t wake;
    uv_prepare_t prepare;
    uv_idle_t idle;
    uv_timer_t timer;
    uv_buf_t lent;
} tapline_uv_core;

static inline int tapline_uv_core_open(
    tapline_uv_core *core, size_t size, uv_async_cb woken, uv_prepare_cb prepared
) {
    memset(core, 0, sizeof *core);
    int status = uv_loop_init(&core->loop);
    if (status < 0) return status;
    status = uv_async_init(&core->loop, &core->wake, woken);
    char *buffer = status < 0 ? NULL : (char *)malloc(size);
    if (buffer == NULL) {
        if (status == 0) {
            uv_close((uv_handle_t *)&core->wake, NULL);
            uv_run(&core->loop, UV_RUN_DEFAULT);
        }
        uv_loop_close(&core->loop);
        return status < 0 ? status : UV_ENOMEM;
    }
    core->lent = uv_buf_init(buffer, (unsigned)size);
    core->loop.data = core;
    uv_prepare_init(&core->loop, &core->prepare);
    uv_idle_init(&core->loop, &core->idle);
    uv_timer_init(&core->loop, &core->timer);
    return uv_prepare_start(&core->prepare, prepared);
}

static inline void tapline_uv_core_own(tapline_uv_core *core, void *owner) {
    core->wake.data = core->prepare.data = core->timer.data = owner;
}

// Closes the loop's own handles; the loop ends when all others are also closed.
static inline void tapline_uv_core_shut(tapline_uv_core *core) {
    uv_close((uv_handle_t *)&core->wake, NULL);
    uv_close((uv_handle_t *)&core->prepare, NULL);
    uv_close((uv_handle_t *)&core->idle, NULL);
    uv_close((uv_handle_t *)&core->timer, NULL);
}

// Frees the resources of an ended loop; returns UV_EBUSY if a handle is still open.
static inline int tapline_uv_core_free(tapline_uv_core *core) {
    int status = uv_loop_close(&core->loop);
    if (status == 0) free(core->lent.base);
    return status;
}

// An idle callback, which only keeps the loop from waiting.
static inline void tapline_uv_idle(uv_idle_t *handle) { (void)handle; }

static inline void tapline_uv_core_set_busy(tapline_uv_core *core, int busy) {
    if (busy) uv_idle_start(&core->idle, tapline_uv_idle);
    else uv_idle_stop(&core->idle);
}

static inline uint64_t tapline_uv_this_thread(void) { return (uint64_t)pthread_self(); }

// Writing to a socket that its peer has reset raises SIGPIPE unless it is blocked; libuv has no
// flag for MSG_NOSIGNAL. Children do not inherit the mask: uv_spawn clears it.
static inline void tapline_uv_enter_thread(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static inline void tapline_uv_detach_thread(uv_thread_t thread) { pthread_detach(thread); }

// MARK: Sockets

static inline int tapline_uv_set_transparent(int fd, int version);

// A socket that listens on an address, or a negative error; sets the chosen port in the address.
// The socket listens immediately, so that clients that connect before a loop takes the socket wait
// for it; with a negative backlog, it is only bound. A transparent one accepts connections to
// addresses of other machines.
static inline int tapline_uv_bind(
    tapline_uv_address *address, int backlog, int shared, int transparent
) {
    struct sockaddr_storage storage;
    socklen_t length = tapline_uv_encode(*address, &storage);
    int on = 1;
    int fd = socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    int status = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (status == 0 && shared) status = setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (status == 0 && transparent) status = tapline_uv_set_transparent(fd, address->version);
    // A socket of one family must not accept connections of the other.
    if (status == 0 && address->version == 6)
        status = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (status == 0) status = bind(fd, (struct sockaddr *)&storage, length);
    if (status == 0 && backlog >= 0) status = listen(fd, backlog);
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

#include "local_socket.h"

static inline void tapline_uv_close_socket(int fd) { close(fd); }

// The address that a socket is bound to; 0, or -1 if it is not a socket of the Internet.
static inline int tapline_uv_local_address(int fd, tapline_uv_address *address) {
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    if (getsockname(fd, (struct sockaddr *)&storage, &length) < 0) return -1;
    if (storage.ss_family != AF_INET && storage.ss_family != AF_INET6) return -1;
    *address = tapline_uv_decode((struct sockaddr *)&storage);
    return 0;
}

// A duplicate of a socket, or an error of libuv.
static inline int tapline_uv_duplicate(int fd) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return copy < 0 ? uv_translate_sys_error(errno) : copy;
}

// Takes ownership of the socket, even on failure.
static inline int tapline_uv_listen(
    uv_loop_t *loop, uv_tcp_t *tcp, int fd, int backlog, uv_connection_cb callback
) {
    int status = uv_tcp_init(loop, tcp);
    if (status < 0) {
        close(fd);
        return status;
    }
    status = uv_tcp_open(tcp, fd);
    if (status < 0) close(fd);
    return status < 0 ? status : uv_listen((uv_stream_t *)tcp, backlog, callback);
}

static inline void tapline_uv_close_tcp(uv_tcp_t *tcp, uv_close_cb callback) {
    uv_close((uv_handle_t *)tcp, callback);
}

static inline void *tapline_uv_stream_data(uv_stream_t *stream) { return stream->data; }
static inline void *tapline_uv_handle_data(uv_handle_t *handle) { return handle->data; }

// MARK: Connections

// A connection has at most one pending request of each kind, so the requests are part of it.
typedef struct tapline_uv_connection {
    uv_tcp_t tcp;
    uv_write_t write;
    uv_connect_t connect;
    uv_shutdown_t shutdown;
} tapline_uv_connection;

static inline int tapline_uv_open(uv_loop_t *loop, tapline_uv_connection *connection) {
    memset(connection, 0, sizeof *connection);
    return uv_tcp_init(loop, &connection->tcp);
}

static inline int tapline_uv_accept(uv_tcp_t *listener, tapline_uv_connection *connection) {
    return uv_accept((uv_stream_t *)listener, (uv_stream_t *)&connection->tcp);
}

// Connects two connections of one process to each other with socketpair(2). They have no addresses.
static inline int tapline_uv_pair(tapline_uv_connection *first, tapline_uv_connection *second) {
    uv_os_sock_t ends[2];
    int status = uv_socketpair(SOCK_STREAM, 0, ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
    if (status < 0) return status;
    status = uv_tcp_open(&first->tcp, ends[0]);
    if (status < 0) close(ends[0]);
    int second_status = uv_tcp_open(&second->tcp, ends[1]);
    if (second_status < 0) close(ends[1]);
    return status < 0 ? status : second_status;
}

static inline int tapline_uv_connect(
    tapline_uv_connection *connection, tapline_uv_address address, uv_connect_cb callback
) {
    struct sockaddr_storage storage;
    tapline_uv_encode(address, &storage);
    return uv_tcp_connect(
        &connection->connect, &connection->tcp, (struct sockaddr *)&storage, callback);
}

static inline void tapline_uv_lend(uv_handle_t *handle, size_t size, uv_buf_t *buffer) {
    (void)size;
    *buffer = ((tapline_uv_core *)handle->loop->data)->lent;
}

static inline int tapline_uv_read_start(tapline_uv_connection *connection, uv_read_cb callback) {
    return uv_read_start((uv_stream_t *)&connection->tcp, tapline_uv_lend, callback);
}

static inline void tapline_uv_read_stop(tapline_uv_connection *connection) {
    uv_read_stop((uv_stream_t *)&connection->tcp);
}

// Sends as much as the kernel accepts, or returns UV_EAGAIN; must not be called during a write.
// Like uv_try_write, but with send(2), which costs 4 % less than write(2) for a socket.
static inline int tapline_uv_try_write(
    tapline_uv_connection *connection, const uv_buf_t *buffers, unsigned count
) {
    int flags = MSG_DONTWAIT;
#ifdef MSG_NOSIGNAL
    flags |= MSG_NOSIGNAL;
#endif
    uv_os_fd_t fd;
    int status = uv_fileno((const uv_handle_t *)&connection->tcp, &fd);
    if (status < 0) return status;
    // On Unix a uv_buf_t is a struct iovec.
    struct msghdr message = {.msg_iov = (struct iovec *)buffers, .msg_iovlen = count};
    ssize_t sent;
    do {
        sent = count == 1 ? send(fd, buffers->base, buffers->len, flags)
                          : sendmsg(fd, &message, flags);
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0) return (int)sent;
    return errno == EWOULDBLOCK || errno == ENOBUFS ? UV_EAGAIN : uv_translate_sys_error(errno);
}

static inline int tapline_uv_write(
    tapline_uv_connection *connection, const uv_buf_t *buffers, unsigned count, uv_write_cb callback
) {
    return uv_write(
        &connection->write, (uv_stream_t *)&connection->tcp, buffers, count, callback);
}

// The number of bytes of a pending write that the kernel has not yet accepted.
static inline long tapline_uv_queued(tapline_uv_connection *connection) {
    return (long)uv_stream_get_write_queue_size((uv_stream_t *)&connection->tcp);
}

// The number of bytes that the kernel has accepted and the peer has not acknowledged (tcp(7),
// SIOCOUTQ); 0 if unknown.
static inline unsigned tapline_uv_unacknowledged(tapline_uv_connection *connection) {
    int count = 0;
#ifdef SIOCOUTQ
    uv_os_fd_t fd;
    if (uv_fileno((uv_handle_t *)&connection->tcp, &fd) != 0 || ioctl(fd, SIOCOUTQ, &count) != 0)
        count = 0;
#endif
    return count > 0 ? (unsigned)count : 0;
}

// Acknowledges received data immediately (tcp(7), TCP_QUICKACK); the kernel later returns to its
// default.
static inline void tapline_uv_acknowledge(tapline_uv_connection *connection) {
#ifdef TCP_QUICKACK
    uv_os_fd_t fd;
    int on = 1;
    if (uv_fileno((uv_handle_t *)&connection->tcp, &fd) == 0)
        setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
#endif
}

// The maximum number of file descriptors of the process; 0 if unknown (getrlimit(2)).
static inline long tapline_uv_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > LONG_MAX) return 0;
    return (long)limit.rlim_cur;
}

static inline int tapline_uv_descriptor(tapline_uv_connection *connection) {
    uv_os_fd_t fd;
    return uv_fileno((uv_handle_t *)&connection->tcp, &fd) == 0 ? fd : -1;
}

static inline int tapline_uv_shutdown(tapline_uv_connection *connection, uv_shutdown_cb callback) {
    return uv_shutdown(&connection->shutdown, (uv_stream_t *)&connection->tcp, callback);
}

static inline void tapline_uv_close(tapline_uv_connection *connection, uv_close_cb callback) {
    uv_close((uv_handle_t *)&connection->tcp, callback);
}

// Makes the following close reset the connection (socket(7), SO_LINGER).
static inline void tapline_uv_linger_zero(tapline_uv_connection *connection) {
    uv_os_fd_t fd;
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    if (uv_fileno((uv_handle_t *)&connection->tcp, &fd) == 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static inline void *tapline_uv_write_data(uv_write_t *request) { return request->handle->data; }
static inline void *tapline_uv_connect_data(uv_connect_t *request) { return request->handle->data; }
static inline void *tapline_uv_shutdown_data(uv_shutdown_t *request) {
    return request->handle->data;
}

// The address of one end; version 0 if the connection is closed.
static inline tapline_uv_address tapline_uv_name(tapline_uv_connection *connection, int of_peer) {
    struct sockaddr_storage storage;
    int length = sizeof storage;
    int status = of_peer
        ? uv_tcp_getpeername(&connection->tcp, (struct sockaddr *)&storage, &length)
        : uv_tcp_getsockname(&connection->tcp, (struct sockaddr *)&storage, &length);
    tapline_uv_address none = {0};
    return status < 0 ? none : tapline_uv_decode((struct sockaddr *)&storage);
}

// MARK: Names

// The address of a numeric host in any form that the system accepts (inet_aton(3), IPv6 with a
// scope); version 0 if it is not numeric. Does not resolve names.
static inline tapline_uv_address tapline_uv_number(const char *host) {
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
    struct addrinfo *found = NULL;
    tapline_uv_address address = {0};
    if (getaddrinfo(host, NULL, &hints, &found) != 0 || found == NULL) return address;
    address = tapline_uv_decode(found->ai_addr);
    freeaddrinfo(found);
    return address;
}

// Identifies a version of a file: its inode number, its size and its modification time.
typedef struct tapline_uv_mark {
    uint64_t number, size, seconds, nanoseconds;
} tapline_uv_mark;

static inline tapline_uv_mark tapline_uv_file_mark(const char *path) {
    struct stat status;
    tapline_uv_mark mark = {0};
    if (stat(path, &status) != 0) return mark;
    mark.number = (uint64_t)status.st_ino;
    mark.size = (uint64_t)status.st_size;
#ifdef __APPLE__
    mark.seconds = (uint64_t)status.st_mtimespec.tv_sec;
    mark.nanoseconds = (uint64_t)status.st_mtimespec.tv_nsec;
#else
    mark.seconds = (uint64_t)status.st_mtim.tv_sec;
    mark.nanoseconds = (uint64_t)status.st_mtim.tv_nsec;
#endif
    return mark;
}

// MARK: Precise timers

// Opens a timer of the monotonic clock, that of uv_hrtime (timerfd_create(2)); -1 if the system has
// none.
static inline int tapline_uv_open_timer(void) {
#ifdef __linux__
    return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
#else
    return -1;
#endif
}

// Arms a timer for an absolute time in microseconds; 0 disarms it.
static inline int tapline_uv_set_timer(int timer, int64_t time) {
#ifdef __linux__
    struct itimerspec value = { 0 };
    value.it_value.tv_sec = time / 1000000;
    value.it_value.tv_nsec = time % 1000000 * 1000;
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &value, NULL);
#else
    (void)timer;
    (void)time;
    return -1;
#endif
}

// Resets a timer that has fired, so that it is no longer readable.
static inline void tapline_uv_reset_timer(int timer) {
    uint64_t count;
    ssize_t size = read(timer, &count, sizeof count);
    (void)size;
}

static inline void tapline_uv_close_timer(int timer) { close(timer); }

// MARK: Foreign sockets

// Watches a socket that other code opens and closes (uv_poll_start(3)).
static inline int tapline_uv_watch(
    uv_poll_t *poll, int readable, int writable, uv_poll_cb callback
) {
    int events = (readable ? UV_READABLE : 0) | (writable ? UV_WRITABLE : 0);
    return uv_poll_start(poll, events, callback);
}

static inline void tapline_uv_close_watch(uv_poll_t *poll, uv_close_cb callback) {
    uv_close((uv_handle_t *)poll, callback);
}

#include "datagrams.h"
#include "original_destination.h"
