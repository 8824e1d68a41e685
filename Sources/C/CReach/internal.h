// SPDX-License-Identifier: MIT

#pragma once

#include "CReach.h"

// What the helper is asked to make; parsed from its arguments.
typedef struct reach_plan {
    int has_ipv6;
    int uses_nft;
    // How many listeners share a port.
    int count;
    // The ports to listen on without nftables.
    int port_count;
    uint16_t ports[64];
} reach_plan;

// The state of the namespace.
typedef struct reach_namespace {
    int has_ipv6;
    int is_redirected;
    // The ports of the listeners and of DNS in host byte order; 0 without nftables.
    uint16_t tcp_port4, tcp_port6, dns_port4, dns_port6;
} reach_namespace;

// The mark of Tapline's connections, which are not redirected.
#define REACH_MARK 0x7461706c

// Makes the namespaces and the routes; 0 or -errno, with the step that has failed.
int tapline_reach_make_namespace(reach_namespace *space, const reach_plan *plan, int *step);

// Opens a listener on all addresses, at `port` or at a free port; sets `port`. -errno on failure.
int tapline_reach_listen(int family, uint16_t *port, int shared);
// Opens a socket for DNS on all addresses.
int tapline_reach_open_dns(int family, uint16_t *port);
// Opens a raw socket for datagrams to port 443.
int tapline_reach_open_quic(int family);
// Opens a socket that can be connected to a listener of the namespace; -ECONNREFUSED if only Tapline
// itself can listen there.
int tapline_reach_open(const reach_namespace *space, unsigned version, unsigned port);

// Redirects all TCP to the listeners, and DNS to its sockets; 0, or -1 if nothing is redirected.
int tapline_reach_redirect(const reach_namespace *space);

// Executes the command of a file; its process id, or -errno. Its process is announced before it is
// executed, unless there is none.
pid_t tapline_reach_run(int file, void (*announce)(pid_t process));
