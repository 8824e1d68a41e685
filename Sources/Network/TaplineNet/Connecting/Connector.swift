// SPDX-License-Identifier: MIT

package import TaplineModel

/// The options of a connector.
package struct ConnectorOptions: Sendable, Hashable {
    /// The time limit for resolving and connecting together.
    package var connectTimeout = Microseconds(10_000_000)
    /// How long an address is tried before the next one is tried in parallel (RFC 8305 §5).
    package var headStart = Microseconds(250_000)
    /// The number of names in the cache.
    package var maxNames = 1024
    /// How long addresses are cached.
    package var nameLifetime = Microseconds(30_000_000)
    /// How long a failed lookup is cached.
    package var failureLifetime = Microseconds(2_000_000)
    /// The options of the connections.
    package var connection = TCPOptions()
    /// The settings of the resolver.
    var resolver = ResolverSettings()

    /// The defaults.
    package init() {}
}

/// The result of an attempt to connect.
package struct ConnectOutcome {
    /// The connection, which does not read yet, or the error.
    package let result: Result<TCPConnection, NetError>
    /// How long the lookup took; `nil` if none was needed.
    package let lookup: Microseconds?
    /// How long connecting took; `nil` if it was not reached.
    package let connect: Microseconds?
}

/// Connects to hosts: resolves them, and tries their addresses as RFC 8305 specifies.
///
/// **Isolation**: the loop's thread.
package final class Connector {
    /// Returns why an address may not be connected to; `nil` if it may.
    package typealias AddressCheck = (SocketAddress) -> NetError?
    let loop: EventLoop
    let options: ConnectorOptions
    let check: AddressCheck
    let resolver: Resolver
    /// Where the sockets for some addresses come from; `nil` if all are opened here.
    package var sockets: (any SocketOpener)?

    /// Makes a connector for one loop.
    ///
    /// - Parameters:
    ///   - loop: The loop of its connections.
    ///   - options: The options.
    ///   - check: Called for each address right before the connection, whatever name resolved to
    ///     it.
    package init(
        on loop: EventLoop,
        _ options: ConnectorOptions = ConnectorOptions(),
        check: @escaping AddressCheck = { _ in nil }
    ) {
        self.loop = loop
        self.options = options
        self.check = check
        resolver = Resolver(on: loop, options)
    }

    /// Connects to a host.
    ///
    /// - Parameters:
    ///   - host: A name or an address; IPv6 with or without brackets.
    ///   - port: The port.
    ///   - check: Called instead of the connector's own, for a host that no client has chosen; its
    ///     sockets are opened here, whatever `sockets` covers.
    ///   - done: Called once, unless the attempt is cancelled; never before this method returns.
    /// - Returns: The attempt, which continues even if it is not held.
    @discardableResult
    package func connect(
        to host: String,
        port: UInt16,
        check: AddressCheck? = nil,
        _ done: @escaping (ConnectOutcome) -> Void
    ) -> ConnectAttempt {
        loop.assertIsCurrent()
        let isBracketed = host.utf8.first == .ascii("[") && host.utf8.last == .ascii("]")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        let sockets = check == nil ? sockets : nil
        let attempt = ConnectAttempt(self, name, port, check ?? self.check, sockets, done)
        loop.afterThisEvent { attempt.begin() }
        return attempt
    }
}

