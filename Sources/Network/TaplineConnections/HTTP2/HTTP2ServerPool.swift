// SPDX-License-Identifier: MIT

internal import TaplineHTTP2
package import TaplineModel
package import TaplineNet

/// A connection for one exchange.
package enum ServerConnection {
    /// A connection that carries one exchange at a time.
    case http1(ServerLeg)
    /// A stream of a connection that carries many.
    case http2(HTTP2ServerStream)
}

/// The connections of one loop to servers that use HTTP/2: requests that wait for a connection that
/// is being opened share it.
///
/// **Isolation**: the loop's thread.
package final class HTTP2ServerPool {
    /// The result of opening a connection for a request.
    package struct Outcome {
        package let result: Result<ServerConnection, ExchangeFailure>
        /// How long lookup, connection and handshake took; empty if the connection was shared.
        package var timing = Timing()
    }

    package typealias Done = (Outcome) -> Void

    /// A request that waits for a connection.
    private struct Waiting {
        /// Whether it needs to know what the server's settings say about WebSockets.
        let isWebSocket: Bool
        let done: Done

        func mayUse(_ connection: HTTP2ServerConnection) -> Bool {
            connection.isUsable && !(isWebSocket && connection.awaitsSettings)
        }
    }

    /// The connections to one server.
    private final class Entry {
        var connections: [HTTP2ServerConnection] = []
        /// The requests that wait for a connection; the first one has made it open.
        var waiting: [Waiting] = []
        var isOpening = false
        /// Whether another connection is needed for the requests that wait: none is being opened,
        /// and each open one has told how many streams it accepts.
        var needsConnection: Bool {
            !waiting.isEmpty && !isOpening && !connections.contains(where: \.awaitsSettings)
        }
        /// Whether the server has chosen HTTP/1 before, so that nothing is shared.
        var isHTTP1 = false
    }

    /// How many servers are remembered without a connection.
    private static let remembered = 4096

    private let connector: ServerConnector
    private let rules: HTTP2Rules
    private let maxAge: Microseconds
    private let loop: EventLoop
    private var entries: [Origin: Entry] = [:]
    /// The number of requests that wait, at all servers.
    private var waitingCount = 0
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - connector: Opens connections.
    ///   - rules: Where HTTP/2 is used.
    ///   - maxAge: How long an idle connection is kept.
    ///   - loop: The loop of the connections.
    package init(
        _ connector: ServerConnector,
        _ rules: HTTP2Rules,
        maxAge: Microseconds,
        on loop: EventLoop
    ) {
        self.connector = connector
        self.rules = rules
        self.maxAge = maxAge
        self.loop = loop
        timer = LoopTimer(on: loop) { [unowned self] in closeStale() }
        timer?.arm(after: maxAge)
    }

    /// Returns whether a connection to a server may use HTTP/2.
    package func covers(_ origin: Origin) -> Bool { rules.covers(origin) }

    /// The number of open connections.
    var connectionCount: Int { entries.values.reduce(0) { $0 + $1.connections.count } }

    /// Takes a stream of an open connection; `nil` if none has room.
    ///
    /// - Parameters:
    ///   - origin: The server.
    ///   - forWebSocket: Whether the server has to offer WebSockets on streams.
    /// - Returns: The stream.
    package func take(_ origin: Origin, forWebSocket: Bool = false) -> HTTP2ServerStream? {
        guard let entry = entries[origin] else { return nil }
        let now = loop.now
        return entry.connections.first {
            $0.isUsable && !($0.isIdle && now &- $0.idleSince >= maxAge.count)
                && (!forWebSocket || $0.acceptsWebSockets)
        }?.makeStream()
    }

    /// Takes a stream of an open connection, or opens one, or waits for one that is being opened.
    ///
    /// Calls back once, with a connection of the version that the server has chosen. For a
    /// WebSocket, the server's settings have arrived.
    package func connect(
        to origin: Origin,
        isWebSocket: Bool = false,
        _ done: @escaping Done
    ) {
        let entry = entry(of: origin)
        if entry.isHTTP1 { return open(origin, for: done) }
        if let stream = take(origin, forWebSocket: isWebSocket) {
            return done(Outcome(.success(.http2(stream))))
        }
        let waiting = Waiting(isWebSocket: isWebSocket, done: done)
        if isWebSocket, let connection = entry.connections.first(where: waiting.mayUse) {
            // Another connection would offer no WebSockets either.
            return done(Outcome(.success(.http2(connection.makeStream()))))
        }
        entry.waiting.append(waiting)
        waitingCount += 1
        if entry.needsConnection { openShared(origin, entry) }
    }

    private func entry(of origin: Origin) -> Entry {
        if let found = entries[origin] { return found }
        if entries.count >= Self.remembered {
            entries = entries.filter { !$0.value.connections.isEmpty || $0.value.isOpening }
        }
        let entry = Entry()
        entries[origin] = entry
        return entry
    }

    /// Opens a connection for one request.
    private func open(_ origin: Origin, for done: @escaping Done) {
        connector.connect(to: origin, isTunnel: false, offersHTTP2: true) { [self] outcome in
            switch outcome.result {
            case .failure(let failure): done(Outcome(.failure(failure), outcome))
            case .success(let leg):
                guard leg.usesHTTP2 else { return done(Outcome(.success(.http1(leg)), outcome)) }
                let entry = entry(of: origin)
                entry.isHTTP1 = false
                switch add(leg, to: entry) {
                case .success(let connection):
                    done(Outcome(.success(.http2(connection.makeStream())), outcome))
                case .failure(let failure): done(Outcome(.failure(failure), outcome))
                }
            }
        }
    }

    /// Opens a connection for all requests that wait.
    private func openShared(_ origin: Origin, _ entry: Entry) {
        entry.isOpening = true
        connector.connect(to: origin, isTunnel: false, offersHTTP2: true) { [self] outcome in
            entry.isOpening = false
            switch outcome.result {
            case .failure(let failure): fail(entry, failure, outcome)
            case .success(let leg) where leg.usesHTTP2:
                switch add(leg, to: entry) {
                case .success(let connection) where connection.isUsable:
                    serve(origin, entry, outcome)
                case .success: fail(entry, .closedEarly, outcome)
                case .failure(let failure): fail(entry, failure, outcome)
                }
            case .success(let leg):
                entry.isHTTP1 = true
                let waiting = takeWaiting(of: entry)
                for (position, waiting) in waiting.enumerated() {
                    if position == 0 {
                        waiting.done(Outcome(.success(.http1(leg)), outcome))
                    } else {
                        open(origin, for: waiting.done)
                    }
                }
                if waiting.isEmpty { leg.abandon() }
            }
        }
    }

    private func add(
        _ leg: ServerLeg,
        to entry: Entry
    ) -> Result<HTTP2ServerConnection, ExchangeFailure> {
        do throws(HTTP2Failure) {
            let connection = try HTTP2ServerConnection(leg, rules.servers, self)
            entry.connections.append(connection)
            return .success(connection)
        } catch {
            leg.abandon()
            return .failure(.closedEarly)
        }
    }

    private func fail(_ entry: Entry, _ failure: ExchangeFailure, _ outcome: ServerOutcome) {
        for waiting in takeWaiting(of: entry) {
            waiting.done(Outcome(.failure(failure), outcome))
        }
    }

    private func failWebSockets(of entry: Entry) {
        let waiting = takeWaiting(of: entry)
        entry.waiting = waiting.filter { !$0.isWebSocket }
        waitingCount += entry.waiting.count
        for failed in waiting where failed.isWebSocket {
            failed.done(Outcome(.failure(.closedEarly)))
        }
    }

    private func takeWaiting(of entry: Entry) -> [Waiting] {
        waitingCount -= entry.waiting.count
        return exchange(&entry.waiting, with: [])
    }

    /// Gives streams to the requests that wait, and opens another connection if these are too few.
    private func serve(_ origin: Origin, _ entry: Entry, _ outcome: ServerOutcome? = nil) {
        var outcome = outcome
        while let next = entry.waiting.first,
            let connection = entry.connections.first(where: next.mayUse)
        {
            entry.waiting.removeFirst()
            waitingCount -= 1
            let result = Result<ServerConnection, ExchangeFailure>
                .success(.http2(connection.makeStream()))
            next.done(outcome.take().map { Outcome(result, $0) } ?? Outcome(result))
        }
        if entry.needsConnection { openShared(origin, entry) }
    }

    /// Gives the streams of a connection, which has more than before, to requests that wait.
    func hasRoom(_ connection: HTTP2ServerConnection) {
        guard waitingCount > 0 else { return }
        let origin = connection.route.origin
        if let entry = entries[origin], !entry.waiting.isEmpty { serve(origin, entry) }
    }

    /// Removes a connection that accepts no more exchanges; requests that wait for its settings get
    /// another one.
    ///
    /// WebSockets that wait for them fail: unlike other requests they get no stream before, so a
    /// server that closes each connection at once would be connected to forever.
    func remove(_ connection: HTTP2ServerConnection) {
        let origin = connection.route.origin
        guard let entry = entries[origin] else { return }
        entry.connections.removeAll { $0 === connection }
        if connection.awaitsSettings { failWebSockets(of: entry) }
        if entry.needsConnection { openShared(origin, entry) }
    }

    /// Closes connections that have been idle for too long.
    private func closeStale() {
        let now = loop.now
        retireAll { $0.isIdle && now &- $0.idleSince >= maxAge.count }
        timer?.arm(after: maxAge)
    }

    private func retireAll(where isRetired: (HTTP2ServerConnection) -> Bool) {
        for entry in Array(entries.values) {
            for connection in entry.connections where isRetired(connection) { connection.retire() }
        }
    }

    /// Closes the connections of a group, whose only client is gone, after their last exchange.
    package func closeAll(ofGroup group: Int) {
        for (origin, entry) in entries where origin.group == group {
            if !entry.isOpening { entries[origin] = nil }
            for connection in entry.connections { connection.retire() }
        }
    }

    /// Closes idle connections, and the others after their last exchange.
    package func closeAll() { retireAll { _ in true } }

    /// Releases the timer, since the loop has ended.
    package func end() { timer = nil }
}

extension HTTP2ServerPool.Outcome {
    fileprivate init(_ result: Result<ServerConnection, ExchangeFailure>) { self.result = result }

    fileprivate init(
        _ result: Result<ServerConnection, ExchangeFailure>,
        _ outcome: ServerOutcome
    ) {
        self.result = result
        timing.dns = outcome.lookup
        timing.connect = outcome.connect
        timing.tls = outcome.tls
    }
}
