# SPDX-License-Identifier: MIT
"""Sends the alert for an unknown authority after the handshake, with GnuTLS.

    gnutls_alert.py PORT AUTHORITY PRIORITY
"""
import ctypes
import sys

import peers

s = peers.tunnel(sys.argv[1], sys.argv[2])
s.settimeout(None)
tls, session, trust = ctypes.CDLL("libgnutls.so.30"), ctypes.c_void_p(), ctypes.c_void_p()
tls.gnutls_init(ctypes.byref(session), 2)
tls.gnutls_priority_set_direct(session, sys.argv[3].encode(), None)
tls.gnutls_certificate_allocate_credentials(ctypes.byref(trust))
tls.gnutls_credentials_set(session, 1, trust)
tls.gnutls_server_name_set(session, 1, b"localhost", ctypes.c_size_t(9))
tls.gnutls_transport_set_int2(session, s.fileno(), s.fileno())
print(tls.gnutls_handshake(session), tls.gnutls_alert_send(session, 2, 48))
print(s.recv(1 << 16)[-1:])
