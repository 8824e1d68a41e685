// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TestSupport
import Testing

@Suite struct ConnectorTests {
    /// Connects once on a loop of its own, and returns the outcome.
    private func outcome(
        _ host: String,
        _ port: UInt16,
        _ options: ConnectorOptions = ConnectorOptions(),
        check: @escaping @Sendable (SocketAddress) -> NetError? = { _ in nil },
        once: (@Sendable (SocketAddress) -> NetError?)? = nil
    ) throws -> String? {
        let events = Events()
        try withLoops { loop, _ in
            let connector = Connector(on: loop, options, check: check)
            connector.connect(to: host, port: port, check: once) { outcome in
                let lookup = outcome.lookup == nil ? "literal" : "name"
                switch outcome.result {
                case .success(let connection):
                    events.add("\(connection.peerText) \(lookup)")
                    connection.close()
                case .failure(let error): events.add("\(error.code) \(lookup): \(error)")
                }
            }
        } _: { _ in
            blockingWait(for: "the connection to end") { !events.all.isEmpty }
        }
        #expect(events.all.count == 1)
        return events.all.first
    }

    @Test func connectsToANameAndToAnAddress() throws {
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            let address = try outcome("127.0.0.1", port)
            #expect(address == "127.0.0.1:\(port) literal")
            // No socket listens there, whether ::1 is an address of localhost or not.
            let name = try outcome("LocalHost", port)
            #expect(name == "127.0.0.1:\(port) name")
        }
    }

    @Test func reportsThatNoSocketListens() throws {
        let free = try BoundAddress(SocketAddress(.loopbackV4, port: 0)).address.port
        #expect(
            try outcome("127.0.0.1", free)
                == "connect_refused literal: cannot connect to 127.0.0.1:\(free); connection refused"
        )
    }

    @Test(arguments: ["nothing.invalid", "", "a b", "a\0b", "nul\u{7f}"])
    func reportsThatANameHasNoAddress(_ name: String) throws {
        let text = try #require(try outcome(name, 80))
        #expect(text.hasPrefix("dns name: cannot look up "))
        #expect(!text.contains("\0"))
    }

    @Test func checksWhetherAnAddressIsAllowed() throws {
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            let text = try outcome("localhost", port) { address in
                address.ip.isPrivate ? NetError(.targetDenied, "private") : nil
            }
            #expect(text == "target_denied name: private")
            let allowed = try outcome(
                "127.0.0.1",
                port,
                check: { _ in NetError(.targetDenied, "all") },
                once: { _ in nil }
            )
            #expect(allowed == "127.0.0.1:\(port) literal")
        }
    }

    @Test func timesOut() throws {
        // A listener whose queue is full does not answer (listen(2)).
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0), backlog: 1)
        let options = {
            var options = ConnectorOptions()
            options.connectTimeout = Microseconds(200_000)
            return options
        }()
        let port = bound.address.port
        let events = Events()
        try withLoops { loop, _ in
            let connector = Connector(on: loop, options)
            for _ in 0..<6 {
                connector.connect(to: "127.0.0.1", port: port) { outcome in
                    // The established connections stay open, so that the queue stays full.
                    if case .failure(let error) = outcome.result {
                        events.add("\(error.code): \(error)")
                    } else {
                        events.add("open")
                    }
                }
            }
        } _: { _ in
            blockingWait(for: "the six attempts to end") { events.all.count == 6 }
        }
        #expect(
            events.all.last
                == "connect_timeout: cannot connect to 127.0.0.1 port \(port); no answer within 0.2 s"
        )
        _ = bound
    }

    @Test func doesNotCallBackOnceItIsCancelled() throws {
        let events = Events()
        try withServer(serving: { Echo.serve($0) }) { port, group in
            try withLoops { loop, _ in
                let connector = Connector(on: loop)
                connector.connect(to: "localhost", port: port) { _ in events.add("first") }.cancel()
                let second = connector.connect(to: "127.0.0.1", port: port) { _ in
                    events.add("second")
                }
                connector.connect(to: "127.0.0.1", port: port) { _ in
                    events.add("third")
                }
                loop.execute { [second = Attempt(value: second)] in second.value.cancel() }
            } _: { _ in
                blockingWait(for: "the third attempt to end") { events.all.contains("third") }
            }
        }
        #expect(!events.all.contains("first"))
    }

    private struct Attempt: @unchecked Sendable { let value: ConnectAttempt }

    @Test func sharesOneLookupForAName() throws {
        let events = Events()
        try withServer(serving: { Echo.serve($0) }) { port, _ in
            try withLoops { loop, _ in
                let connector = Connector(on: loop)
                for _ in 0..<20 {
                    connector.connect(to: "localhost", port: port) { outcome in
                        if case .success(let connection) = outcome.result {
                            events.add("open")
                            connection.close()
                        }
                    }
                }
            } _: { _ in
                blockingWait(for: "the twenty attempts to end") { events.all.count == 20 }
            }
        }
        #expect(events.all == Array(repeating: "open", count: 20))
    }
}
