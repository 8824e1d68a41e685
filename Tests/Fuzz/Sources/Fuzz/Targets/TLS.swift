// SPDX-License-Identifier: MIT

import TaplineTLS

/// TLS: whether bytes are a client's first message does not depend on pieces; any bytes that a
/// session receives instead of its peer's are an error or incomplete, and never end the process.
func fuzzTLS(_ input: inout FuzzInput) {
    switch input.below(3) {
    case 0: checkHello(input.rest())
    case 1: checkServer(&input)
    default: checkTraffic(&input)
    }
}

private let host = try? ServerName("shop.test")
private let leaf = host.flatMap { try? CertificateAuthority().leaf(for: $0) }
private let servers = try? TLSContext(server: TLSServerOptions())
private let clients = try? TLSContext(client: clientOptions)
private let clientOptions = {
    var options = TLSClientOptions()
    options.verify = false
    return options
}()

/// Checks that a result does not change when more bytes arrive.
private func checkHello(_ bytes: [UInt8]) {
    let whole = ClientHello.peek(bytes.span, maxBytes: 1000)
    for count in bytes.indices {
        let part = ClientHello.peek(bytes.span.extracting(0..<count), maxBytes: 1000)
        require(part == .incomplete || part == whole, "the result depends on pieces")
    }
}

/// Passes the input to a server instead of a client's bytes.
private func checkServer(_ input: inout FuzzInput) {
    guard let servers, let leaf, let server = try? TLSSession(accepting: servers, as: leaf) else {
        return require(false, "no session")
    }
    let cut = input.below(64)
    let bytes = input.rest()
    var replies: [UInt8] = []
    do throws(TLSError) {
        for end in [min(cut, bytes.count), bytes.count] {
            var position = 0
            let progress = try server.handshake(
                bytes.span.extracting(0..<end),
                from: &position,
                replies: &replies
            )
            require(position <= end, "consumed more bytes than there are")
            require(progress != .done(0), "the handshake completed without a client")
        }
    } catch {
        require(!error.message.isEmpty, "an error without a message")
    }
}

/// Changes a byte of a handshake between two sessions, and then passes the input to one of them.
private func checkTraffic(_ input: inout FuzzInput) {
    guard let servers, let clients, let leaf, let host,
        let server = try? TLSSession(accepting: servers, as: leaf),
        let client = try? TLSSession(connecting: clients, to: host, port: 443)
    else { return require(false, "no session") }
    var fromClient: [UInt8] = []
    var fromServer: [UInt8] = []
    var position = 0
    do throws(TLSError) {
        _ = try client.handshake(Span(), from: &position, replies: &fromClient)
        _ = try server.handshake(fromClient.span, from: &position, replies: &fromServer)
        fromClient = []
        position = 0
        // Change one byte from the server.
        let place = input.below(256) * 256 + input.below(256)
        fromServer[place % fromServer.count] ^= UInt8(truncatingIfNeeded: input.below(256))
        _ = try client.handshake(fromServer.span, from: &position, replies: &fromClient)
        fromClient += input.rest()
        position = 0
        _ = try server.handshake(fromClient.span, from: &position, replies: &fromServer)
        var buffer = [UInt8](repeating: 0, count: 100)
        var space = buffer.mutableSpan
        _ = try server.read(fromClient.span, from: &position, into: &space, replies: &fromServer)
    } catch {
        require(!error.message.isEmpty, "an error without a message")
    }
}
