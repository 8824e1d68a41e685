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
    // Helper: the command runs; `value` is its process id.
    TAPLINE_REACH_RUNS = 5,
    // Helper: the command cannot be executed; `detail` is an errno.
    TAPLINE_REACH_REFUSED = 6,
    // Helper: the command has ended; `value` is the status of waitpid(2), and `detail` is 1 if
    // processes that it has started still run.
    TAPLINE_REACH_ENDED = 7,
    // Tapline, on the channel for requests: connect to an address of the namespace.
    TAPLINE_REACH_CONNECT = 8,
    // Helper: the connection is attached, or `detail` is an errno.
    TAPLINE_REACH_CONNECTED = 9,
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
    // An address in host byte order, and 4 or 6.
    uint32_t version;
    uint64_t high, low;
    uint32_t port;
    uint32_t number;
} tapline_reach_message;

// Sends a message with a descriptor, or none if it is negative; 0 or -errno.
int tapline_reach_send(int channel, const tapline_reach_message *message, int descriptor);

// Receives a message and its descriptor, which is -1 if there is none. 1, 0 at the end of the
// channel, or -errno; -EPROTO if the message is not of this size.
int tapline_reach_receive(int channel, tapline_reach_message *message, int *descriptor);

// Makes the two ends of a channel, both closed on exec; 0 or -errno.
int tapline_reach_channel(int ends[2]);

// Starts the helper with the ends of both channels; its process id or -errno.
pid_t tapline_reach_spawn(int control, int requests, char *const *arguments);

// Waits for a process; 0 or -errno.
int tapline_reach_wait(pid_t process, int *status);

// Stores a command in a file without a name: the counts of its arguments and variables, each 32
// bits, and then all of them with a terminating zero. The descriptor or -errno.
int tapline_reach_command(const uint8_t *bytes, size_t count);

// Closes a descriptor.
void tapline_reach_close(int descriptor);

// Lets `receive` on this channel fail with -EAGAIN after a time.
void tapline_reach_set_limit(int channel, int milliseconds);
