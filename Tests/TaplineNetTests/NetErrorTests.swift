// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import TaplineNet

@Suite("A network error")
struct NetErrorTests {
    /// On Linux, libuv's statuses are the negated numbers of errno(3).
    @Test(
        "has the code of its cause",
        arguments: [
            (ECONNREFUSED, "connect_refused", "ECONNREFUSED"), (ETIMEDOUT, "timeout", "ETIMEDOUT"),
            (ENETUNREACH, "unreachable", "ENETUNREACH"),
            (EHOSTUNREACH, "unreachable", "EHOSTUNREACH"),
            (ECONNRESET, "reset", "ECONNRESET"), (EPIPE, "reset", "EPIPE"),
            (ECANCELED, "closed", "ECANCELED"), (EADDRINUSE, "address_in_use", "EADDRINUSE"),
            (EADDRNOTAVAIL, "address_unavailable", "EADDRNOTAVAIL"),
            (EACCES, "permission_denied", "EACCES"), (EPERM, "permission_denied", "EPERM"),
            (EMFILE, "exhausted", "EMFILE"), (ENOBUFS, "exhausted", "ENOBUFS"),
            (EINVAL, "system", "EINVAL"),
        ]
    )
    func codes(cause: Int32, code: String, name: String) {
        let error = NetError(status: -cause, "connect to 127.0.0.1:80")
        #expect(error.code.name == code)
        #expect(error.name == name)
    }

    @Test("says what was attempted, and why it failed")
    func message() {
        let error = NetError(status: -ECONNREFUSED, "connect to 127.0.0.1:80")
        #expect("\(error)" == "cannot connect to 127.0.0.1:80; connection refused")
        let own = NetError(.dns, "no address for 'shop.test'")
        #expect("\(own)" == "no address for 'shop.test'" && own.name.isEmpty)
    }
}
