// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet

/// A server that answers each request with bytes from a test.
final class ScriptedServer: Sendable {
    /// The action for a request, which the test gets as text.
    enum Answer: Sendable {
        /// Sends bytes and waits for the next request.
        case send(String)
        /// Sends bytes and closes.
        case sendAndClose(String)
        /// Resets the connection.
        case reset
        /// Sends nothing.
        case silence
    }

    let address: SocketAddress
    private let group: EventLoopGroup
    private let state = Mutex(Seen())

    struct Seen: Sendable {
        var requests: [String] = []
        var connections = 0
    }

    /// Listens on a free port; with `answersHeads` it responds as soon as a head has arrived.
    init(
        answersHeads: Bool = false,
        _ answer: @escaping @Sendable (String, Int) -> Answer
    ) throws {
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        address = bound.address
        group = try EventLoopGroup(threads: 1)
        group.start(
            { [self] loop, _ in
                _ = try Listener(bound, on: loop) { connection in
                    self.state.withLock { $0.connections += 1 }
                    connection.delegate = ScriptedPeer(self, answersHeads, answer)
                    connection.startReading()
                }
            },
            then: { _ in }
        )
    }

    deinit { group.stop() }

    /// The requests so far.
    var seen: Seen { state.withLock { $0 } }

    fileprivate func note(_ request: String) -> Int {
        state.withLock {
            $0.requests.append(request)
            return $0.requests.count - 1
        }
    }

    func stop() { group.stop() }
}

/// One connection of a scripted server.
private final class ScriptedPeer: ConnectionDelegate {
    private let server: ScriptedServer
    private let answersHeads: Bool
    private let answer: @Sendable (String, Int) -> ScriptedServer.Answer
    private var input: [UInt8] = []

    init(
        _ server: ScriptedServer,
        _ answersHeads: Bool,
        _ answer: @escaping @Sendable (String, Int) -> ScriptedServer.Answer
    ) {
        self.server = server
        self.answersHeads = answersHeads
        self.answer = answer
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        input.append(copying: bytes)
        while let request = takeRequest() {
            switch answer(request, server.note(request)) {
            case .send(let text): connection.write(text.utf8.span)
            case .sendAndClose(let text):
                connection.write(text.utf8.span)
                connection.close()
            case .reset: connection.reset()
            case .silence: break
            }
        }
    }

    /// Returns the next request when it is complete, with a body of its Content-Length or in
    /// chunks.
    private func takeRequest() -> String? {
        let text = String(decoding: input, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let head = text[..<end.upperBound]
        var length = 0
        if answersHeads {
            length = 0
        } else if let line = head.split(separator: "\r\n").first(where: {
            $0.lowercased().hasPrefix("content-length:")
        }) {
            length = Int(line.dropFirst(15).drop { $0 == " " }) ?? 0
        } else if head.lowercased().contains("transfer-encoding: chunked") {
            guard let last = text.range(of: "\r\n0\r\n\r\n") else { return nil }
            length = text[end.upperBound..<last.upperBound].utf8.count
        }
        let whole = head.utf8.count + length
        guard input.count >= whole else { return nil }
        defer { input.removeFirst(whole) }
        return String(decoding: input[..<whole], as: UTF8.self)
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) {}
    func connectionClosed(_ connection: TCPConnection, error: NetError?) {}
}

extension String {
    /// Returns the range of the first occurrence of a text.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        ranges(of: text).first
    }
}
