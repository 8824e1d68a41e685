// SPDX-License-Identifier: MIT

#pragma once

#include <stdint.h>
#include <sys/types.h>

// The helper of `tapline exec --all`: a process with one thread that makes a network namespace,
// stays inside it, hands out sockets of the namespace and runs the command there.
//
// A process with threads cannot make a user namespace (unshare(2)), so Tapline executes itself with
// TAPLINE_REACH_WORD as its first argument. A constructor then runs the helper before `main`.
#define TAPLINE_REACH_WORD "__namespace-helper"

// The kinds of messages on the control channel.
enum tapline_reach_kind {
    // Helper: a socket of the namespace is attached; `value` is a tapline_reach_socket.
    TAPLINE_REACH_SOCKET = 1,
    // Helper: all sockets are sent; `value` is 1 if nftables redirects all ports, and `detail` is 1
    // if the namespace has IPv6.
    TAPLINE_REACH_READY = 2,
    // Helper: a step has failed; `value` is a tapline_reach_step, `detail` an errno.
    TAPLINE_REACH_FAILED = 3,
    // Tapline: run the command in the attached file (see tapline_reach_command).
    TAPLINE_REACH_RUN = 4,
    // Helper: the command is about to run; `value` is its process id. A pidfd of it is attached, unless
    // the kernel is older than 5.3.
    TAPLINE_REACH_RUNS = 5,
    // Helper: the command cannot be executed; `detail` is an errno.
    TAPLINE_REACH_REFUSED = 6,
    // Helper: the command has ended; `value` is the status of waitpid(2), and `detail` is 1 if
    // processes that it has started still run.
    TAPLINE_REACH_ENDED = 7,
    // Tapline, on the channel for requests: another channel for requests is attached.
    TAPLINE_REACH_CHANNEL = 8,
    // Tapline, on such a channel: open a socket that can be connected to a listener at `port`, of
    // IPv`version`.
    TAPLINE_REACH_OPEN = 9,
    // Helper: the socket is attached, or `detail` is an errno. If there is neither, the socket was lost
    // on its way. The answers have the order of the requests.
    TAPLINE_REACH_OPENED = 10,
};

// The uses of a socket.
enum tapline_reach_socket {
    // A listener for TCP.
    TAPLINE_REACH_TCP = 1,
    // A socket for DNS queries.
    TAPLINE_REACH_DNS = 2,
    // A raw socket that gets copies of the datagrams to port 443, IPv4 with its header.
    TAPLINE_REACH_QUIC4 = 3,
    // The same for IPv6, without a header.
    TAPLINE_REACH_QUIC6 = 4,
};

// The steps of making the namespace.
enum tapline_reach_step {
    TAPLINE_REACH_UNSHARE = 1,
    TAPLINE_REACH_MAP = 2,
    TAPLINE_REACH_LOOPBACK = 3,
    TAPLINE_REACH_ROUTE = 4,
    TAPLINE_REACH_LISTEN = 5,
};

// A message; every message has the same size.
typedef struct tapline_reach_message {
    uint32_t kind;
    int32_t value;
    int32_t detail;
    // 4 or 6.
    uint32_t version;
    uint32_t port;
} tapline_reach_message;

// Sends a message with a descriptor, or none if it is negative; 0 or -errno.
int tapline_reach_send(int channel, const tapline_reach_message *message, int descriptor);

// Receives a message and its descriptor, which is -1 if there is none, or if no descriptor is left
// here for it; others are closed. 1, 0 at the end of the channel, or -errno; -EPROTO if the message is
// not of this size.
int tapline_reach_receive(int channel, tapline_reach_message *message, int *descriptor);

// Returns whether the other end of a channel is closed.
int tapline_reach_has_ended(int channel);

// Makes the two ends of a channel, both closed on exec; 0 or -errno.
int tapline_reach_channel(int ends[2]);

// Opens a channel for requests by means of the first one; this end, which does not block, or -errno.
int tapline_reach_open_channel(int requests);

// Starts the helper, which inherits the ends of both channels under their numbers; its process id or
// -errno.
pid_t tapline_reach_spawn(int control, int requests, char *const *arguments);

// Kills a child process, and waits for its end.
void tapline_reach_end(pid_t process);

// Sends a signal to the process of a pidfd.
void tapline_reach_signal(int process, int number);

// What `tapline_reach_await` has waited for.
enum tapline_reach_ready {
    TAPLINE_REACH_MESSAGE = 1,
    TAPLINE_REACH_EXIT = 2,
};

// Waits for a message on a channel, or for the end of the process of a pidfd, or for both; a negative
// descriptor is left out. A set of tapline_reach_ready, which is empty after the time.
int tapline_reach_await(int channel, int process, int milliseconds);

// Stores a command in a file without a name: the counts of its arguments and variables, each 32
// bits, and then all of them with a terminating zero. The descriptor or -errno.
int tapline_reach_command(const uint8_t *bytes, size_t count);

// Closes a descriptor.
void tapline_reach_close(int descriptor);
