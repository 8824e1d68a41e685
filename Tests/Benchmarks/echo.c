// SPDX-License-Identifier: MIT
//
// An echo server on one libuv loop, which runs until it is killed; prints its port. It does the minimum:
// one buffer for all connections, and copies only of bytes that the kernel does not accept at once.

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static char buffer[65536];

typedef struct {
    uv_write_t request;
    char bytes[];
} rest_t;

static void lend(uv_handle_t *handle, size_t size, uv_buf_t *buf) {
    (void)handle;
    (void)size;
    *buf = uv_buf_init(buffer, sizeof buffer);
}

static void closed(uv_handle_t *handle) { free(handle); }

static void written(uv_write_t *request, int status) {
    (void)status;
    free(request);
}

static void came(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf) {
    if (count < 0) {
        uv_close((uv_handle_t *)stream, closed);
        return;
    }
    if (count == 0) return;
    uv_buf_t out = uv_buf_init(buf->base, (unsigned)count);
    int sent = uv_try_write(stream, &out, 1);
    if (sent < 0) sent = 0;
    size_t left = (size_t)count - (size_t)sent;
    if (left == 0) return;
    rest_t *rest = malloc(sizeof *rest + left);
    if (rest == NULL) abort();
    memcpy(rest->bytes, buf->base + sent, left);
    out = uv_buf_init(rest->bytes, (unsigned)left);
    if (uv_write(&rest->request, stream, &out, 1, written) != 0) free(rest);
}

static void connected(uv_stream_t *listener, int status) {
    uv_tcp_t *peer = status == 0 ? malloc(sizeof *peer) : NULL;
    if (peer == NULL) return;
    uv_tcp_init(listener->loop, peer);
    if (uv_accept(listener, (uv_stream_t *)peer) != 0) {
        uv_close((uv_handle_t *)peer, closed);
        return;
    }
    uv_tcp_nodelay(peer, 1);
    uv_read_start((uv_stream_t *)peer, lend, came);
}

int main(void) {
    uv_loop_t *loop = uv_default_loop();
    uv_tcp_t listener;
    struct sockaddr_in address;
    struct sockaddr_storage bound;
    int length = sizeof bound;
    uv_ip4_addr("127.0.0.1", 0, &address);
    if (uv_tcp_init(loop, &listener) != 0 ||
        uv_tcp_bind(&listener, (struct sockaddr *)&address, 0) != 0 ||
        uv_listen((uv_stream_t *)&listener, 1024, connected) != 0 ||
        uv_tcp_getsockname(&listener, (struct sockaddr *)&bound, &length) != 0) {
        fprintf(stderr, "echo: cannot listen\n");
        return 1;
    }
    printf("%d\n", ntohs(((struct sockaddr_in *)&bound)->sin_port));
    fflush(stdout);
    return uv_run(loop, UV_RUN_DEFAULT);
}
