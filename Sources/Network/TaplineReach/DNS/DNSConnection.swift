// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet

/// Splits the messages of a DNS connection: each has its length before it (RFC 1035 §4.2.2).
struct DNSFraming {
    private var input: [UInt8] = []
    /// The number of bytes of the messages that were returned.
    private var start = 0

    /// Adds bytes.
    mutating func append(_ bytes: Span<UInt8>) {
        input.removeFirst(start)
        start = 0
        for index in bytes.indices { input.append(bytes[index]) }
    }

    /// Removes and returns the next complete message; `nil` if there is none.
    mutating func next() -> [UInt8]? {
        guard input.count - start >= 2 else { return nil }
        let end = start + 2 + (Int(input[start]) << 8 | Int(input[start + 1]))
        guard input.count >= end else { return nil }
        let message = Array(input[(start + 2)..<end])
        start = end
        return message
    }

    /// Returns a message with its length; messages that are too long are not made here.
    static func framed(_ message: [UInt8]) -> [UInt8] {
        let count = UInt16(clamping: message.count)
        return [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            + message.prefix(Int(count))
    }
}

/// A program that sends DNS queries over TCP.
///
/// Its queries wait while it has to take responses, or while many of them are in progress.
///
/// **Isolation**: the loop's thread.
final class DNSConnection: ConnectionDelegate {
    /// How many responses a program may wait for before no more queries are read.
    private static let maxQueries = 32
    /// How long a connection without a query stays open (RFC 7766 §6.2.3).
    private static let idleTime = Microseconds(30_000_000)

    private let socket: TCPConnection
    /// Held until the connection has closed, which may be after the relay was stopped.
    private let relay: DNSRelay
    private let ended: () -> Void
    private var framing = DNSFraming()
    /// The number of queries without a response.
    private var open = 0
    private var isReading = false
    private var timer: LoopTimer?

    init(_ socket: TCPConnection, _ relay: DNSRelay, ended: @escaping () -> Void) {
        self.socket = socket
        self.relay = relay
        self.ended = ended
    }

    /// Whether another query may be read.
    private var hasRoom: Bool { open < Self.maxQueries && socket.isWritable }

    func begin() {
        socket.delegate = self
        timer = LoopTimer(on: socket.loop) { [unowned self] in close() }
        timer?.arm(after: Self.idleTime)
        socket.startReading()
    }

    func close() {
        timer = nil
        socket.close()
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        framing.append(bytes)
        timer?.arm(after: Self.idleTime)
        read()
    }

    /// Answers the queries that have arrived, as long as there is room.
    private func read() {
        // Some responses follow at once.
        guard !isReading, timer != nil else { return }
        isReading = true
        defer { isReading = false }
        while hasRoom, let query = framing.next() {
            open += 1
            let isQuery = relay.answer(query, usesTCP: true) { [weak self] response in
                self?.send(response)
            }
            // What is no query will have no response, and what follows it may be no query either.
            if !isQuery { return close() }
        }
        guard hasRoom else { return socket.pauseReading() }
        if socket.isReadingPaused { socket.resumeReading() }
        if socket.isInputEnded, open == 0 { close() }
    }

    private func send(_ response: [UInt8]) {
        open -= 1
        socket.write(DNSFraming.framed(response).span)
        read()
    }

    func connectionEndedInput(_ connection: TCPConnection) { read() }

    func connectionDrained(_ connection: TCPConnection) { read() }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        timer = nil
        relay.ended(self)
        ended()
    }
}

/// One query to a server over TCP.
///
/// **Isolation**: the loop's thread.
final class DNSExchange: ConnectionDelegate {
    private let socket: TCPConnection
    private var framing = DNSFraming()
    private var ended: (([UInt8]?) -> Void)?

    /// Sends a query, and calls back once with the response, or `nil` if there is none.
    init(
        _ socket: TCPConnection,
        _ query: [UInt8],
        _ ended: @escaping ([UInt8]?) -> Void
    ) {
        self.socket = socket
        self.ended = ended
        socket.delegate = self
        socket.startReading()
        socket.write(DNSFraming.framed(query).span)
    }

    /// Closes the connection; the callback is not called.
    func end() {
        ended = nil
        socket.abandon()
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        framing.append(bytes)
        if let response = framing.next() { ended.take()?(response) }
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.abandon() }

    func connectionDrained(_ connection: TCPConnection) {}

    func connectionClosed(_ connection: TCPConnection, error: NetError?) { ended.take()?(nil) }
}
