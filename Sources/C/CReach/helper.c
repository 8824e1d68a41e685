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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The channel for control, and the first one for requests.
static int control_channel = -1, request_channel = -1;

// The command that runs; 0 if there is none.
static pid_t command;

static int send_simple(int kind, int value, int detail) {
    tapline_reach_message message = {.kind = (uint32_t)kind, .value = value, .detail = detail};
    return tapline_reach_send(control_channel, &message, -1);
}

// Parses the arguments: `control=5`, `requests=6`, `ipv6`, `nft`, `count=2` and `port=80`.
static reach_plan parse(int argc, char **argv) {
    reach_plan plan = {.count = 1};
    for (int i = 2; i < argc; i++) {
        if (strncmp(argv[i], "control=", 8) == 0) control_channel = atoi(argv[i] + 8);
        if (strncmp(argv[i], "requests=", 9) == 0) request_channel = atoi(argv[i] + 9);
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

// Sends the process of the command. It is not reaped yet, so the number is the command's.
static void announce(pid_t process) {
    command = process;
    int handle = (int)syscall(SYS_pidfd_open, process, 0);
    tapline_reach_message message = {.kind = TAPLINE_REACH_RUNS, .value = process};
    int status = tapline_reach_send(control_channel, &message, handle);
    if (handle < 0) return;
    // The number is enough if the system refuses to pass the descriptor.
    if (status < 0) tapline_reach_send(control_channel, &message, -1);
    close(handle);
}

// Handles a message of Tapline; 0 at the end of the channel.
static int serve_control(void) {
    tapline_reach_message message;
    int file;
    int status = tapline_reach_receive(control_channel, &message, &file);
    if (status <= 0) return status == -EPROTO;
    if (message.kind == TAPLINE_REACH_RUN && command == 0) {
        // Without the file, no descriptor was left for it here.
        pid_t process = file < 0 ? -EMFILE : tapline_reach_run(file, announce);
        if (process < 0) {
            command = 0;
            send_simple(TAPLINE_REACH_REFUSED, 0, -process);
        }
    }
    if (file >= 0) close(file);
    return 1;
}

// MARK: Requests

// The descriptors that are waited for: control, signals, the first channel for requests, and those
// that it has brought.
enum { control_event, signal_event, request_event, first_channel, max_events = 256 };
static struct pollfd events[max_events];
static int event_count = first_channel;

// Adds a channel; without room, or without a descriptor for it, it is closed, so that its requests
// fail.
static void accept_channel(void) {
    tapline_reach_message message;
    int channel;
    int status = tapline_reach_receive(request_channel, &message, &channel);
    if (status == 0) events[request_event].fd = -1;
    if (status <= 0 || channel < 0) return;
    if (message.kind == TAPLINE_REACH_CHANNEL && event_count < max_events)
        events[event_count++] = (struct pollfd){.fd = channel, .events = POLLIN};
    else close(channel);
}

// Answers a request; 0 if the channel has ended, or takes no answer.
static int serve_request(const reach_namespace *space, int channel) {
    tapline_reach_message message;
    int file;
    int status = tapline_reach_receive(channel, &message, &file);
    if (file >= 0) close(file);
    if (status == -EAGAIN) return 1;
    if (status <= 0 || message.kind != TAPLINE_REACH_OPEN) return 0;
    int fd = tapline_reach_open(space, message.version, message.port);
    tapline_reach_message answer = {.kind = TAPLINE_REACH_OPENED, .detail = fd < 0 ? -fd : 0};
    status = tapline_reach_send(channel, &answer, fd);
    if (status < 0 && fd >= 0) {
        // As many descriptors may be under way as the user may have open (ETOOMANYREFS).
        answer.detail = -status;
        status = tapline_reach_send(channel, &answer, -1);
    }
    if (fd >= 0) close(fd);
    return status == 0;
}

static void serve_channels(const reach_namespace *space) {
    for (int i = first_channel; i < event_count;) {
        if (events[i].revents == 0 || serve_request(space, events[i].fd)) {
            i++;
            continue;
        }
        close(events[i].fd);
        events[i] = events[--event_count];
    }
}

static int run_helper(int argc, char **argv) {
    reach_plan plan = parse(argc, argv);
    reach_namespace space = {0};
    if (fcntl(control_channel, F_SETFD, FD_CLOEXEC) < 0) return 1;
    if (fcntl(request_channel, F_SETFD, FD_CLOEXEC) < 0) return 1;
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
    if (signals < 0) return 1;
    events[control_event] = (struct pollfd){.fd = control_channel, .events = POLLIN};
    events[signal_event] = (struct pollfd){.fd = signals, .events = POLLIN};
    events[request_event] = (struct pollfd){.fd = request_channel, .events = POLLIN};
    while (1) {
        if (poll(events, (nfds_t)event_count, -1) < 0) {
            if (errno == EINTR) continue;
            return 1;
        }
        if (events[signal_event].revents != 0) reap(signals);
        serve_channels(&space);
        if (events[request_event].revents != 0) accept_channel();
        if (events[control_event].revents != 0 && !serve_control()) return 0;
    }
}

// Runs before `main`, and before any thread exists.
__attribute__((constructor)) static void run_if_helper(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], TAPLINE_REACH_WORD) != 0) return;
    _exit(run_helper(argc, argv));
}

#endif
