// SPDX-License-Identifier: MIT

#ifdef __linux__

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { control_channel = 3, request_channel = 4 };

// The command that runs; 0 if there is none.
static pid_t command;

static int send_simple(int kind, int value, int detail) {
    tapline_reach_message message = {.kind = (uint32_t)kind, .value = value, .detail = detail};
    return tapline_reach_send(control_channel, &message, -1);
}

// Parses the arguments: `ipv6`, `nft`, `count=2` and `port=80`.
static reach_plan parse(int argc, char **argv) {
    reach_plan plan = {.count = 1};
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "ipv6") == 0) plan.has_ipv6 = 1;
        if (strcmp(argv[i], "nft") == 0) plan.uses_nft = 1;
        if (strncmp(argv[i], "count=", 6) == 0) plan.count = atoi(argv[i] + 6);
        int is_port = strncmp(argv[i], "port=", 5) == 0;
        if (is_port && plan.port_count < (int)(sizeof plan.ports / sizeof *plan.ports))
            plan.ports[plan.port_count++] = (uint16_t)atoi(argv[i] + 5);
    }
    if (plan.count < 1 || plan.count > 64) plan.count = 1;
    return plan;
}

// Sends a socket, and closes it here; 0 or -errno.
static int hand_out(int use, int fd) {
    if (fd < 0) return fd;
    tapline_reach_message message = {.kind = TAPLINE_REACH_SOCKET, .value = use};
    int status = tapline_reach_send(control_channel, &message, fd);
    close(fd);
    return status;
}

static int hand_out_listeners(int family, uint16_t *port, int count) {
    int status = 0;
    for (int i = 0; i < count && status == 0; i++)
        status = hand_out(TAPLINE_REACH_TCP, tapline_reach_listen(family, port, count > 1));
    return status;
}

// The listeners and the DNS socket of one family, for the redirect or for the plan's ports.
static int hand_out_family(reach_namespace *space, const reach_plan *plan, int family) {
    uint16_t *tcp = family == AF_INET ? &space->tcp_port4 : &space->tcp_port6;
    uint16_t *dns = family == AF_INET ? &space->dns_port4 : &space->dns_port6;
    int quic = family == AF_INET ? TAPLINE_REACH_QUIC4 : TAPLINE_REACH_QUIC6;
    int status = 0;
    if (space->is_redirected) {
        status = hand_out_listeners(family, tcp, plan->count);
    } else {
        *dns = 53;
        for (int i = 0; i < plan->port_count && status == 0; i++) {
            uint16_t port = plan->ports[i];
            status = hand_out_listeners(family, &port, plan->count);
        }
    }
    if (status == 0) status = hand_out(TAPLINE_REACH_DNS, tapline_reach_open_dns(family, dns));
    // Only counts, so the namespace works without it.
    if (status == 0) hand_out(quic, tapline_reach_open_quic(family));
    return status;
}

// Makes the namespace and sends its sockets; 0, or -1 after the failure is reported.
static int set_up(reach_namespace *space, const reach_plan *plan) {
    int step = 0;
    int status = tapline_reach_make_namespace(space, plan, &step);
    if (status == 0) {
        step = TAPLINE_REACH_LISTEN;
        // The rules need the ports, which the kernel chooses; reserved here until they are known.
        space->is_redirected = plan->uses_nft;
        status = hand_out_family(space, plan, AF_INET);
        if (status == 0 && space->has_ipv6) status = hand_out_family(space, plan, AF_INET6);
    }
    if (status == 0 && space->is_redirected && tapline_reach_redirect(space) < 0) {
        // The sockets at chosen ports stay unused.
        space->is_redirected = 0;
        status = hand_out_family(space, plan, AF_INET);
        if (status == 0 && space->has_ipv6) status = hand_out_family(space, plan, AF_INET6);
    }
    if (status == 0)
        return send_simple(TAPLINE_REACH_READY, space->is_redirected, space->has_ipv6);
    send_simple(TAPLINE_REACH_FAILED, step, -status);
    return -1;
}

// Notes processes that have ended.
static void reap(int signals) {
    struct signalfd_siginfo information;
    while (read(signals, &information, sizeof information) > 0) {}
    int status;
    int ended = 0;
    pid_t process;
    int command_status = 0;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
        if (process != command) continue;
        ended = 1;
        command_status = status;
    }
    if (!ended) return;
    command = 0;
    // With PR_SET_CHILD_SUBREAPER, processes that outlive the command become children of the helper.
    send_simple(TAPLINE_REACH_ENDED, command_status, process == 0);
}

// Handles a message of Tapline; 0 at the end of the channel.
static int serve_control(void) {
    tapline_reach_message message;
    int file;
    int status = tapline_reach_receive(control_channel, &message, &file);
    if (status <= 0) return status == -EPROTO;
    if (message.kind == TAPLINE_REACH_RUN && command == 0 && file >= 0) {
        pid_t process = tapline_reach_run(file);
        if (process > 0) command = process;
        send_simple(
            process > 0 ? TAPLINE_REACH_RUNS : TAPLINE_REACH_REFUSED, process > 0 ? process : 0,
            process > 0 ? 0 : -process);
    }
    if (file >= 0) close(file);
    return 1;
}

static void serve_request(const reach_namespace *space, struct pollfd *channel) {
    tapline_reach_message message;
    int file;
    int status = tapline_reach_receive(request_channel, &message, &file);
    if (file >= 0) close(file);
    if (status == 0) channel->fd = -1;
    if (status <= 0 || message.kind != TAPLINE_REACH_CONNECT) return;
    int fd = tapline_reach_connect(space, &message);
    tapline_reach_message answer = {
        .kind = TAPLINE_REACH_CONNECTED, .detail = fd < 0 ? -fd : 0, .number = message.number};
    tapline_reach_send(request_channel, &answer, fd);
    if (fd >= 0) close(fd);
}

static int run_helper(int argc, char **argv) {
    reach_plan plan = parse(argc, argv);
    reach_namespace space = {0};
    fcntl(control_channel, F_SETFD, FD_CLOEXEC);
    fcntl(request_channel, F_SETFD, FD_CLOEXEC);
    // The terminal sends these to the whole group, of which only the command should end.
    static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    if (set_up(&space, &plan) < 0) return 1;
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    struct pollfd events[3] = {
        {.fd = control_channel, .events = POLLIN},
        {.fd = request_channel, .events = POLLIN},
        {.fd = signals, .events = POLLIN},
    };
    if (signals < 0) return 1;
    while (1) {
        if (poll(events, 3, -1) < 0 && errno != EINTR) return 1;
        if (events[2].revents != 0) reap(signals);
        if (events[1].revents != 0) serve_request(&space, &events[1]);
        if (events[0].revents != 0 && !serve_control()) return 0;
    }
}

// Runs before `main`, and before any thread exists.
__attribute__((constructor)) static void run_if_helper(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], TAPLINE_REACH_WORD) != 0) return;
    _exit(run_helper(argc, argv));
}

#endif
