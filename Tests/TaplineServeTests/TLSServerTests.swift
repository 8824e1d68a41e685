// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import Synchronization
import TaplineModel
import TaplineNet
import TaplineTLS
import TestSupport
import Testing

@testable import TaplineServe

/// Runs a server with TLS for the duration of one test.
private func withServer(
    _ options: ServeOptions = ServeOptions(),
    tls: ServerTLS? = nil,
    _ handler: @escaping @Sendable (ServedRequest, Responder) -> Void,
    _ body: (UInt16) throws -> Void
) throws {
    let tls = try tls ?? ServerTLS(CertificateAuthority().leaf(for: ServerName("localhost")))
    let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
    let group = try EventLoopGroup(threads: 1)
    let ended = DispatchSemaphore(value: 0)
    group.start { loop, _ in
        try HTTPServer.listen(bound, on: loop, options, tls: tls, handler)
    } then: { _ in
        ended.signal()
    }
    let result = Result { try body(bound.address.port) }
    group.stop()
    #expect(ended.wait(timeout: .now() + 60) == .success)
    try result.get()
}

@Suite("A server with TLS", .timeLimit(.minutes(2)))
struct TLSServerTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test("answers requests on one connection, and knows the address of the client")
    func answers() throws {
        try withServer { request, responder in
            DispatchQueue.global().async {
                let client = request.client.map { "\($0)" } ?? "nobody"
                responder.send(ServedResponse(200, text: "\(client) \(request.query("n") ?? "")."))
            }
        } _: { port in
            let client = try TLSClient(port: port)
            for number in 1...3 {
                try client.send("GET /?n=\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                let text = try client.receive(until: "\(number).")
                #expect(text.hasPrefix("HTTP/1.1 200 OK") && text.contains("127.0.0.1 \(number)."))
            }
            // Requests in advance, whose end is that of the connection.
            try client.send(Self.get + Self.get + "GET / HTTP/1.0\r\nHost: h\r\n\r\n")
            let all = String(decoding: try client.receiveAll(), as: UTF8.self)
            #expect(all.split(separator: "HTTP/1.1 200").count == 3)
        }
    }

    @Test("answers plain HTTP with a short error, and anything else not at all")
    func plaintext() throws {
        let asked = Mutex(0)
        try withServer { _, responder in
            asked.withLock { $0 += 1 }
            responder.send(ServedResponse(204))
        } _: { port in
            let client = try SocketClient(port: port)
            try client.send(Self.get)
            let text = String(decoding: try client.receiveAll(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 "))
            #expect(text.hasSuffix("\r\n\r\nthis port has HTTPS only\n"))
            let other = try SocketClient(port: port)
            // A handshake record with what is no handshake.
            try other.send([22, 3, 1, 0, 4, 71, 69, 84, 32])
            let answer = try other.receiveAll()
            #expect(answer.isEmpty || answer.first == 21)
        }
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("refuses versions of TLS below 1.2", arguments: [1, 2] as [UInt8])
    func oldVersions(minor: UInt8) throws {
        try withServer { _, responder in
            responder.send(ServedResponse(204))
        } _: { port in
            // A ClientHello without extensions (RFC 4346 §7.4.1.2), for ECDHE with AES-CBC.
            let hello: [UInt8] =
                [3, minor] + [UInt8](repeating: 7, count: 32) + [0, 0, 4, 0xC0, 0x09, 0xC0, 0x13]
                + [1, 0]
            let message = [1, 0, 0, UInt8(hello.count)] + hello
            let client = try SocketClient(port: port)
            try client.send([22, 3, 1, 0, UInt8(message.count)] + message)
            let alert = try client.receiveAll()
            // Fatal, protocol_version (RFC 8446 §6).
            #expect(alert.first == 21 && alert.suffix(2) == [2, 70], "\(alert)")
        }
    }

    @Test("closes clients that do not finish the handshake in time")
    func slowHandshake() throws {
        var options = ServeOptions()
        options.handshakeTime = Microseconds(.milliseconds(200))
        try withServer(options) { _, responder in
            responder.send(ServedResponse(204))
        } _: { port in
            let beginnings: [[UInt8]] = [[], [22], [22, 3, 1, 2, 0, 1]]
            let clients = try beginnings.map { bytes in
                let client = try SocketClient(port: port)
                try client.send(bytes)
                return client
            }
            // Such a client must not keep others out, nor be kept itself.
            let other = try TLSClient(port: port)
            for client in clients { #expect(try client.receiveAll() == []) }
            // The time is that of the handshake only.
            try other.send(Self.get)
            #expect(try other.receive().starts(with: "HTTP/1.1 204".utf8))
        }
    }

    @Test("sends a large body whole")
    func largeBody() throws {
        let body = (0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try withServer { _, responder in
            responder.send(ServedResponse(200, type: "text/plain", body))
        } _: { port in
            let client = try TLSClient(port: port, receiveBuffer: 4096)
            try client.send("GET / HTTP/1.0\r\nHost: h\r\n\r\n")
            let bytes = try client.receiveAll()
            #expect(bytes.suffix(body.count) == body[...])
        }
    }

    @Test("makes the writer of a stream wait for a client that reads slowly")
    func flowControl() throws {
        let piece = (0..<65_536).map { UInt8(truncatingIfNeeded: $0) }
        let count = 1000
        let written = Mutex(0)
        try withServer { _, responder in
            let stream = responder.stream(ServedResponse(200, type: "text/plain"))
            DispatchQueue.global().async {
                for _ in 0..<count {
                    guard stream.write(piece) else { return }
                    written.withLock { $0 += 1 }
                }
                stream.finish()
            }
        } _: { port in
            let client = try TLSClient(port: port, receiveBuffer: 4096)
            try client.send("GET / HTTP/1.0\r\nHost: h\r\n\r\n")
            var former = -1
            blockingWait(for: "the writer to wait") {
                let now = written.withLock { $0 }
                defer { former = now }
                usleep(50_000)
                return now > 0 && now == former
            }
            // What waits are the window and the buffers of the kernel.
            #expect(written.withLock { $0 } < count / 2)
            let bytes = try client.receiveAll()
            #expect(written.withLock { $0 } == count)
            let expected = piece.count * count
            #expect(bytes.count > expected)
            #expect(bytes.suffix(piece.count) == piece[...])
        }
    }

    @Test("notices a client that goes away in the middle of a response", arguments: [true, false])
    func disconnect(isReset: Bool) throws {
        let closed = Mutex(0)
        try withServer { _, responder in
            let stream = responder.stream(ServedResponse(200, type: "text/plain"))
            stream.whenClosed { closed.withLock { $0 += 1 } }
            DispatchQueue.global().async {
                let piece = [UInt8](repeating: 0x61, count: 100_000)
                while stream.write(piece) {}
            }
        } _: { port in
            for round in 1...3 {
                var client: TLSClient? = try TLSClient(port: port)
                try client?.send(Self.get)
                #expect(try client?.receive().isEmpty == false)
                if isReset { client?.socket.resetAtClose() }
                client = nil
                blockingWait(for: "the end of the stream") { closed.withLock { $0 } == round }
            }
        }
    }

    @Test("sends events at once, while the response goes on")
    func events() throws {
        let streams = Mutex<[ResponseStream]>([])
        try withServer { _, responder in
            let stream = responder.stream(ServedResponse(200, type: ServerSentEvents.type))
            streams.withLock { $0.append(stream) }
        } _: { port in
            let client = try TLSClient(port: port)
            try client.send(Self.get)
            #expect(try client.receive(until: "\r\n\r\n").contains("text/event-stream"))
            let stream = try #require(streams.withLock { $0.first })
            for number in 1...3 {
                stream.write(ServerSentEvents.event("head", data: Array("\(number)".utf8)))
                let text = try client.receive(until: "data: \(number)\n\n")
                #expect(text.contains("event: head\ndata: \(number)\n\n"))
            }
            stream.finish()
            streams.withLock { $0 = [] }
        }
    }

    @Test("presents a certificate of files with its chain, and takes no key of another one")
    func files() throws {
        let folder = try TemporaryFolder()
        let made = try runShell(
            """
            cd "\(folder.path)"
            new="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
            openssl req -x509 $new -keyout root.key -out root.pem -subj /CN=root -days 2
            openssl req $new -keyout mid.key -out mid.csr -subj /CN=middle
            printf basicConstraints=CA:TRUE >mid.ext
            openssl x509 -req -in mid.csr -CA root.pem -CAkey root.key -CAcreateserial \
              -extfile mid.ext -out mid.pem -days 2
            openssl req $new -keyout key.pem -out leaf.csr -subj /CN=leaf
            printf subjectAltName=DNS:shop.test >leaf.ext
            openssl x509 -req -in leaf.csr -CA mid.pem -CAkey mid.key -CAcreateserial \
              -extfile leaf.ext -out leaf.pem -days 2
            cat leaf.pem mid.pem >chain.pem
            """
        )
        let tls = try ServerTLS(
            certificateFile: folder("chain.pem"),
            keyFile: folder("key.pem")
        )
        try withServer(tls: tls) { _, responder in
            responder.send(ServedResponse(200, text: "secure"))
        } _: { port in
            let arguments = [
                "-s", "--noproxy", "*", "--cacert", folder("root.pem"), "--resolve",
                "shop.test:\(port):127.0.0.1",
            ]
            let text = try command("curl", arguments + ["https://shop.test:\(port)/"])
            #expect(text == "secure", "\(made.output)")
            #expect(try command("curl", arguments + ["https://127.0.0.1:\(port)/"]).isEmpty)
        }
        for (certificate, key) in [
            ("chain.pem", "mid.key"), ("none.pem", "key.pem"), ("chain.pem", "none.key"),
            ("key.pem", "key.pem"),
        ] {
            #expect(throws: TLSError.self) {
                try ServerTLS(certificateFile: folder(certificate), keyFile: folder(key))
            }
        }
    }

    @Test("presents a certificate with several names")
    func names() throws {
        let folder = try TemporaryFolder()
        let authority = try CertificateAuthority()
        try folder.write(authority.certificatePEM, to: "root.pem")
        let others = try ["box.test", "127.0.0.1", "::1"].map { try ServerName($0) }
        let certificate = try authority.certificate(for: ServerName("shop.test"), and: others)
        try withServer(tls: try ServerTLS(certificate)) { _, responder in
            responder.send(ServedResponse(200, text: "secure"))
        } _: { port in
            for (name, isNamed) in [
                ("shop.test", true), ("box.test", true), ("127.0.0.1", true), ("other.test", false),
            ] {
                let text = try command(
                    "curl",
                    [
                        "-s", "--noproxy", "*", "--cacert", folder("root.pem"), "--resolve",
                        "\(name):\(port):127.0.0.1", "https://\(name):\(port)/",
                    ]
                )
                #expect((text == "secure") == isNamed, "\(name)")
            }
        }
    }
}
