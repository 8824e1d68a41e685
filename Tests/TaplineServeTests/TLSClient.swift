// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTLS
import TestSupport

/// A client of a server with TLS, on a blocking socket of the system.
final class TLSClient {
    struct NotTLS: Error {}

    let socket: SocketClient
    private let session: TLSSession
    /// What was received and not read yet.
    private var input: [UInt8] = []

    /// Connects, and performs the handshake.
    init(port: UInt16, receiveBuffer: Int32 = 0) throws {
        var options = TLSClientOptions()
        options.verify = false
        socket = try SocketClient(port: port, receiveBuffer: receiveBuffer)
        session = try TLSSession(
            connecting: TLSContext(client: options),
            to: ServerName("localhost"),
            port: Int(port)
        )
        while true {
            var position = 0
            var replies: [UInt8] = []
            let held = input
            let progress = try session.handshake(held.span, from: &position, replies: &replies)
            input.removeFirst(position)
            try socket.send(replies)
            if case .done = progress { return }
            let more = try socket.receive()
            if more.isEmpty { throw NotTLS() }
            input += more
        }
    }

    func send(_ text: String) throws {
        var output: [UInt8] = []
        try session.write(Array(text.utf8).span, into: &output)
        try socket.send(output)
    }

    /// Receives some bytes; none at the proper end.
    func receive() throws -> [UInt8] {
        while true {
            var plaintext = [UInt8](repeating: 0, count: 16_384)
            switch try read(into: &plaintext) {
            case .done(let count) where count > 0: return Array(plaintext[..<count])
            case .closed: return []
            case .done, .incomplete: break
            }
            let more = try socket.receive()
            if more.isEmpty { throw NotTLS() }
            input += more
        }
    }

    private func read(into plaintext: inout [UInt8]) throws -> TLSProgress {
        var position = 0
        var replies: [UInt8] = []
        let held = input
        var space = plaintext.mutableSpan
        let progress = try session.read(
            held.span,
            from: &position,
            into: &space,
            replies: &replies
        )
        input.removeFirst(position)
        if !replies.isEmpty { try socket.send(replies) }
        return progress
    }

    /// Receives until a text has come.
    func receive(until text: String) throws -> String {
        var all: [UInt8] = []
        while !String(decoding: all, as: UTF8.self).contains(text) {
            let part = try receive()
            if part.isEmpty { break }
            all += part
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// Receives until the end.
    func receiveAll() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let part = try receive()
            if part.isEmpty { return all }
            all += part
        }
    }
}