/// An attempt to connect.
///
/// **Isolation**: the loop's thread.
package final class ConnectAttempt {
    private let connector: Connector
    private let host: String
    private let port: UInt16
    private let check: Connector.AddressCheck
    private let sockets: (any SocketOpener)?
    private var done: ((ConnectOutcome) -> Void)?
    private var eyeballs = HappyEyeballs([])
    private var trying: [TCPConnection] = []
    private let started: Int64
    private var lookedUp: Int64?
    private var waiter: NameWaiter?
    private var isLiteral = false
    private var limit: LoopTimer?
    private var headStart: LoopTimer?

    init(
        _ connector: Connector,
        _ host: String,
        _ port: UInt16,
        _ check: @escaping Connector.AddressCheck,
        _ sockets: (any SocketOpener)?,
        _ done: @escaping (ConnectOutcome) -> Void
    ) {
        self.connector = connector
        self.host = host
        self.port = port
        self.check = check
        self.sockets = sockets
        self.done = done
        started = connector.loop.now
    }

    /// Cancels the attempt.
    ///
    /// `done` is not called.
    package func cancel() {
        done = nil
        end()
    }

    func begin() {
        guard done != nil else { return }
        // Both keep the attempt alive until it has ended.
        let limit = LoopTimer(on: connector.loop) { self.didTimeOut() }
        limit.arm(after: connector.options.connectTimeout)
        self.limit = limit
        isLiteral = IPAddress(host) != nil
        waiter = connector.resolver.lookUp(host) { self.didLookUp($0) }
    }

    private func didLookUp(_ answer: NameCache.Answer) {
        waiter = nil
        guard done != nil else { return }
        lookedUp = connector.loop.now
        switch answer {
        case .failure(let error): finish(.failure(error))
        case .success(let addresses):
            headStart = LoopTimer(on: connector.loop) { self.take(self.eyeballs.headStartEnded()) }
            eyeballs = HappyEyeballs(
                addresses.map { SocketAddress($0.ip, port: port, scope: $0.scope) }
            )
            take(eyeballs.begin(otherwise: NetError(.dns, "'\(host)' has no address")))
        }
    }

    private func take(_ first: HappyEyeballs.Step) {
        var step = first
        while done != nil {
            switch step {
            case .wait: return
            case .fail(let error): return finish(.failure(error))
            case .start(let address):
                // If an address fails at once, the next one is tried at once.
                guard let error = start(address) else { return }
                step = eyeballs.attemptFailed(error)
            }
        }
    }

    private func start(_ address: SocketAddress) -> NetError? {
        if let refusal = check(address) { return refusal }
        guard let sockets, sockets.covers(address) else { return connect(to: address) }
        tryPlaces(ConnectCandidates(for: address, alternative(to: address, sockets)), sockets)
        return nil
    }

    /// Returns the alternative to an address, if the client has named that address: its connection
    /// was accepted already, so it does not try another one itself.
    private func alternative(
        to address: SocketAddress,
        _ sockets: any SocketOpener
    ) -> SocketAddress? {
        guard address.ip == IPAddress(host), let other = sockets.alternative(to: address),
            check(other) == nil
        else { return nil }
        return other
    }

    /// Connects to an address.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - socket: The socket for it, which is closed on failure; `nil` for one that is opened here.
    ///   - ended: Called instead of `didConnect`.
    /// - Returns: Why the attempt has failed at once.
    private func connect(
        to address: SocketAddress,
        over socket: Int32? = nil,
        _ ended: ((TCPConnection, NetError?) -> Void)? = nil
    ) -> NetError? {
        let ended = ended ?? { self.didConnect($0, $1) }
        do throws(NetError) {
            let connection = try TCPConnection(
                on: connector.loop,
                connector.options.connection,
                adopting: socket
            )
            trying.append(connection)
            headStart?.arm(after: connector.options.headStart)
            connection.connect(to: address) { error in ended(connection, error) }
            return nil
        } catch {
            return error
        }
    }

    /// Connects to the next place for an address that a source covers, or fails if there is none.
    private func tryPlaces(_ places: ConnectCandidates, _ sockets: any SocketOpener) {
        guard done != nil else { return }
        var places = places
        switch places.next() {
        case .source(let address):
            headStart?.arm(after: connector.options.headStart)
            sockets.open(for: address) { self.didOpen($0, for: address, places, sockets) }
        case .here(let address):
            if let refusal = sockets.refusal(of: address) {
                places.refused(refusal)
                return tryPlaces(places, sockets)
            }
            connect(to: address, over: nil, then: places, sockets)
        case .fail(let error): take(eyeballs.attemptFailed(error))
        }
    }

    /// Handles the answer of a source of sockets.
    private func didOpen(
        _ result: Result<Int32, NetError>,
        for address: SocketAddress,
        _ places: ConnectCandidates,
        _ sockets: any SocketOpener
    ) {
        switch result {
        case .success(let socket):
            guard done != nil else { return SocketWatch.closeSocket(socket) }
            connect(to: address, over: socket, then: places, sockets)
        case .failure(let error) where error.code == .connectRefused:
            tryPlaces(places, sockets)
        case .failure(let error):
            if done != nil { take(eyeballs.attemptFailed(error)) }
        }
    }

    /// Connects to an address; if that is refused, continues with the other places.
    private func connect(
        to address: SocketAddress,
        over socket: Int32?,
        then places: ConnectCandidates,
        _ sockets: any SocketOpener
    ) {
        let failure = connect(to: address, over: socket) { connection, error in
            guard self.done != nil, let error, error.code == .connectRefused else {
                return self.didConnect(connection, error)
            }
            self.trying.removeAll { $0 === connection }
            var places = places
            if socket == nil { places.refused(error) }
            self.tryPlaces(places, sockets)
        }
        if let failure { take(eyeballs.attemptFailed(failure)) }
    }

    private func didConnect(_ connection: TCPConnection, _ error: NetError?) {
        guard done != nil else { return }
        trying.removeAll { $0 === connection }
        if let error {
            take(eyeballs.attemptFailed(error))
        } else {
            finish(.success(connection))
        }
    }

    private func didTimeOut() {
        let seconds = Double(connector.options.connectTimeout.count) / 1_000_000
        let error =
            lookedUp == nil
            ? NetError(.dns, "cannot look up '\(host)'; no answer within \(seconds) s")
            : NetError(
                .connectTimeout,
                "cannot connect to \(host) port \(port); no answer within \(seconds) s"
            )
        finish(.failure(error))
    }

    private func finish(_ result: Result<TCPConnection, NetError>) {
        guard let done else { return }
        self.done = nil
        let now = connector.loop.now
        let outcome = ConnectOutcome(
            result: result,
            lookup: isLiteral ? nil : Microseconds((lookedUp ?? now) - started),
            connect: lookedUp.map { Microseconds(now - $0) }
        )
        end()
        done(outcome)
    }

    private func end() {
        waiter?.cancel()
        waiter = nil
        limit?.cancel()
        limit = nil
        headStart?.cancel()
        headStart = nil
        let others = trying
        trying = []
        for connection in others { connection.abandon() }
    }
}
