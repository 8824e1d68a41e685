// SPDX-License-Identifier: MIT

internal import TaplineHTTP2
package import TaplineModel
package import TaplineNet

/// The connections of one loop to servers that use HTTP/2: requests that wait for a connection that
/// is being opened share it.
///
/// **Isolation**: the loop's thread.
package final class HTTP2ServerPool {
    /// The result of opening a connection for a request.
    package struct Outcome {
        package let result: Result<ServerLink, ExchangeFailure>
        /// How long lookup, connection and handshake took; empty if the connection was shared.
        package var timing = Timing()
    }

    package typealias Done = (Outcome) -> Void

    /// A request that waits for a connection.
    private struct Waiting {
        /// Whether it needs to know what the server's settings say about WebSockets.
        let isWebSocket: Bool
        /// Until when it waits for a server that allows no streams, on the loop's clock.
        let deadline: Int64
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
        /// Until when no other connection is opened after the end of one that allowed no streams,
        /// on the loop's clock.
        var refusedUntil = Int64.min
        /// Whether another connection is needed for the requests that wait: none is being opened,
        /// and each open one has told how many streams it accepts.
        var needsConnection: Bool {
            !waiting.isEmpty && !isOpening && !connections.contains(where: \.awaitsSettings)
        }

        /// Returns whether another connection would get no streams either.
        func isRefused(at now: Int64) -> Bool {
            now < refusedUntil || connections.contains(where: \.allowsNoStreams)
        }

        /// Whether the server has chosen HTTP/1 before, so that nothing is shared.
        var isHTTP1 = false
    }

    /// How many servers are remembered without a connection.
    private static let remembered = 4096

    private let connector: ServerConnector
    private let rules: HTTP2Rules
    private let timeouts: HTTP2ServerTimeouts
    private let loop: EventLoop
    private var entries: [Origin: Entry] = [:]
    /// The number of requests that wait, at all servers.
    private var waitingCount = 0
    /// Whether connections close after their last exchange.
    private var isClosing = false
    private var timer: LoopTimer?
    /// Ends the wait for servers that allow no streams.
    private var refusalTimer: LoopTimer?
    /// When that timer fires, on the loop's clock.
    private var nextLook = Int64.max

    /// - Parameters:
    ///   - connector: Opens connections.
    ///   - rules: Where HTTP/2 is used.
    ///   - timeouts: The time limits.
    ///   - loop: The loop of the connections.
    package init(
        _ connector: ServerConnector,
        _ rules: HTTP2Rules,
        _ timeouts: HTTP2ServerTimeouts,
        on loop: EventLoop
    ) {
        self.connector = connector
        self.rules = rules
        self.timeouts = timeouts
        self.loop = loop
        timer = LoopTimer(on: loop) { [unowned self] in closeStale() }
        timer?.arm(after: timeouts.keepAlive)
        refusalTimer = LoopTimer(on: loop) { [unowned self] in endRefusals() }
    }

    /// Returns whether a connection to a server may use HTTP/2.
    package func covers(_ origin: Origin) -> Bool { rules.covers(origin) }

    /// Returns whether there is a connection to a server.
    package func has(_ origin: Origin) -> Bool {
        entries[origin]?.connections.contains(where: \.isUsable) == true
    }

    /// Keeps a connection for later requests, whose server has chosen HTTP/2.
    package func give(_ leg: ServerLeg) {
        let origin = leg.route.origin
        let entry = entry(of: origin)
        entry.isHTTP1 = false
        if case .success = add(leg, to: entry) { serve(origin, entry) }
    }

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
            $0.isUsable && !($0.isIdle && now &- $0.idleSince >= timeouts.keepAlive.count)
                && (!forWebSocket || $0.acceptsWebSockets)
        }?.makeStream()
    }

    /// Returns whether a server has chosen HTTP/1 when it last could choose.
    package func usesHTTP1(_ origin: Origin) -> Bool { entries[origin]?.isHTTP1 ?? false }

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
        let deadline = loop.now &+ timeouts.connect.count
        let waiting = Waiting(isWebSocket: isWebSocket, deadline: deadline, done: done)
        if isWebSocket, let connection = entry.connections.first(where: waiting.mayUse) {
            // Another connection would offer no WebSockets either.
            return done(Outcome(.success(.http2(connection.makeStream()))))
        }
        entry.waiting.append(waiting)
        waitingCount += 1
        openIfNeeded(origin, entry)
    }

    private func entry(of origin: Origin) -> Entry {
        if let found = entries[origin] { return found }
        if entries.count >= Self.remembered {
            entries = entries.filter {
                !$0.value.connections.isEmpty || $0.value.isOpening || !$0.value.waiting.isEmpty
            }
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

    /// Opens another connection for the requests that wait if one is needed; otherwise they wait
    /// for those that there are.
    private func openIfNeeded(_ origin: Origin, _ entry: Entry) {
        guard entry.needsConnection else { return }
        entry.isRefused(at: loop.now) ? waitForRefusal(of: entry) : openShared(origin, entry)
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
            let connection = try HTTP2ServerConnection(leg, rules.servers, timeouts, self)
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
        for failed in takeWaiting(of: entry, where: \.isWebSocket) {
            failed.done(Outcome(.failure(.closedEarly)))
        }
    }

    /// Takes those of the requests that wait which match; the others go on waiting, in their order.
    private func takeWaiting(
        of entry: Entry,
        where isTaken: (Waiting) -> Bool = { _ in true }
    ) -> [Waiting] {
        let taken = entry.waiting.filter(isTaken)
        entry.waiting.removeAll(where: isTaken)
        waitingCount -= taken.count
        return taken
    }

    /// Gives streams to the requests that wait, and opens another connection if these are too few.
    private func serve(_ origin: Origin, _ entry: Entry, _ outcome: ServerOutcome? = nil) {
        var outcome = outcome
        while let next = entry.waiting.first,
            let connection = entry.connections.first(where: next.mayUse)
        {
            entry.waiting.removeFirst()
            waitingCount -= 1
            let result = Result<ServerLink, ExchangeFailure>
                .success(.http2(connection.makeStream()))
            next.done(outcome.take().map { Outcome(result, $0) } ?? Outcome(result))
        }
        openIfNeeded(origin, entry)
    }

    /// Gives the streams of a connection, which has more than before, to requests that wait.
    func hasRoom(_ connection: HTTP2ServerConnection) {
        if waitingCount > 0 {
            let origin = connection.route.origin
            if let entry = entries[origin], !entry.waiting.isEmpty { serve(origin, entry) }
        }
        if isClosing, connection.isIdle { connection.retire() }
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
        if connection.allowsNoStreams {
            entry.refusedUntil = loop.now &+ timeouts.connect.count
        }
        openIfNeeded(origin, entry)
    }

    /// Fails the requests that have waited for a connection for long enough; the others get another
    /// one.
    func failWaiting(for connection: HTTP2ServerConnection, _ failure: ExchangeFailure) {
        guard let entry = entries[connection.route.origin] else { return }
        for waiting in takeLate(of: entry) { waiting.done(Outcome(.failure(failure))) }
    }

    /// Takes the requests of a server whose deadline is over.
    private func takeLate(of entry: Entry) -> [Waiting] {
        let now = loop.now
        return takeWaiting(of: entry) { $0.deadline <= now }
    }

    // MARK: Servers that allow no streams

    /// Looks again at the first deadline of a request that waits for a server that allows no
    /// streams, or when the server may be asked again.
    private func waitForRefusal(of entry: Entry) {
        // The first request has the first deadline, since all wait equally long.
        guard let first = entry.waiting.first?.deadline else { return }
        let now = loop.now
        let time = entry.refusedUntil > now ? min(first, entry.refusedUntil) : first
        guard time < nextLook else { return }
        nextLook = time
        refusalTimer?.arm(after: Microseconds(max(time &- now, 0)))
    }

    /// Fails the requests that have waited long enough, and asks servers again.
    private func endRefusals() {
        nextLook = .max
        for (origin, entry) in Array(entries) where entry.needsConnection {
            for failed in takeLate(of: entry) {
                failed.done(Outcome(.failure(.noStreamsAllowed)))
            }
            openIfNeeded(origin, entry)
        }
    }

    /// Closes connections that have been idle for too long.
    private func closeStale() {
        let now = loop.now
        retireAll { $0.isIdle && now &- $0.idleSince >= timeouts.keepAlive.count }
        timer?.arm(after: timeouts.keepAlive)
    }

    private func retireAll(where isRetired: (HTTP2ServerConnection) -> Bool) {
        for entry in Array(entries.values) {
            for connection in entry.connections where isRetired(connection) { connection.retire() }
        }
    }

    /// Closes the connections of a group, whose only client is gone, after their last exchange.
    package func closeAll(ofGroup group: Int) {
        for (origin, entry) in entries where origin.group == group {
            if !entry.isOpening {
                _ = takeWaiting(of: entry)
                entries[origin] = nil
            }
            for connection in entry.connections { connection.retire() }
        }
    }

    /// Closes idle connections, and all others after their last exchange, also those that are
    /// opened later.
    package func closeAll() {
        isClosing = true
        retireAll { _ in true }
    }

    /// Releases the timers, since the loop has ended.
    package func end() {
        timer = nil
        refusalTimer = nil
    }
}

extension ExchangeFailure {
    /// The server's settings allow no streams (RFC 9113 §6.5.2).
    fileprivate static let noStreamsAllowed = ExchangeFailure(
        code: "connect_timeout",
        message: "the server allows no requests: its SETTINGS_MAX_CONCURRENT_STREAMS is 0",
        status: 504
    )
}

extension HTTP2ServerPool.Outcome {
    fileprivate init(_ result: Result<ServerLink, ExchangeFailure>) { self.result = result }

    fileprivate init(
        _ result: Result<ServerLink, ExchangeFailure>,
        _ outcome: ServerOutcome
    ) {
        self.result = result
        timing = outcome.timing
    }
}
