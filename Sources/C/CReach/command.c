// SPDX-License-Identifier: MIT

#ifdef __linux__

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Splits the texts of a command; 0 or -errno.
static int read_texts(char *bytes, size_t size, uint32_t count, size_t *at, char **texts) {
    for (uint32_t i = 0; i < count; i++) {
        char *end = *at < size ? memchr(bytes + *at, 0, size - *at) : NULL;
        if (end == NULL) return -EPROTO;
        texts[i] = bytes + *at;
        *at = (size_t)(end - bytes) + 1;
    }
    texts[count] = NULL;
    return 0;
}

// Executes the command in a new process once `permit` has a byte; does not return. All signals are
// blocked, so those that arrive meanwhile are for the command.
static void execute(char **arguments, char **variables, int permit, int report) {
    char byte;
    ssize_t count;
    do count = read(permit, &byte, 1);
    while (count < 0 && errno == EINTR);
    if (count != 1) _exit(125);
    sigset_t none;
    sigemptyset(&none);
    // As in `exec` without `--all`: signals have their default actions in the command.
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(arguments[0], arguments, variables);
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    _exit(written > 0 ? 126 : 125);
}

// Waits until the command is executed; 0 or -errno.
static int wait_for_exec(pid_t process, int report) {
    int error = 0;
    ssize_t count;
    // The pipe ends without a byte once the command is executed.
    do count = read(report, &error, sizeof error);
    while (count < 0 && errno == EINTR);
    if (count != sizeof error) return 0;
    waitpid(process, NULL, 0);
    return -error;
}

static pid_t start(char **arguments, char **variables, void (*announce)(pid_t process)) {
    int permit[2], report[2];
    if (pipe2(permit, O_CLOEXEC) < 0) return -errno;
    if (pipe2(report, O_CLOEXEC) < 0) {
        int error = errno;
        close(permit[0]);
        close(permit[1]);
        return -error;
    }
    sigset_t all, before;
    sigfillset(&all);
    // This process ignores signals of the terminal, which would be lost; blocked ones are kept.
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_t process = fork();
    if (process == 0) {
        close(permit[1]);
        execute(arguments, variables, permit[0], report[1]);
    }
    int status = process < 0 ? -errno : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(permit[0]);
    close(report[1]);
    if (status == 0) {
        // Before it runs, since it may stop or kill this process.
        announce(process);
        if (write(permit[1], "", 1) == 1) status = wait_for_exec(process, report[0]);
    }
    close(permit[1]);
    close(report[0]);
    return status < 0 ? status : process;
}

pid_t tapline_reach_run(int file, void (*announce)(pid_t process)) {
    struct stat status;
    uint32_t counts[2];
    if (fstat(file, &status) < 0) return -errno;
    size_t size = (size_t)status.st_size;
    if (size < sizeof counts || size > 1 << 28) return -EPROTO;
    char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) return -errno;
    memcpy(counts, bytes, sizeof counts);
    pid_t result = -EPROTO;
    if (counts[0] > 0 && counts[0] < size && counts[1] < size) {
        char **arguments = calloc((size_t)counts[0] + 1, sizeof *arguments);
        char **variables = calloc((size_t)counts[1] + 1, sizeof *variables);
        size_t at = sizeof counts;
        if (arguments != NULL && variables != NULL
            && read_texts(bytes, size, counts[0], &at, arguments) == 0
            && read_texts(bytes, size, counts[1], &at, variables) == 0)
            result = start(arguments, variables, announce);
        free(arguments);
        free(variables);
    }
    munmap(bytes, size);
    return result;
}

#endif
