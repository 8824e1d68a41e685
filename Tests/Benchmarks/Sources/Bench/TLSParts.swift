// SPDX-License-Identifier: MIT

import TaplineTLS
import TaplineSystem

/// TLS in memory: certificates, handshakes, and bulk data.
extension Parts {
    func runTLS(_ row: (PartResult?) -> Void) {
        do {
            try measureTLS(row)
        } catch {
            fail("TLS: \(error)")
        }
    }

    private func measureTLS(_ row: (PartResult?) -> Void) throws {
        let authority = try CertificateAuthority(leafCapacity: 64)
        let folder = try FileSystem.makeTemporaryFolder(prefix: "bench-tls")
        defer { try? FileSystem.removeFolder(folder) }
        let path = "\(folder)/root.pem"
        try File(path, for: .create).write(authority.certificatePEM.span)
        var options = TLSClientOptions()
        options.trustsSystem = false
        options.authorityFiles = [path]
        let ends = try TLSEnds(authority, options)
        var number = 0
        row(
            measure("TLS: make the certificate of a host", every: 20) { _ in
                number += 1
                ends.trying { _ = try authority.leaf(for: ServerName("h\(number).shop.test")) }
            }
        )
        row(
            measure("TLS: full handshake, both ends", every: 100) { _ in
                number += 1
                ends.trying { try ends.connect(port: number) }
            }
        )
        ends.trying { try ends.connect(port: 0) }
        row(
            measure("TLS: resumed handshake, both ends", every: 100) { _ in
                ends.trying { try ends.connect(port: 0) }
                if !ends.client.isResumed { fail("not resumed") }
            }
        )
        let plain = [UInt8](repeating: 0x78, count: 16_384)
        row(
            measure("TLS: encrypt and decrypt 16 KiB", every: 10) { _ in
                ends.trying { try ends.carry(plain) }
            }
        )
        let small = [UInt8](repeating: 0x78, count: 300)
        row(
            measure("TLS: encrypt and decrypt 300 bytes", every: 10) { _ in
                ends.trying { try ends.carry(small) }
            }
        )
    }
}

/// Two ends, connected by arrays.
private final class TLSEnds {
    private let clients: TLSContext
    private let servers: TLSContext
    private let leaf: TLSCertificate
    private let host: ServerName
    private(set) var client: TLSSession
    private var server: TLSSession
    private var wire: [UInt8] = []
    private var replies: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 32_768)

    init(_ authority: CertificateAuthority, _ options: TLSClientOptions) throws {
        clients = try TLSContext(client: options)
        servers = try TLSContext(server: TLSServerOptions())
        host = try ServerName("shop.test")
        leaf = try authority.leaf(for: host)
        client = try TLSSession(connecting: clients, to: host, port: 0)
        server = try TLSSession(accepting: servers, as: leaf)
    }

    func trying(_ work: () throws -> Void) {
        do { try work() } catch { fail("TLS: \(error)") }
    }

    func connect(port: Int) throws {
        client = try TLSSession(connecting: clients, to: host, port: port)
        server = try TLSSession(accepting: servers, as: leaf)
        var fromServer: [UInt8] = []
        while !(client.isEstablished && server.isEstablished) {
            var fromClient: [UInt8] = []
            var position = 0
            _ = try client.handshake(fromServer.span, from: &position, replies: &fromClient)
            fromServer.removeAll(keepingCapacity: true)
            position = 0
            _ = try server.handshake(fromClient.span, from: &position, replies: &fromServer)
        }
        _ = try decrypt(fromServer, by: client)
    }

    func carry(_ plain: [UInt8]) throws {
        wire.removeAll(keepingCapacity: true)
        try client.write(plain.span, into: &wire)
        if try decrypt(wire, by: server) != plain.count { fail("TLS: lost bytes") }
    }

    private func decrypt(_ wire: [UInt8], by session: TLSSession) throws -> Int {
        // A span of a property would outlive the access to the property.
        var buffer: [UInt8] = []
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        var position = 0
        var total = 0
        while true {
            var space = buffer.mutableSpan
            let progress = try session.read(
                wire.span,
                from: &position,
                into: &space,
                replies: &replies
            )
            guard case .done(let count) = progress else { return total }
            total += count
        }
    }
}
