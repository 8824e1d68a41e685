// SPDX-License-Identifier: MIT

#pragma once

#include <ares.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

// The settings of a channel; a path or list that is NULL selects the system's configuration.
typedef struct tapline_ares_setup {
    // The timeout of the first try in milliseconds, which doubles for each try, and the number of
    // tries.
    int timeout, tries;
    // A file to read instead of /etc/resolv.conf.
    const char *settings;
    // Servers with ports, such as "127.0.0.1:5300,[::1]:5300".
    const char *servers;
    void *owner;
    ares_sock_state_cb changed;
} tapline_ares_setup;

static inline int tapline_ares_open_with(
    ares_channel *channel, tapline_ares_setup setup, int flags
) {
    struct ares_options options;
    memset(&options, 0, sizeof options);
    options.timeout = setup.timeout;
    options.tries = setup.tries;
    options.sock_state_cb = setup.changed;
    options.sock_state_cb_data = setup.owner;
    options.flags = flags;
    options.lookups = (char *)"b";
    int mask = ARES_OPT_LOOKUPS | ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB;
    if (setup.settings != NULL) {
        options.resolvconf_path = (char *)setup.settings;
        mask |= ARES_OPT_RESOLVCONF;
    }
    int status = ares_init_options(channel, &options, mask);
    if (status != ARES_SUCCESS || setup.servers == NULL) return status;
    status = ares_set_servers_ports_csv(*channel, setup.servers);
    if (status != ARES_SUCCESS) ares_destroy(*channel);
    return status;
}

// Opens a channel, or returns an error of c-ares (ares_init_options(3)). Reads resolv.conf.
//
// If a server fails, c-ares queries the next one and drops the reason. With a single server, the
// reason is kept.
static inline int tapline_ares_open(ares_channel *channel, tapline_ares_setup setup) {
    int status = tapline_ares_open_with(channel, setup, 0);
    if (status != ARES_SUCCESS) return status;
    struct ares_addr_port_node *servers = NULL;
    int is_one = ares_get_servers_ports(*channel, &servers) == ARES_SUCCESS && servers != NULL
        && servers->next == NULL;
    if (servers != NULL) ares_free_data(servers);
    if (!is_one) return ARES_SUCCESS;
    ares_destroy(*channel);
    *channel = NULL;
    return tapline_ares_open_with(channel, setup, ARES_FLAG_NOCHECKRESP);
}

// Queries the servers for the addresses of a host, for stream sockets.
static inline void tapline_ares_look_up(
    ares_channel channel, const char *host, ares_addrinfo_callback done, void *argument
) {
    struct ares_addrinfo_hints hints;
    memset(&hints, 0, sizeof hints);
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(channel, host, NULL, &hints, done, argument);
}

// Makes a channel read, write, or only check its timeouts.
static inline void tapline_ares_process(ares_channel channel, int fd, int readable, int writable) {
    ares_process_fd(channel, readable ? fd : ARES_SOCKET_BAD, writable ? fd : ARES_SOCKET_BAD);
}

// Microseconds until a channel must check its timeouts; negative if no query is pending.
static inline long tapline_ares_wait(ares_channel channel) {
    struct timeval wait;
    if (ares_timeout(channel, NULL, &wait) == NULL) return -1;
    return (long)wait.tv_sec * 1000000 + (long)wait.tv_usec;
}
