// SPDX-License-Identifier: MIT

#ifdef __linux__

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Keeps the right to configure the network over exec: otherwise a user other than root would lose
// it (capabilities(7)).
static void keep_network_rights(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    memset(data, 0, sizeof data);
    if (syscall(SYS_capget, &header, data) < 0) return;
    for (int i = 0; i < 2; i++) data[i].inheritable = data[i].permitted;
    if (syscall(SYS_capset, &header, data) < 0) return;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0);
}

// Executes nft with the rules as its input; does not return.
static void execute_nft(int input) {
    static const char *const places[] = {
        "/usr/sbin/nft", "/sbin/nft", "/usr/local/sbin/nft", "/usr/bin/nft", "/usr/local/bin/nft"};
    char *const arguments[] = {"nft", "-f", "-", NULL};
    char *const variables[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (dup2(input, 0) < 0 || nothing < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0) _exit(1);
    keep_network_rights();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        execve(places[i], arguments, variables);
    _exit(127);
}

static int apply(const char *rules) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    pid_t process = fork();
    if (process == 0) execute_nft(ends[0]);
    close(ends[0]);
    // The rules are shorter than a pipe's buffer.
    ssize_t written = process < 0 ? -1 : write(ends[1], rules, strlen(rules));
    close(ends[1]);
    if (process < 0) return -1;
    int status;
    pid_t found;
    do found = waitpid(process, &status, 0);
    while (found < 0 && errno == EINTR);
    return found == process && status == 0 && written > 0 ? 0 : -1;
}

// Writes the rules of a family; the count of bytes.
static int write_rules(
    char *rules, size_t size, const char *family, uint16_t tcp_port, uint16_t dns_port
) {
    return snprintf(
        rules, size,
        "table %s tapline {\n"
        "  chain output {\n"
        "    type nat hook output priority -100; policy accept;\n"
        "    meta mark %u return\n"
        "    udp dport 53 redirect to :%u\n"
        "    meta l4proto tcp redirect to :%u\n"
        "  }\n"
        "}\n",
        family, (unsigned)REACH_MARK, (unsigned)dns_port, (unsigned)tcp_port);
}

int tapline_reach_redirect(const reach_namespace *space) {
    char rules[1024];
    int count = write_rules(rules, sizeof rules, "ip", space->tcp_port4, space->dns_port4);
    if (space->has_ipv6)
        write_rules(
            rules + count, sizeof rules - (size_t)count, "ip6", space->tcp_port6,
            space->dns_port6);
    // One input is one transaction: if a family fails, the other one is not redirected either.
    return apply(rules);
}

#endif
