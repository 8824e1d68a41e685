// SPDX-License-Identifier: MIT

import Synchronization
import TaplinePlugin
import Testing

@testable import TaplineNATS

@Suite("What happens to a connection")
struct NATSObserverTests {
    @Test("is logged until its owner closes it")
    func closing() {
        let lines = Mutex<[String]>([])
        let log = Log(component: "nats") { entry in lines.withLock { $0.append(entry.message) } }
        let observer = NATSObserver(log)
        observer.disconnected()
        observer.reconnected(to: "nats://a.test:4222")
        observer.willClose()
        observer.disconnected()
        observer.closed("")
        #expect(
            lines.withLock { $0 } == [
                "the connection to the server is lost; connecting again",
                "connected again to nats://a.test:4222",
            ]
        )
    }
}

@Suite("Errors of the library")
struct NATSErrorTests {
    @Test("show neither the place in its source nor control characters, and are short")
    func cleaned() {
        #expect(NATSError.cleaned("(js.c:12): stream is full") == "stream is full")
        #expect(NATSError.cleaned("plain (text)") == "plain (text)")
        #expect(NATSError.cleaned("(never closed") == "(never closed")
        #expect(NATSError.cleaned("a\u{1b}[31m") == "a\\x1b[31m")
        #expect(NATSError.cleaned(String(repeating: "x", count: 5000)).count == 200)
    }

    @Test(
        "URLs of servers are checked before anything connects",
        arguments: [
            ("nats://n1.test:4222", true), ("TLS://n1.test", true), ("n1.test", true),
            ("[::1]:4222", true), ("http://a", false), ("nats://me:secret@a", false), ("", false),
            ("nats://", false), ("a,b", false), ("a b", false), ("a/b", false), ("a\n", false),
        ]
    )
    func servers(url: String, isValid: Bool) {
        #expect((ServerURL.problem(in: url) == nil) == isValid)
        #expect(ServerURL.problem(in: url)?.contains("secret") != true)
    }
}
