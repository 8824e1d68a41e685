// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConnections
import TaplineHTTP
import TaplineModel
import TaplineNet

/// A WebSocket server on this machine, which does with each message what a test says.
final class WebSocketTarget: Sendable {
    /// The action for a message.
    enum Action: Sendable {
        case none
        /// Sends the message back.
        case echo
        /// Sends it back in fragments of one byte, with a ping between them.
        case fragments
        /// Sends a close frame.
        case close(Int)
        /// Ends the connection.
        case leave
        /// Sends bytes that are no frame.
        case garbage
        /// Sends these texts.
        case say([String])
    }

    /// What the server says to a handshake.
    enum Opening: Sendable {
        case accept
        case refuse
        /// An answer that belongs to another key.
        case wrongKey
        /// An answer whose Connection field does not list `upgrade`.
        case keepsAlive
        /// Accepts, but answers no close frame.
        case neverCloses
        /// Ends the first connection without an answer.
        case leavesFirst
        /// Accepts, sends pings when the first message begins, and reads no more.
        case stopsReading
        /// Accepts, and sends 16 MiB in eight messages at once.
        case floods
        /// Accepts, and does at once what the test says for an empty message.
        case greets
    }

    struct Received: Sendable {
        let type: String
        let text: String
        let code: Int?
        let at: Int64
    }

    let address: SocketAddress
    private let group: EventLoopGroup
    /// The JSON for a path that is no WebSocket; `nil` for 404.
    fileprivate let page: @Sendable (String) -> String?
    private let state = Mutex<(heads: [String], messages: [Received])>(([], []))
    /// When a flood began, and when it was sent.
    private let flood = Mutex<(began: Int64, ended: Int64)>((0, 0))

    init(
        _ opening: Opening = .accept,
        _ action: @escaping @Sendable (String) -> Action = { _ in .echo },
        page: @escaping @Sendable (String) -> String? = { _ in nil }
    ) throws {
        self.page = page
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        address = bound.address
        group = try EventLoopGroup(threads: 1)
        group.start(
            { [self] loop, _ in
                _ = try Listener(bound, on: loop) { connection in
                    connection.delegate = WebSocketTargetPeer(self, opening, action)
                    connection.startReading()
                }
            },
            then: { _ in }
        )
    }

    deinit { group.stop() }

    var url: String { "http://\(address)" }
    /// The heads of the requests so far.
    var heads: [String] { state.withLock { $0.heads } }
    /// The messages so far, of all connections.
    var messages: [Received] { state.withLock { $0.messages } }
    /// The messages as lines such as `text hello`.
    var lines: [String] {
        messages.map { "\($0.type) \($0.code.map { "\($0) " } ?? "")\($0.text)" }
    }

    /// How long it took until a flood was sent, in microseconds; negative before.
    var floodDuration: Int64 { flood.withLock { $0.ended - $0.began } }

    fileprivate func noteFloodBegan() { flood.withLock { $0.began = EventLoop.clockNow() } }
    fileprivate func noteFloodEnded() { flood.withLock { $0.ended = EventLoop.clockNow() } }
    fileprivate func note(_ head: String) { state.withLock { $0.heads.append(head) } }
    fileprivate func note(_ message: Received) { state.withLock { $0.messages.append(message) } }

    func stop() { group.stop() }
}

/// One connection of a target.
private final class WebSocketTargetPeer: ConnectionDelegate {
    private let target: WebSocketTarget
    private let opening: WebSocketTarget.Opening
    private let action: @Sendable (String) -> WebSocketTarget.Action
    private var head: [UInt8] = []
    private var isOpen = false
    private var assembler = WebSocketMessageAssembler(from: .client, keeps: .max)

    init(
        _ target: WebSocketTarget,
        _ opening: WebSocketTarget.Opening,
        _ action: @escaping @Sendable (String) -> WebSocketTarget.Action
    ) {
        self.target = target
        self.opening = opening
        self.action = action
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        guard isOpen else { return open(connection, bytes) }
        if opening == .stopsReading {
            connection.pauseReading()
            for number in UInt8(1)...3 {
                write(WebSocketFrame(.ping, payloadCount: 0), [number], connection)
            }
            return
        }
        var consumed = 0
        while consumed < bytes.count {
            let rest = bytes.extracting(consumed..<bytes.count)
            guard let step = try? assembler.next(rest) else { return connection.reset() }
            consumed += step.consumed
            if let message = step.message { handle(message, connection) }
        }
    }

