// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplineNet
import TestSupport
import Testing

/// Runs loops on threads of their own for the duration of one test.
///
/// The loops are always ended, together with everything that is open on them.
func withLoops(
    _ count: Int = 1,
    _ start: @escaping @Sendable (EventLoop, Int) throws -> Void,
    _ body: (EventLoopGroup) throws -> Void
) throws {
    let group = try EventLoopGroup(threads: count)
    let outcome = Outcome()
    group.start(start) { outcome.end($0) }
    let result = Result { try body(group) }
    group.stop()
    try outcome.wait()
    try result.get()
}

/// The result of a group, for a thread that waits for it.
private final class Outcome: Sendable {
    private let ended = DispatchSemaphore(value: 0)
    private let result = Mutex<Result<Void, any Error>>(.success(()))

    func end(_ outcome: Result<Void, any Error>) {
        result.withLock { $0 = outcome }
        ended.signal()
    }

    func wait() throws {
        let status = ended.wait(timeout: .now() + 60)
        #expect(status == .success, "the loops did not end")
        try result.withLock { $0 }.get()
    }
}

/// Listens on every loop of a group.
func withServer(
    _ count: Int = 1,
    at address: SocketAddress = SocketAddress(.loopbackV4, port: 0),
    options: TCPOptions = TCPOptions(),
    serving handler: @escaping @Sendable (TCPConnection) -> Void,
    _ body: (UInt16, EventLoopGroup) throws -> Void
) throws {
    let bound = try BoundAddress(address, count: count)
    try withLoops(count) { loop, _ in
        _ = try Listener(bound, on: loop, options, handler)
    } _: {
        try body(bound.address.port, $0)
    }
}

/// The events of a connection, as text.
final class Events: Sendable {
    private let state = Mutex<[String]>([])

    func add(_ event: String) { state.withLock { $0.append(event) } }
    var all: [String] { state.withLock { $0 } }
}

/// Sends its input back, at the speed of the reader.
final class Echo: ConnectionDelegate {
    let events: Events?

    init(_ events: Events? = nil) { self.events = events }

    static func serve(_ connection: TCPConnection, _ events: Events? = nil) {
        connection.delegate = Echo(events)
        connection.startReading()
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        connection.write(bytes)
        if !connection.isWritable { connection.pauseReading() }
    }

    func connectionEndedInput(_ connection: TCPConnection) {
        events?.add("end")
        connection.shutdownOutput()
    }

    func connectionDrained(_ connection: TCPConnection) {
        events?.add("drained")
        connection.resumeReading()
    }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        events?.add("closed \(error?.code.name ?? "")")
    }
}

/// Records the events of a connection.
final class Recorder: ConnectionDelegate {
    let events: Events
    /// Called instead of recording bytes.
    var onBytes: ((TCPConnection) -> Void)?
    var onEnd: (TCPConnection) -> Void = { _ in }
    var onClose: (TCPConnection) -> Void = { _ in }

    init(_ events: Events) { self.events = events }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        if let onBytes { return onBytes(connection) }
        events.add("got " + String(decoding: [UInt8](copying: bytes), as: UTF8.self))
    }

    func connectionEndedInput(_ connection: TCPConnection) {
        events.add("end")
        onEnd(connection)
    }

    func connectionDrained(_ connection: TCPConnection) { events.add("drained") }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        onClose(connection)
        events.add("closed \(error?.code.name ?? "")")
    }
}

/// Returns the number of open resources of a loop, from another thread; `nil` if it has ended.
func openResources(of loop: EventLoop) -> Int? {
    let answer = Answer()
    guard loop.execute({ answer.count.withLock { $0 = loop.openResources } }) else { return nil }
    blockingWait(for: "the loop to count its resources") { answer.count.withLock { $0 != nil } }
    return answer.count.withLock { $0 }
}

private final class Answer: Sendable {
    let count = Mutex<Int?>(nil)
}
