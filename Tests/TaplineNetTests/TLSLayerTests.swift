// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet
import TaplineSystem
import TaplineTLS
import TestSupport
import Testing

@Suite("TLS on a connection")
struct TLSLayerTests {
    @Test(
        "carries data in pieces of any size, even if written before the handshake is over",
        arguments: [TLSVersion.v12, .v13],
        [1, 5, 1000, Int.max]
    )
    func echo(version: TLSVersion, chunk: Int) throws {
        let text = String(repeating: "0123456789", count: 5_000)
        let link = try TLSLink(version: version, chunk: chunk)
        let got = Mutex("")
        try link.run(server: Echo(link.serverEvents)) { connection in
            let collector = Collector { bytes in
                let count = got.withLock {
                    $0 += bytes
                    return $0.utf8.count
                }
                if count == text.utf8.count + 5 { connection.shutdownOutput() }
            }
            collector.events = link.clientEvents
            connection.delegate = collector
            connection.write("early".utf8.span)
            connection.write(text.utf8.span)
        }
        #expect(got.withLock { $0 } == "early" + text)
        // Both directions ended with their closing alerts.
        #expect(link.serverEvents.all.filter { $0 != "drained" } == ["end", "closed "])
        #expect(link.clientEvents.all == ["end", "closed "])
    }

    @Test("sends the data of one batch in one record")
    func coalescing() throws {
        let link = try TLSLink()
        let server = Recorder(link.serverEvents)
        server.onEnd = { $0.close() }
        try link.run(server: server) { connection in
            connection.delegate = Recorder(link.clientEvents)
        } established: { connection in
            for piece in ["HTTP/1.1 200 OK\r\n", "\r\n", "body"] {
                connection.write(piece.utf8.span)
            }
            connection.close()
        }
        #expect(
            link.serverEvents.all == ["got HTTP/1.1 200 OK\r\n\r\nbody", "end", "closed "]
        )
    }

    @Test("sends the other side the reason for a failure", arguments: [TLSVersion.v12, .v13])
    func untrusted(version: TLSVersion) throws {
        let link = try TLSLink(version: version, trusting: CertificateAuthority())
        try link.run(server: Recorder(link.serverEvents)) { connection in
            connection.delegate = Recorder(link.clientEvents)
            connection.write("never sent".utf8.span)
        }
        #expect(link.clientEvents.all == ["closed tls_verify"])
        #expect(link.serverEvents.all == ["closed client_untrusted"])
    }

    @Test("distinguishes a truncated end from a proper one")
    func truncated() throws {
        let link = try TLSLink()
        try link.run(server: Recorder(link.serverEvents)) { connection in
            connection.delegate = Recorder(link.clientEvents)
            connection.write("half".utf8.span)
        } established: { connection in
            // Below TLS, so that no closing alert is sent.
            connection.install(NoLayer())
            connection.close()
        }
        #expect(link.serverEvents.all.suffix(1) == ["closed tls_truncated"])
    }

    @Test("answers a protocol violation with an alert")
    func malformed() throws {
        let link = try TLSLink()
        let events = link.serverEvents
        try withServer(serving: { link.accept($0, Recorder(events)) }) { port, _ in
            let client = try SocketClient(port: port)
            // A message that is truncated within its record.
            try client.send([22, 3, 1, 0, 4, 1, 0, 0, 0])
            // Type 21, an alert, fatal (RFC 8446 §6).
            let alert = try client.receiveAll()
            #expect(alert.first == 21)
            #expect(alert.count == 7)
            blockingWait(for: "the server to close for the alert") {
                events.all == ["closed tls_protocol"]
            }
        }
    }

    @Test("reports a client that disconnects after it has seen the certificate")
    func goneWithin() throws {
        let link = try TLSLink()
        let events = link.serverEvents
        try withServer(serving: { link.accept($0, Recorder(events)) }) { port, _ in
            let client = try SocketClient(port: port)
            try client.send(hello())
            #expect(try !client.receive().isEmpty)
            client.shutdownOutput()
            blockingWait(for: "the server to notice the client's end") {
                events.all == ["closed client_untrusted"]
            }
        }
    }

    /// Returns the first message of a client.
    private func hello() throws -> [UInt8] {
        let session = try TLSSession(
            connecting: TLSContext(client: TLSClientOptions()),
            to: ServerName("shop.test"),
            port: 443
        )
        var output: [UInt8] = []
        var position = 0
        _ = try session.handshake(Span(), from: &position, replies: &output)
        return output
    }
}

