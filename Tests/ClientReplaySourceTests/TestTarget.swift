// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet

/// A server on this machine that answers each request with bytes from a test.
final class TestTarget: Sendable {
    /// The action for a request, which the test gets as text.
    enum Answer: Sendable {
        /// Sends bytes and waits for the next request.
        case send(String)
        /// Sends bytes after a time in microseconds.
        case later(Int64, String)
        /// Resets the connection.
        case reset
        /// Sends nothing.
        case silence
    }

    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    let address: SocketAddress
    private let group: EventLoopGroup
    private let state = Mutex<[(request: String, at: Int64)]>([])

    /// Listens on a port, by default a free one.
    init(
        port: UInt16 = 0,
        _ answer: @escaping @Sendable (String, Int) -> Answer = { _, _ in .send(ok) }
    ) throws {
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: port))
        address = bound.address
        var options = EventLoopOptions()
        options.timerGranule = Microseconds(1000)
        group = try EventLoopGroup(threads: 1, options)
        group.start(
            { [self] loop, _ in
                _ = try Listener(bound, on: loop) { connection in
                    connection.delegate = TestPeer(self, answer)
                    connection.startReading()
                }
            },
            then: { _ in }
        )
    }

    deinit { group.stop() }

    var url: String { "http://\(address)" }
    /// The requests so far.
    var requests: [String] { state.withLock { $0.map(\.request) } }
    /// When they arrived, in microseconds.
    var arrivals: [Int64] { state.withLock { $0.map(\.at) } }
    /// The targets of the requests.
    var paths: [String] {
        requests.map { $0.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    }

    fileprivate func note(_ request: String) -> Int {
        state.withLock {
            $0.append((request, EventLoop.clockNow()))
            return $0.count - 1
        }
    }

    /// Closes the listener and all connections.
    func stop() { group.stop() }
}

/// One connection of a target.
private final class TestPeer: ConnectionDelegate {
    private let target: TestTarget
    private let answer: @Sendable (String, Int) -> TestTarget.Answer
    private var input: [UInt8] = []
    private var timers: [LoopTimer] = []

    init(_ target: TestTarget, _ answer: @escaping @Sendable (String, Int) -> TestTarget.Answer) {
        self.target = target
        self.answer = answer
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        input.append(copying: bytes)
        while let request = takeRequest() {
            switch answer(request, target.note(request)) {
            case .send(let text): connection.write(text.utf8.span)
            case .later(let time, let text):
                let timer = LoopTimer(on: connection.loop) { connection.write(text.utf8.span) }
                timer.arm(after: Microseconds(time))
                timers.append(timer)
            case .reset: connection.reset()
            case .silence: break
            }
        }
    }

    /// Returns the next request when it is complete.
    private func takeRequest() -> String? {
        let text = String(decoding: input, as: UTF8.self)
        guard let end = text.ranges(of: "\r\n\r\n").first else { return nil }
        let head = text[..<end.upperBound]
        let line = head.split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("content-length:")
        }
        let length = line.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
        let whole = head.utf8.count + length
        guard input.count >= whole else { return nil }
        defer { input.removeFirst(whole) }
        return String(decoding: input[..<whole], as: UTF8.self)
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) {}

    func connectionClosed(_ connection: TCPConnection, error: NetError?) { timers = [] }
}
