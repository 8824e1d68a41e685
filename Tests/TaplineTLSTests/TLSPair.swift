// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTLS
import TaplineSystem
import TestSupport
import Testing

/// A client's and a server's end, connected only by arrays.
final class TLSPair {
    var client: TLSSession
    var server: TLSSession
    /// The maximum size of a piece of ciphertext.
    var chunk = Int.max
    /// The number of bytes that the client has sent.
    private(set) var bytesToServer = 0
    /// The number of bytes that the server has sent.
    private(set) var bytesToClient = 0
    private let clients: TLSContext
    private let servers: TLSContext
    private let authority: CertificateAuthority
    private let host: ServerName
    private let asked: ServerName

    init(
        _ authority: CertificateAuthority,
        host: String,
        asking asked: String? = nil,
        trusting trusted: CertificateAuthority? = nil,
        serverOptions: TLSServerOptions = TLSServerOptions(),
        clientOptions: TLSClientOptions = TLSClientOptions()
    ) throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tls")
        defer { try? FileSystem.removeFolder(folder) }
        let path = "\(folder)/root.pem"
        try File(path, for: .create).write((trusted ?? authority).certificatePEM.span)
        var options = clientOptions
        options.trustsSystem = false
        options.authorityFiles = [path]
        clients = try TLSContext(client: options)
        servers = try TLSContext(server: serverOptions)
        self.authority = authority
        self.host = try ServerName(host)
        self.asked = try ServerName(asked ?? host)
        client = try TLSSession(connecting: clients, to: self.asked, port: 443)
        server = try TLSSession(accepting: servers, as: authority.leaf(for: self.host))
    }

    /// Starts again with the same two contexts; a stranger has another authority.
    func reconnect(withOtherAuthority: Bool = false) throws {
        client = try TLSSession(connecting: clients, to: asked, port: 443)
        let other = try withOtherAuthority ? CertificateAuthority() : authority
        server = try TLSSession(accepting: servers, as: other.leaf(for: host))
    }

    /// Completes the handshake; ciphertext is passed in pieces of `chunk`.
    func performHandshake() throws {
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
        var steps = 0
        while !(client.isEstablished && server.isEstablished) {
            steps += 1
            try #require(steps < 100_000)
            bytesToClient += try pass(&toClient) { bytes, position throws(TLSError) in
                _ = try client.handshake(bytes, from: &position, replies: &toServer)
            }
            bytesToServer += try pass(&toServer) { bytes, position throws(TLSError) in
                _ = try server.handshake(bytes, from: &position, replies: &toClient)
            }
        }
        // The ticket of TLS 1.3 arrives after the handshake.
        bytesToClient += toClient.count
        _ = try client.decrypt(toClient, chunk: chunk)
    }

    /// Runs the handshake until it fails, and returns the error of each end.
    func failures() -> (client: TLSError?, server: TLSError?) {
        var toServer: [UInt8] = []
        var toClient: [UInt8] = []
        var failures: (client: TLSError?, server: TLSError?)
        for _ in 0..<10 {
            do throws(TLSError) {
                _ = try pass(&toClient) { bytes, position throws(TLSError) in
                    _ = try client.handshake(bytes, from: &position, replies: &toServer)
                }
            } catch { failures.client = failures.client ?? error }
            do throws(TLSError) {
                _ = try pass(&toServer) { bytes, position throws(TLSError) in
                    _ = try server.handshake(bytes, from: &position, replies: &toClient)
                }
            } catch { failures.server = failures.server ?? error }
        }
        return failures
    }

    /// Sends a text from one end to the other, and returns what arrives.
    func send(_ text: String, toServer: Bool) throws -> String {
        var wire: [UInt8] = []
        if toServer {
            try client.write(text.utf8.span, into: &wire)
            return String(decoding: try server.decrypt(wire, chunk: chunk).bytes, as: UTF8.self)
        }
        try server.write(text.utf8.span, into: &wire)
        return String(decoding: try client.decrypt(wire, chunk: chunk).bytes, as: UTF8.self)
    }

    /// Passes the first piece of the bytes in transit, and removes and counts the consumed ones.
    private func pass(
        _ wire: inout [UInt8],
        _ work: (Span<UInt8>, inout Int) throws(TLSError) -> Void
    ) throws(TLSError) -> Int {
        var position = 0
        let piece = Array(wire.prefix(chunk))
        defer { wire.removeFirst(position) }
        try work(piece.span, &position)
        return position
    }
}

extension TLSSession {
    /// Decrypts a ciphertext, piece by piece, and returns whether the peer has closed.
    func decrypt(
        _ wire: [UInt8],
        chunk: Int = .max
    ) throws(TLSError) -> (bytes: [UInt8], isClosed: Bool) {
        var result: [UInt8] = []
        var replies: [UInt8] = []
        var rest = wire[...]
        repeat {
            let piece = Array(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
            var position = 0
            reading: while true {
                var buffer = [UInt8](repeating: 0, count: 5000)
                var space = buffer.mutableSpan
                switch try read(piece.span, from: &position, into: &space, replies: &replies) {
                case .done(let count): result += buffer[..<count]
                case .incomplete: break reading
                case .closed: return (result, true)
                }
            }
        } while !rest.isEmpty
        return (result, false)
    }
}