/// The connections of a client and a server with TLS on one loop.
private final class TLSLink: Sendable {
    let serverEvents = Events()
    let clientEvents = Events()
    private let servers: TLSContext
    private let clients: TLSContext
    private let leaf: TLSCertificate
    private let chunk: Int

    init(
        version: TLSVersion = .v13,
        chunk: Int = .max,
        trusting trusted: CertificateAuthority? = nil
    ) throws {
        let authority = try CertificateAuthority()
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tls")
        defer { try? FileSystem.removeFolder(folder) }
        let path = "\(folder)/root.pem"
        try File(path, for: .create).write((trusted ?? authority).certificatePEM.span)
        var options = TLSClientOptions()
        options.trustsSystem = false
        options.authorityFiles = [path]
        options.highestVersion = version
        clients = try TLSContext(client: options)
        servers = try TLSContext(server: TLSServerOptions())
        leaf = try authority.leaf(for: ServerName("localhost"))
        self.chunk = chunk
    }

    func accept(_ connection: TCPConnection, _ delegate: any ConnectionDelegate) {
        guard let session = try? TLSSession(accepting: servers, as: leaf) else {
            return connection.abandon()
        }
        connection.delegate = delegate
        install(TLSLayer(session) { _ in }, on: connection)
    }

    private func install(_ layer: TLSLayer, on connection: TCPConnection) {
        connection.install(chunk == .max ? layer : Chopped(layer, chunk))
        connection.startReading()
        layer.start(on: connection)
    }

    /// Connects, and returns when both ends have closed.
    func run(
        server: sending any ConnectionDelegate,
        client: @escaping @Sendable (TCPConnection) -> Void,
        established: @escaping @Sendable (TCPConnection) -> Void = { _ in }
    ) throws {
        let delegate = Held(server)
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        try withLoops { [self] loop, _ in
            _ = try Listener(bound, on: loop) { self.accept($0, delegate.value) }
            let connector = Connector(on: loop) { _ in nil }
            connector.connect(to: "127.0.0.1", port: bound.address.port) { outcome in
                guard case .success(let connection) = outcome.result,
                    let name = try? ServerName("localhost"),
                    let session = try? TLSSession(connecting: self.clients, to: name, port: 1)
                else { return }
                let layer = TLSLayer(session) { [unowned connection] _ in established(connection) }
                self.install(layer, on: connection)
                client(connection)
            }
        } _: { _ in
            blockingWait(for: "both ends to close") {
                isClosed(serverEvents) && isClosed(clientEvents)
            }
        }
    }

    private func isClosed(_ events: Events) -> Bool {
        events.all.last?.hasPrefix("closed") == true
    }
}

/// Carries a delegate to the only thread that uses it.
private struct Held: @unchecked Sendable {
    let value: any ConnectionDelegate
    init(_ value: any ConnectionDelegate) { self.value = value }
}

/// Passes input to another layer in small pieces.
private final class Chopped: ConnectionLayer {
    private let layer: TLSLayer
    private let size: Int

    init(_ layer: TLSLayer, _ size: Int) {
        self.layer = layer
        self.size = size
    }

    func received(_ bytes: Span<UInt8>, on connection: TCPConnection) {
        var at = 0
        while at < bytes.count {
            let end = min(at + size, bytes.count)
            layer.received(bytes.extracting(at..<end), on: connection)
            at = end
        }
    }

    func inputEnded(on connection: TCPConnection) { layer.inputEnded(on: connection) }
    func write(_ bytes: Span<UInt8>, to connection: TCPConnection) {
        layer.write(bytes, to: connection)
    }
    func flush(to connection: TCPConnection) { layer.flush(to: connection) }
    func outputEnds(on connection: TCPConnection) { layer.outputEnds(on: connection) }
}

/// Passes everything unchanged.
private final class NoLayer: ConnectionLayer {
    func received(_ bytes: Span<UInt8>, on connection: TCPConnection) {}
    func inputEnded(on connection: TCPConnection) { connection.deliverEnd() }
    func write(_ bytes: Span<UInt8>, to connection: TCPConnection) { connection.send(bytes) }
    func flush(to connection: TCPConnection) {}
    func outputEnds(on connection: TCPConnection) {}
}

/// Passes input to a closure.
private final class Collector: ConnectionDelegate {
    var events: Events?
    private let take: (String) -> Void

    init(_ take: @escaping (String) -> Void) { self.take = take }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        take(String(decoding: [UInt8](copying: bytes), as: UTF8.self))
    }
    func connectionEndedInput(_ connection: TCPConnection) { events?.add("end") }
    func connectionDrained(_ connection: TCPConnection) {}
    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        events?.add("closed \(error?.code.name ?? "")")
    }
}
