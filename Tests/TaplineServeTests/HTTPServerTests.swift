// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import TaplineServe

/// Runs a server for the duration of one test.
private func withServer(
    _ options: ServeOptions = ServeOptions(),
    _ handler: @escaping @Sendable (ServedRequest, Responder) -> Void,
    _ body: (UInt16) throws -> Void
) throws {
    let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
    let group = try EventLoopGroup(threads: 1)
    let ended = DispatchSemaphore(value: 0)
    group.start { loop, _ in
        try HTTPServer.listen(bound, on: loop, options, handler)
    } then: { _ in
        ended.signal()
    }
    let result = Result { try body(bound.address.port) }
    group.stop()
    #expect(ended.wait(timeout: .now() + 60) == .success)
    try result.get()
}

@Suite("A server", .timeLimit(.minutes(2)))
struct HTTPServerTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test("answers curl, also from other threads and with several requests")
    func curl() throws {
        try withServer { request, responder in
            DispatchQueue.global().async {
                let text = "\(request.method) \(request.query("n") ?? "") \(request.body.count)"
                responder.send(ServedResponse(200, text: text))
            }
        } _: { port in
            let url = "http://127.0.0.1:\(port)/?n="
            let output = try command("curl", ["-s", url + "1", url + "2", "-d", "abc"])
            #expect(output == "POST 1 3POST 2 3")
            #expect(try command("curl", ["-s", "-I", url]).hasPrefix("HTTP/1.1 200 OK"))
            let large = try command(
                "sh",
                ["-c", "head -c 2000000 /dev/zero | curl -s -i --data-binary @- \(url)"]
            )
            #expect(large.contains("413"))
        }
    }

    @Test("answers many requests on one connection in their order")
    func pipelined() throws {
        try withServer { request, responder in
            responder.send(ServedResponse(200, text: "\(request.query("n") ?? "")."))
        } _: { port in
            let client = try SocketClient(port: port)
            let requests = (1...500).map { "GET /?n=\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }
            try client.send(requests.joined())
            client.shutdownOutput()
            let text = String(decoding: try client.receiveAll(), as: UTF8.self)
            let bodies = text.split(separator: "\r\n\r\n").dropFirst().map {
                $0.prefix { $0 != "." }
            }
            #expect(bodies.map(String.init) == (1...500).map(String.init))
        }
    }

    @Test("makes the writer of a stream wait for a slow reader")
    func slowReader() throws {
        let counter = Counter()
        var options = ServeOptions()
        options.streamWindow = 64 << 10
        try withServer(options) { _, responder in
            let stream = responder.stream(ServedResponse(200, type: "text/plain"))
            DispatchQueue.global().async {
                let piece = [UInt8](repeating: 0x61, count: 32 << 10)
                for _ in 0..<1024 {
                    guard stream.write(piece) else { return }
                    counter.add(piece.count)
                }
                stream.finish()
            }
        } _: { port in
            let client = try SocketClient(port: port, receiveBuffer: 16 << 10)
            try client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            var last = -1
            blockingWait(for: "the writer to wait") {
                defer { last = counter.value }
                usleep(100_000)
                return counter.value > 0 && counter.value == last
            }
            // The kernel's buffers take a few MiB.
            #expect(counter.value < 16 << 20)
            let bytes = try client.receiveAll()
            #expect(counter.value == 32 << 20)
            #expect(bytes.count { $0 == 0x61 } >= 32 << 20)
            #expect(bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8))
        }
    }

    @Test("notices that a client has gone, and ends its stream")
    func goneClient() throws {
        let events = Counter()
        try withServer { request, responder in
            if request.segments == ["answer"] {
                responder.whenAbandoned { events.add(1) }
                // Kept, so that it is not answered.
                events.keep(responder)
            } else {
                let stream = responder.stream(ServedResponse(200, type: "text/plain"))
                stream.whenClosed { events.add(100) }
                events.keep(stream)
                DispatchQueue.global().async { while stream.write([0x61]) { usleep(1000) } }
            }
        } _: { port in
            for path in ["answer", "stream"] {
                let client = try SocketClient(port: port)
                try client.send("GET /\(path) HTTP/1.1\r\nHost: h\r\n\r\n")
                if path == "stream" { _ = try client.receive() } else { usleep(50_000) }
                client.resetAtClose()
            }
            blockingWait(for: "both ends") { events.value == 101 }
        }
    }

    @Test(
        "notices that a client gives a request up while it is answered",
        arguments: [true, false]
    )
    func givenUp(isHalf: Bool) throws {
        let events = Counter()
        try withServer { _, responder in
            events.keep(responder)
            responder.whenAbandoned {
                events.add(1)
                // A client that has closed only its half still gets the answer.
                responder.send(ServedResponse(200, text: "late"))
            }
            events.add(10)
        } _: { port in
            var client: SocketClient? = try SocketClient(port: port)
            try client?.send(Self.get)
            blockingWait(for: "the request") { events.value == 10 }
            if isHalf { client?.shutdownOutput() } else { client = nil }
            blockingWait(for: "the end of the request") { events.value == 11 }
            if let client {
                #expect(String(decoding: try client.receiveAll(), as: UTF8.self).hasSuffix("late"))
            }
        }
    }

    @Test("answers 500 if the handler forgets a request, and keeps the connection")
    func forgotten() throws {
        try withServer { _, _ in
        } _: { port in
            let client = try SocketClient(port: port)
            try client.send(Self.get + Self.get)
            client.shutdownOutput()
            let text = String(decoding: try client.receiveAll(), as: UTF8.self)
            #expect(text.split(separator: "HTTP/1.1 500").count == 2)
        }
    }

    @Test("closes a stream that its writer has abandoned without the last chunk")
    func abandonedStream() throws {
        try withServer { _, responder in
            responder.stream(ServedResponse(200, type: "text/plain")).write([0x61])
        } _: { port in
            let client = try SocketClient(port: port)
            try client.send(Self.get)
            let text = String(decoding: try client.receiveAll(), as: UTF8.self)
            #expect(text.hasSuffix("1\r\na\r\n"))
        }
    }

    @Test("closes connections that stay idle or send a request too slowly")
    func slowClients() throws {
        var options = ServeOptions()
        options.firstTime = Microseconds(.milliseconds(200))
        options.idleTime = Microseconds(.milliseconds(200))
        options.requestTime = Microseconds(.milliseconds(200))
        try withServer(options) { _, responder in
            responder.send(ServedResponse(204))
        } _: { port in
            let idle = try SocketClient(port: port)
            #expect(try idle.receiveAll() == [])
            let late = try SocketClient(port: port)
            try late.send(Self.get)
            let answer = String(decoding: try late.receiveAll(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 204"))
            let slow = try SocketClient(port: port)
            try slow.send("GET / HTTP/1.1\r\n")
            let text = String(decoding: try slow.receiveAll(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 408"))
        }
    }

    @Test("closes connections of an address that has too many, until others have closed")
    func clientLimit() throws {
        var options = ServeOptions()
        options.maxConnectionsOfClient = 2
        try withServer(options) { _, responder in
            responder.send(ServedResponse(204))
        } _: { port in
            var clients = try (0..<2).map { _ in try SocketClient(port: port) }
            for client in clients {
                try client.send(Self.get)
                #expect(try client.receive().starts(with: "HTTP/1.1 204".utf8))
            }
            #expect(((try? SocketClient(port: port).receiveAll()) ?? []) == [])
            clients.removeAll()
            blockingWait(for: "room for another connection") {
                guard let client = try? SocketClient(port: port) else { return false }
                try? client.send(Self.get)
                return ((try? client.receive()) ?? []).starts(with: "HTTP/1.1 204".utf8)
            }
        }
    }

    @Test("serves further connections once others have closed")
    func connectionLimit() throws {
        var options = ServeOptions()
        options.maxConnections = 2
        try withServer(options) { _, responder in
            responder.send(ServedResponse(204))
        } _: { port in
            for _ in 0..<5 {
                let clients = try (0..<2).map { _ in try SocketClient(port: port) }
                for client in clients {
                    try client.send(Self.get)
                    #expect(try client.receive().starts(with: "HTTP/1.1 204".utf8))
                }
            }
        }
    }

    @Test("answers a client although many others send nothing or half a request")
    func halfRequests() throws {
        var options = ServeOptions()
        options.maxConnections = 8
        try withServer(options) { _, responder in
            responder.send(ServedResponse(204))
        } _: { port in
            let half = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf"
            let parts = ["", "GET / HTTP/1.1\r\nHo", Self.get, half]
            let others = try (0..<100).map { number in
                let client = try SocketClient(port: port)
                // Fails if the server has closed the connection already.
                try? client.send(parts[number % parts.count])
                return client
            }
            let begin = ContinuousClock.now
            let client = try SocketClient(port: port)
            try client.send(Self.get)
            #expect(try client.receive().starts(with: "HTTP/1.1 204".utf8))
            #expect(ContinuousClock.now - begin < .seconds(5))
            #expect(others.count == 100)
        }
    }

    @Test("does not interrupt an answer for another client")
    func answeredConnections() throws {
        var options = ServeOptions()
        options.maxConnections = 2
        options.graceTime = Microseconds(.seconds(30))
        let counter = Counter()
        try withServer(options) { _, responder in
            counter.keep(responder)
            counter.add(1)
        } _: { port in
            var clients: [SocketClient] = []
            // One more than the limit.
            for number in 1...3 {
                let client = try SocketClient(port: port)
                try client.send(Self.get)
                blockingWait(for: "request \(number)") { counter.value == number }
                clients.append(client)
            }
            let fourth = try SocketClient(port: port)
            try fourth.send(Self.get)
            usleep(50_000)
            #expect(counter.value == 3)
            counter.answerAll()
            for client in clients {
                #expect(try client.receive().starts(with: "HTTP/1.1 204".utf8))
            }
            clients = []
            blockingWait(for: "the last request") { counter.value == 4 }
            counter.answerAll()
            #expect(try fourth.receive().starts(with: "HTTP/1.1 204".utf8))
        }
    }
}

/// A number, and objects that are kept, for several threads.
private final class Counter: Sendable {
    private let state = Mutex<(value: Int, kept: [any Sendable])>((0, []))

    var value: Int { state.withLock { $0.value } }

    func add(_ number: Int) { state.withLock { $0.value += number } }

    func keep(_ object: any Sendable) { state.withLock { $0.kept.append(object) } }

    /// Answers the requests that were kept.
    func answerAll() {
        let kept = state.withLock { state in
            defer { state.kept = [] }
            return state.kept
        }
        for case let responder as Responder in kept { responder.send(ServedResponse(204)) }
    }
}
