// SPDX-License-Identifier: MIT

#pragma once

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// A socket in the file system that only this user may connect to (unix(7)), or a negative error. A
// socket that nobody listens on any more is replaced; anything else at the path is an error.
static inline int tapline_uv_bind_path(const char *path, int backlog) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    struct stat found;
    if (lstat(path, &found) == 0 && S_ISSOCK(found.st_mode)) {
        int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (probe < 0) return -errno;
        int status = connect(probe, (struct sockaddr *)&address, sizeof address);
        if (status < 0 && errno == ECONNREFUSED) unlink(path);
        close(probe);
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    // Linux takes the mode of the new file from that of the socket. A chmod of the path would follow
    // a link that another user may have put there since.
    int status = fchmod(fd, 0600);
    if (status == 0) status = bind(fd, (struct sockaddr *)&address, sizeof address);
    int bound = status == 0;
    if (status == 0) status = listen(fd, backlog);
    if (status < 0) {
        status = -errno;
        if (bound) unlink(path);
        close(fd);
        return status;
    }
    return fd;
}
