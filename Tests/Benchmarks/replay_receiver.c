// SPDX-License-Identifier: MIT
//
// An HTTP server that notes when each request arrives.
//
//   replay_receiver FILE [BYTES [CAPACITY]]
//
// It prints its port, answers each request with BYTES bytes and ends on SIGTERM. Then it writes the
// times to FILE, in nanoseconds, as 64-bit numbers of this machine. A time is that of the kernel, when
// the last packet of the request arrived (SO_TIMESTAMPING, socket(7)), so that it does not depend on
// when this process runs. Requests that one read returns share a time.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/net_tstamp.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { buffer_size = 16384, events_at_once = 256 };

struct connection {
    int descriptor;
    size_t used;         // bytes in the buffer
    size_t body;         // bytes of a body that are still to come
    char buffer[buffer_size];
};

static uint64_t *times;
static size_t count, capacity;
static char *answer;
static size_t answer_size;
static volatile sig_atomic_t ended;

static void end(int signal) {
    (void)signal;
    ended = 1;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Reads once; sets the time of the last packet. The clock is that of the packets.
static ssize_t receive(struct connection *peer, uint64_t *when) {
    char control[256];
    struct iovec part = {peer->buffer + peer->used, buffer_size - 1 - peer->used};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t size = recvmsg(peer->descriptor, &message, 0);
    struct timespec now = {0, 0};
    for (struct cmsghdr *one = CMSG_FIRSTHDR(&message); size > 0 && one; one = CMSG_NXTHDR(&message, one))
        if (one->cmsg_level == SOL_SOCKET && one->cmsg_type == SO_TIMESTAMPING)
            memcpy(&now, CMSG_DATA(one), sizeof now);
    if (now.tv_sec == 0)
        clock_gettime(CLOCK_REALTIME, &now);
    *when = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return size;
}

static size_t content_length(const char *head) {
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n"))
        if (strncasecmp(line + 2, "content-length:", 15) == 0)
            return strtoul(line + 17, NULL, 10);
    return 0;
}

// Answers what is complete; returns whether the connection goes on.
static int serve(struct connection *peer, uint64_t when) {
    size_t start = 0;
    for (;;) {
        size_t skipped = peer->used - start < peer->body ? peer->used - start : peer->body;
        start += skipped;
        peer->body -= skipped;
        if (peer->body > 0)
            break;
        char *rest = peer->buffer + start;
        char *head_end = memmem(rest, peer->used - start, "\r\n\r\n", 4);
        if (!head_end)
            break;
        head_end[2] = '\0';
        peer->body = content_length(rest);
        start = (size_t)(head_end - peer->buffer) + 4;
        if (count < capacity)
            times[count] = when;
        count++;
        // The answer is small and clients read it, so the socket always has room.
        if (send(peer->descriptor, answer, answer_size, MSG_NOSIGNAL) != (ssize_t)answer_size)
            return 0;
    }
    memmove(peer->buffer, peer->buffer + start, peer->used - start);
    peer->used -= start;
    peer->buffer[peer->used] = '\0';
    return peer->used < buffer_size - 1;
}

static void accept_all(int listener, int loop) {
    for (;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0)
            return;
        int on = 1, stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof stamps);
        struct connection *peer = calloc(1, sizeof *peer);
        if (!peer)
            fail("calloc");
        peer->descriptor = descriptor;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
        if (epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event) < 0)
            fail("epoll_ctl");
    }
}

static void run(int listener) {
    int loop = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[events_at_once];
    if (loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event) < 0)
        fail("epoll");
    while (!ended) {
        int ready = epoll_wait(loop, events, events_at_once, 1000);
        for (int index = 0; index < ready; index++) {
            struct connection *peer = events[index].data.ptr;
            uint64_t when;
            if (!peer) {
                accept_all(listener, loop);
                continue;
            }
            ssize_t size = receive(peer, &when);
            if (size < 0 && (errno == EAGAIN || errno == EINTR))
                continue;
            if (size > 0) {
                peer->used += (size_t)size;
                peer->buffer[peer->used] = '\0';
            }
            if (size <= 0 || !serve(peer, when)) {
                close(peer->descriptor);
                free(peer);
            }
        }
    }
}

int main(int arguments, char **words) {
    size_t size = arguments > 2 ? strtoul(words[2], NULL, 10) : 100;
    capacity = arguments > 3 ? strtoul(words[3], NULL, 10) : 20000000;
    if (arguments < 2 || size > 65536) {
        fputs("usage: replay_receiver FILE [BYTES [CAPACITY]]\n", stderr);
        return 64;
    }
    times = mmap(NULL, capacity * sizeof *times, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    answer = malloc(size + 256);
    if (times == MAP_FAILED || !answer)
        fail("memory");
    int head = sprintf(answer, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n", size);
    memset(answer + head, 'x', size);
    answer_size = (size_t)head + size;

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 4096) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) < 0)
        fail("listen");
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    run(listener);

    FILE *file = fopen(words[1], "wb");
    size_t kept = count < capacity ? count : capacity;
    if (!file || fwrite(times, sizeof *times, kept, file) != kept || fclose(file) != 0)
        fail(words[1]);
    return 0;
}
