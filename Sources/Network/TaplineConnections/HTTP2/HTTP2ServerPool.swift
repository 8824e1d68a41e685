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

    /// The connections to one server.
    private final class Entry {
        var connections: [HTTP2ServerConnection] = []
        /// The requests that wait for a connection; the first one has made it open.
        var waiting: [Done] = []
        var isOpening = false
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
    package func take(_ origin: Origin) -> HTTP2ServerStream? {
        guard let entry = entries[origin] else { return nil }
        let now = loop.now
        return entry.connections.first {
            $0.isUsable && !($0.isIdle && now &- $0.idleSince >= maxAge.count)
        }?.makeStream()
    }

    /// Opens a connection, or waits for one that is being opened.
    ///
    /// Calls back once, with a connection of the version that the server has chosen.
    package func connect(to origin: Origin, _ done: @escaping Done) {
        let entry = entry(of: origin)
        if entry.isHTTP1 { return open(origin, for: done) }
        entry.waiting.append(done)
        if !entry.isOpening { openShared(origin, entry) }
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
                case .success: serve(origin, entry, outcome)
                case .failure(let failure): fail(entry, failure, outcome)
                }
            case .success(let leg):
                entry.isHTTP1 = true
                let waiting = exchange(&entry.waiting, with: [])
                for (position, done) in waiting.enumerated() {
                    if position == 0 {
                        done(Outcome(.success(.http1(leg)), outcome))
                    } else {
                        open(origin, for: done)
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
        for done in exchange(&entry.waiting, with: []) { done(Outcome(.failure(failure), outcome)) }
    }

    /// Gives streams to the requests that wait, and opens another connection if these are too few.
    private func serve(_ origin: Origin, _ entry: Entry, _ outcome: ServerOutcome? = nil) {
        var outcome = outcome
        while !entry.waiting.isEmpty,
            let connection = entry.connections.first(where: \.isUsable)
        {
            let done = entry.waiting.removeFirst()
            let stream = ServerConnection.http2(connection.makeStream())
            done(outcome.take().map { Outcome(.success(stream), $0) } ?? Outcome(.success(stream)))
        }
        if !entry.waiting.isEmpty, !entry.isOpening { openShared(origin, entry) }
    }

    /// Gives the streams of a connection, which has more than before, to requests that wait.
    func hasRoom(_ connection: HTTP2ServerConnection) {
        let origin = connection.route.origin
        if let entry = entries[origin], !entry.waiting.isEmpty { serve(origin, entry) }
    }

    /// Removes a connection that accepts no more exchanges.
    func remove(_ connection: HTTP2ServerConnection) {
        guard let entry = entries[connection.route.origin] else { return }
        entry.connections.removeAll { $0 === connection }
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
