// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
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

int tapline_reach_receive(int channel, tapline_reach_message *message, int *descriptor) {
    struct iovec part = {.iov_base = message, .iov_len = sizeof *message};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
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
    struct cmsghdr *header = CMSG_FIRSTHDR(&packet);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS
        && header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    if (count == sizeof *message && !(packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) return 1;
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
    return count == 0 ? 0 : -EPROTO;
}

int tapline_reach_channel(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 ? -errno : 0;
}

void tapline_reach_close(int descriptor) { close(descriptor); }

void tapline_reach_set_limit(int channel, int milliseconds) {
    struct timeval limit = {
        .tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000};
    setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

pid_t tapline_reach_spawn(int control, int requests, char *const *arguments) {
    // Duplicated above the target numbers, so that neither replaces the other.
    int high_control = fcntl(control, F_DUPFD_CLOEXEC, 16);
    int high_requests = fcntl(requests, F_DUPFD_CLOEXEC, 16);
    int status = high_control < 0 || high_requests < 0 ? errno : 0;
    pid_t process = -1;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (status == 0) {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        posix_spawn_file_actions_adddup2(&actions, high_control, 3);
        posix_spawn_file_actions_adddup2(&actions, high_requests, 4);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        status = posix_spawn(
            &process, "/proc/self/exe", &actions, &attributes, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    if (high_control >= 0) close(high_control);
    if (high_requests >= 0) close(high_requests);
    return status == 0 ? process : -status;
}

int tapline_reach_wait(pid_t process, int *status) {
    pid_t found;
    do found = waitpid(process, status, 0);
    while (found < 0 && errno == EINTR);
    return found < 0 ? -errno : 0;
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
int tapline_reach_channel(int ends[2]) {
    (void)ends;
    return -ENOSYS;
}
void tapline_reach_close(int descriptor) { close(descriptor); }
void tapline_reach_set_limit(int channel, int milliseconds) { (void)channel, (void)milliseconds; }
pid_t tapline_reach_spawn(int control, int requests, char *const *arguments) {
    (void)control, (void)requests, (void)arguments;
    return -ENOSYS;
}
int tapline_reach_wait(pid_t process, int *status) {
    (void)process, (void)status;
    return -ENOSYS;
}
int tapline_reach_command(const uint8_t *bytes, size_t count) {
    (void)bytes, (void)count;
    return -ENOSYS;
}

#endif
