// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet

/// A test that runs on a loop's thread until it finishes, with everything that it opens there.
final class Scenario<Value: Sendable>: Sendable {
    private let result = Mutex<Value?>(nil)
    private let group: EventLoopGroup

    struct NotFinished: Error {}

    private init(_ group: EventLoopGroup) { self.group = group }

    /// Ends the test with a value.
    ///
    /// Later values are ignored.
    func finish(_ value: Value) {
        result.withLock { $0 = $0 ?? value }
        group.stop()
    }

    /// Runs `start` on a loop of its own and returns the value that the scenario finishes with.
    ///
    /// - Throws: `NotFinished` if it does not finish within `limit`.
    static func run(
        limit: Microseconds = Microseconds(20_000_000),
        _ start: @escaping @Sendable (Scenario, EventLoop) throws -> Void
    ) async throws -> Value {
        let group = try EventLoopGroup(threads: 1)
        let scenario = Scenario(group)
        try await group.serve { loop, _ in
            let timer = LoopTimer(on: loop) { loop.stop() }
            timer.arm(after: limit)
            loop.atEnd { withExtendedLifetime(timer) {} }
            try start(scenario, loop)
        }
        guard let value = scenario.result.withLock({ $0 }) else { throw NotFinished() }
        return value
    }
}

extension EventLoop {
    /// Calls back after a time, in steps of 10 ms.
    ///
    /// The loop checks its sockets in each step, so that earlier data is handled first even if the
    /// thread did not run in between.
    func after(_ milliseconds: Int64, _ action: @escaping () -> Void) {
        let keeper = TimerKeeper()
        var left = max(milliseconds / 10, 1)
        keeper.timer = LoopTimer(on: self) {
            left -= 1
            guard left == 0 else {
                keeper.timer?.arm(after: Microseconds(10_000))
                return
            }
            // The timer keeps itself alive until then.
            keeper.timer = nil
            action()
        }
        keeper.timer?.arm(after: Microseconds(10_000))
    }
}

private final class TimerKeeper {
    var timer: LoopTimer?
}

/// A server that responds as a test specifies.
final class SteppedServer {
    enum Step: Sendable {
        case send(String)
        /// Sends bytes once the previous ones are in transit.
        case later(String)
        /// Sends no more.
        case end
        case reset
    }

    let address: SocketAddress
    /// The bytes received on each connection.
    fileprivate(set) var received: [String] = []

    /// Listens.
    ///
    /// `answer` gets the number of the connection and the bytes of one read.
    init(on loop: EventLoop, _ answer: @escaping (Int, String) -> [Step]) throws {
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        address = bound.address
        _ = try Listener(bound, on: loop) { [self] connection in
            received.append("")
            connection.delegate = ScriptedPeer(self, received.count - 1, answer)
            connection.startReading()
        }
    }
}

private final class ScriptedPeer: ConnectionDelegate {
    private let server: SteppedServer
    private let number: Int
    private let answer: (Int, String) -> [SteppedServer.Step]

    init(
        _ server: SteppedServer,
        _ number: Int,
        _ answer: @escaping (Int, String) -> [SteppedServer.Step]
    ) {
        self.server = server
        self.number = number
        self.answer = answer
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        let text = String(decoding: [UInt8](copying: bytes), as: UTF8.self)
        server.received[number] += text
        take(answer(number, text), on: connection)
    }

    private func take(_ steps: [SteppedServer.Step], on connection: TCPConnection) {
        for (position, step) in steps.enumerated() {
            switch step {
            case .send(let text): connection.write(text.utf8.span)
            case .later(let text):
                let rest = Array(steps[(position + 1)...])
                return connection.loop.after(30) { [self] in
                    connection.write(text.utf8.span)
                    take(rest, on: connection)
                }
            case .end: connection.shutdownOutput()
            case .reset: connection.reset()
            }
        }
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) {}
    func connectionClosed(_ connection: TCPConnection, error: NetError?) {}
}

/// A client that sends pieces one after the other, and records the response.
final class ScriptedClient: ConnectionDelegate {
    private(set) var received = ""
    private var pieces: [String]
    private let endsInput: Bool
    private let done: (String) -> Void

    /// Connects and sends; calls back when the server has ended the connection.
    init(
        on loop: EventLoop,
        to address: SocketAddress,
        sending pieces: [String],
        endsInput: Bool = false,
        _ done: @escaping (String) -> Void
    ) {
        self.pieces = pieces
        self.endsInput = endsInput
        self.done = done
        let connector = Connector(on: loop)
        connector.connect(to: "\(address.ip)", port: address.port) { [self] outcome in
            withExtendedLifetime(connector) {}
            guard case .success(let connection) = outcome.result else { return done("refused") }
            connection.delegate = self
            connection.startReading()
            send(on: connection)
        }
    }

    private func send(on connection: TCPConnection) {
        guard !pieces.isEmpty else {
            if endsInput { connection.shutdownOutput() }
            return
        }
        connection.write(pieces.removeFirst().utf8.span)
        connection.loop.after(30) { [self] in send(on: connection) }
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        received += String(decoding: [UInt8](copying: bytes), as: UTF8.self)
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) {}

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        done(received + (error?.code == .reset ? "(reset)" : ""))
    }
}
