# SPDX-License-Identifier: MIT
"""For mitmproxy: every *.shop.test resolves to the shop on loopback, and no other name resolves."""

import os
import socket

PORTS = {80: int(os.environ["SHOP_PORT"]), 443: int(os.environ["SHOP_TLS_PORT"])}


def resolve(host, port, *_, **__):
    name = host.decode() if isinstance(host, bytes) else host
    if name == "shop.test" or name.endswith(".shop.test"):
        port = PORTS[port]
    elif name != "127.0.0.1":
        raise socket.gaierror(socket.EAI_NONAME, "only *.shop.test resolves")
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", int(port)))]


socket.getaddrinfo = resolve
