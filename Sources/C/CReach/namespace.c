// SPDX-License-Identifier: MIT

#ifdef __linux__

#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return -errno;
    ssize_t written = write(file, text, strlen(text));
    int error = written < 0 ? errno : 0;
    close(file);
    return -error;
}

// Maps this user and this group to themselves; without privileges, no other id can be mapped
// (user_namespaces(7)).
static int map_ids(uid_t user, gid_t group) {
    char text[64];
    // Kernels before 3.19 have no such file and do not need it.
    int status = write_file("/proc/self/setgroups", "deny");
    if (status < 0 && status != -ENOENT) return status;
    snprintf(text, sizeof text, "%u %u 1\n", (unsigned)user, (unsigned)user);
    status = write_file("/proc/self/uid_map", text);
    if (status < 0) return status;
    snprintf(text, sizeof text, "%u %u 1\n", (unsigned)group, (unsigned)group);
    return write_file("/proc/self/gid_map", text);
}

static int raise_loopback(void) {
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    struct ifreq request = {0};
    strcpy(request.ifr_name, "lo");
    int status = ioctl(fd, SIOCGIFFLAGS, &request);
    if (status == 0) {
        request.ifr_flags |= IFF_UP;
        status = ioctl(fd, SIOCSIFFLAGS, &request);
    }
    if (status < 0) status = -errno;
    close(fd);
    return status;
}

// MARK: Netlink

// A request of rtnetlink(7) with room for its attributes.
typedef struct route_request {
    struct nlmsghdr header;
    union {
        struct rtmsg route;
        struct ifaddrmsg address;
    };
    char attributes[128];
} route_request;

static void add_attribute(route_request *request, unsigned short type, const void *data, size_t size) {
    size_t at = NLMSG_ALIGN(request->header.nlmsg_len);
    struct rtattr *attribute = (struct rtattr *)((char *)request + at);
    attribute->rta_type = type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(size);
    memcpy(RTA_DATA(attribute), data, size);
    request->header.nlmsg_len = (uint32_t)(at + RTA_ALIGN(attribute->rta_len));
}

// Sends a request and reads the kernel's acknowledgement; 0 or -errno.
static int ask(int netlink, route_request *request) {
    request->header.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
    if (send(netlink, request, request->header.nlmsg_len, 0) < 0) return -errno;
    char reply[1024];
    ssize_t count = recv(netlink, reply, sizeof reply, 0);
    if (count < 0) return -errno;
    const struct nlmsghdr *header = (const struct nlmsghdr *)reply;
    if (!NLMSG_OK(header, (size_t)count) || header->nlmsg_type != NLMSG_ERROR) return -EPROTO;
    return ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
}

// Makes every address of a family local, as `ip route add local default dev lo` does.
static int make_all_local(int netlink, int family, unsigned loopback) {
    route_request request = {0};
    request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.route);
    request.header.nlmsg_type = RTM_NEWROUTE;
    request.header.nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE;
    request.route.rtm_family = (unsigned char)family;
    request.route.rtm_table = RT_TABLE_LOCAL;
    request.route.rtm_protocol = RTPROT_BOOT;
    request.route.rtm_scope = RT_SCOPE_HOST;
    request.route.rtm_type = RTN_LOCAL;
    add_attribute(&request, RTA_OIF, &loopback, sizeof loopback);
    return ask(netlink, &request);
}

// Adds an address that is not loopback, since programs that pass AI_ADDRCONFIG look up only the
// families that have one (getaddrinfo(3)).
static int add_address(int netlink, int family, unsigned loopback, const uint8_t *bytes, size_t size) {
    route_request request = {0};
    request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.address);
    request.header.nlmsg_type = RTM_NEWADDR;
    request.header.nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE;
    request.address.ifa_family = (unsigned char)family;
    request.address.ifa_prefixlen = (unsigned char)(size * 8);
    request.address.ifa_flags = IFA_F_NODAD;
    request.address.ifa_index = loopback;
    add_attribute(&request, IFA_LOCAL, bytes, size);
    add_attribute(&request, IFA_ADDRESS, bytes, size);
    return ask(netlink, &request);
}

static int add_routes(reach_namespace *space, const reach_plan *plan) {
    // The dummy address of RFC 7600 §4.8, and the discard prefix of RFC 6666.
    static const uint8_t dummy4[4] = {192, 0, 0, 8};
    static const uint8_t dummy6[16] = {1, [15] = 1};
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (netlink < 0) return -errno;
    unsigned loopback = if_nametoindex("lo");
    int status = make_all_local(netlink, AF_INET, loopback);
    if (status == 0) status = add_address(netlink, AF_INET, loopback, dummy4, sizeof dummy4);
    if (status == 0 && plan->has_ipv6) {
        // A kernel without IPv6 refuses this; programs then see a machine without IPv6.
        space->has_ipv6 = make_all_local(netlink, AF_INET6, loopback) == 0
            && add_address(netlink, AF_INET6, loopback, dummy6, sizeof dummy6) == 0;
    }
    close(netlink);
    return status;
}

int tapline_reach_make_namespace(reach_namespace *space, const reach_plan *plan, int *step) {
    uid_t user = geteuid();
    gid_t group = getegid();
    *step = TAPLINE_REACH_UNSHARE;
    // Root keeps all its ids, unless it may not make a network namespace, as in a container.
    if (user != 0 || unshare(CLONE_NEWNET) < 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) return -errno;
        *step = TAPLINE_REACH_MAP;
        int status = map_ids(user, group);
        if (status < 0) return status;
    }
    *step = TAPLINE_REACH_LOOPBACK;
    int status = raise_loopback();
    if (status < 0) return status;
    *step = TAPLINE_REACH_ROUTE;
    return add_routes(space, plan);
}

#endif
