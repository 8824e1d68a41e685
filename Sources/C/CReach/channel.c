// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <string.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

#ifdef __linux__

extern char **environ;

int tapline_reach_send(int channel, const tapline_reach_message *message, int descriptor) {
    struct iovec part = {.iov_base = (void *)message, .iov_len = sizeof *message};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        packet.msg_control = control.bytes;
        packet.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    ssize_t sent;
    do sent = sendmsg(channel, &packet, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

// Takes the first descriptor of a packet and closes all others; -1 if there is none.
static int take_descriptor(struct msghdr *packet) {
    int taken = -1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(packet); header != NULL;
         header = CMSG_NXTHDR(packet, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        const unsigned char *data = CMSG_DATA(header);
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, data + i * sizeof descriptor, sizeof descriptor);
            if (taken < 0) taken = descriptor;
            else close(descriptor);
        }
    }
    return taken;
}

int tapline_reach_receive(int channel, tapline_reach_message *message, int *descriptor) {
    struct iovec part = {.iov_base = message, .iov_len = sizeof *message};
    // Because of its alignment there is room for a second descriptor, which the kernel may deliver.
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr packet = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    *descriptor = -1;
    memset(message, 0, sizeof *message);
    ssize_t count;
    do count = recvmsg(channel, &packet, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count < 0) return errno == ECONNRESET ? 0 : -errno;
    int taken = take_descriptor(&packet);
    int is_message = count == sizeof *message && !(packet.msg_flags & MSG_TRUNC);
    // A part of several descriptors is useless, as it is unknown which one was lost.
    if (is_message && !(packet.msg_flags & MSG_CTRUNC)) *descriptor = taken;
    else if (taken >= 0) close(taken);
    if (is_message) return 1;
    return count == 0 ? 0 : -EPROTO;
}

int tapline_reach_has_ended(int channel) {
    struct pollfd event = {.fd = channel};
    int count;
    do count = poll(&event, 1, 0);
    while (count < 0 && errno == EINTR);
    return count > 0 && event.revents != 0;
}

int tapline_reach_channel(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 ? -errno : 0;
}

void tapline_reach_close(int descriptor) { close(descriptor); }

int tapline_reach_open_channel(int requests) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
        return -errno;
    tapline_reach_message message = {.kind = TAPLINE_REACH_CHANNEL};
    int status = tapline_reach_send(requests, &message, ends[1]);
    close(ends[1]);
    if (status == 0) return ends[0];
    close(ends[0]);
    return status;
}

pid_t tapline_reach_spawn(int control, int requests, char *const *arguments) {
    pid_t process = -1;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // A duplicate under the same number is not closed on exec, and replaces no descriptor that the
    // command is to inherit (posix_spawn_file_actions_adddup2(3)).
    posix_spawn_file_actions_adddup2(&actions, control, control);
    posix_spawn_file_actions_adddup2(&actions, requests, requests);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int status = posix_spawn(
        &process, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return status == 0 ? process : -status;
}

void tapline_reach_end(pid_t process) {
    kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
}

void tapline_reach_signal(int process, int number) {
    syscall(SYS_pidfd_send_signal, process, number, NULL, 0);
}

int tapline_reach_await(int channel, int process, int milliseconds) {
    struct pollfd events[2] = {
        {.fd = channel, .events = POLLIN},
        {.fd = process, .events = POLLIN},
    };
    int count;
    do count = poll(events, 2, milliseconds);
    while (count < 0 && errno == EINTR);
    return (events[0].revents != 0 ? TAPLINE_REACH_MESSAGE : 0)
        | (events[1].revents != 0 ? TAPLINE_REACH_EXIT : 0);
}

int tapline_reach_command(const uint8_t *bytes, size_t count) {
    int file = memfd_create("tapline-command", MFD_CLOEXEC);
    if (file < 0) return -errno;
    size_t at = 0;
    while (at < count) {
        ssize_t written = write(file, bytes + at, count - at);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            int error = errno;
            close(file);
            return -error;
        }
        at += (size_t)written;
    }
    return file;
}

#else

int tapline_reach_send(int channel, const tapline_reach_message *message, int descriptor) {
    (void)channel, (void)message, (void)descriptor;
    return -ENOSYS;
}
int tapline_reach_receive(int channel, tapline_reach_message *message, int *descriptor) {
    (void)channel, (void)message;
    *descriptor = -1;
    return -ENOSYS;
}
int tapline_reach_has_ended(int channel) {
    (void)channel;
    return 1;
}
int tapline_reach_channel(int ends[2]) {
    (void)ends;
    return -ENOSYS;
}
void tapline_reach_close(int descriptor) { close(descriptor); }
int tapline_reach_open_channel(int requests) {
    (void)requests;
    return -ENOSYS;
}
pid_t tapline_reach_spawn(int control, int requests, char *const *arguments) {
    (void)control, (void)requests, (void)arguments;
    return -ENOSYS;
}
void tapline_reach_end(pid_t process) { (void)process; }
void tapline_reach_signal(int process, int number) { (void)process, (void)number; }
int tapline_reach_await(int channel, int process, int milliseconds) {
    (void)channel, (void)process, (void)milliseconds;
    return 0;
}
int tapline_reach_command(const uint8_t *bytes, size_t count) {
    (void)bytes, (void)count;
    return -ENOSYS;
}

#endif