    private func open(_ connection: TCPConnection, _ bytes: Span<UInt8>) {
        head.append(copying: bytes)
        let text = String(decoding: head, as: UTF8.self)
        guard text.hasSuffix("\r\n\r\n") else { return }
        target.note(text)
        head = []
        if opening == .leavesFirst, target.heads.count == 1 { return connection.close() }
        let field = text.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }
        if field == nil, let path = text.split(separator: " ").dropFirst().first {
            let page = target.page(String(path))
            let status = page == nil ? "404 Missing" : "200 OK"
            let body = page ?? "{}"
            connection.write(
                ("HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)").utf8.span
            )
            return
        }
        guard opening != .refuse, let field else {
            connection.write("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n".utf8.span)
            return
        }
        let key = opening == .wrongKey ? "another" : String(field.dropFirst(19))
        isOpen = true
        let accept = WebSocketHandshake.accept(key.utf8.span)
        connection.write(
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                + "Connection: \(opening == .keepsAlive ? "keep-alive" : "upgrade")\r\n"
                + "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n")
                .utf8.span
        )
        if opening == .greets { carryOut(action(""), connection) }
        guard opening == .floods else { return }
        target.noteFloodBegan()
        let content = [UInt8](repeating: 0, count: 2 << 20)
        for _ in 0..<8 { write(WebSocketFrame(.binary, payloadCount: 0), content, connection) }
    }

    private func handle(_ message: WebSocketMessage, _ connection: TCPConnection) {
        let recorded = message.recorded(.up, at: Microseconds(0))
        let text = String(decoding: recorded.bytes, as: UTF8.self)
        target.note(
            WebSocketTarget.Received(
                type: recorded.type,
                text: text,
                code: recorded.code,
                at: EventLoop.clockNow()
            )
        )
        switch message.opcode {
        case .ping: write(WebSocketFrame(.pong, payloadCount: 0), message.bytes, connection)
        case .close where opening != .neverCloses:
            write(WebSocketFrame(.close, payloadCount: 0), message.bytes, connection)
            connection.close()
        case .text, .binary: answer(message, text, connection)
        default: break
        }
    }

    private func answer(_ message: WebSocketMessage, _ text: String, _ connection: TCPConnection) {
        switch action(text) {
        case .echo:
            write(WebSocketFrame(message.opcode, payloadCount: 0), message.bytes, connection)
        case .fragments:
            for (index, byte) in message.bytes.enumerated() {
                let isLast = index == message.bytes.count - 1
                let opcode = index == 0 ? message.opcode : .continuation
                let frame = WebSocketFrame(opcode, payloadCount: 1, isFinal: isLast)
                write(frame, [byte], connection)
                if index == 0 { write(WebSocketFrame(.ping, payloadCount: 0), [7], connection) }
            }
        case let other: carryOut(other, connection)
        }
    }

    /// Carries out an action that does not depend on the message.
    private func carryOut(_ action: WebSocketTarget.Action, _ connection: TCPConnection) {
        switch action {
        case .none, .echo, .fragments: break
        case .close(let code):
            let payload = WebSocketMessage.closePayload(code)
            write(WebSocketFrame(.close, payloadCount: 0), payload, connection)
        case .leave: connection.close()
        case .garbage: connection.write([0xF1, 0].span)
        case .say(let texts):
            for text in texts {
                write(WebSocketFrame(.text, payloadCount: 0), Array(text.utf8), connection)
            }
        }
    }

    private func write(_ frame: WebSocketFrame, _ payload: [UInt8], _ connection: TCPConnection) {
        var output: [UInt8] = []
        output.append(frame, payload: payload.span)
        connection.write(output.span)
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) { target.noteFloodEnded() }
    func connectionClosed(_ connection: TCPConnection, error: NetError?) {}
}
