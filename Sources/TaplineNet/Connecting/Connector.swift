// SPDX-License-Identifier: MIT

public import TaplineModel

/// What a connector is made with.
public struct ConnectorOptions: Sendable, Hashable {
    /// How long looking up and connecting may take together.
    public var connectTimeout = Microseconds(10_000_000)
    /// How long an address is tried before the next is tried beside it (RFC 8305 §5).
    public var headStart = Microseconds(250_000)
    /// How many names are remembered.
    public var maxNames = 1024
    /// For how long addresses are remembered.
    public var nameLifetime = Microseconds(30_000_000)
    /// For how long it is remembered that a name could not be looked up.
    public var failureLifetime = Microseconds(2_000_000)
    /// What connections are made with.
    public var connection = TCPOptions()
    /// Where names are looked up.
    var resolver = ResolverSettings()

    /// The defaults.
    public init() {}
}

/// What became of an attempt to connect.
public struct ConnectOutcome {
    /// The connection, which does not read yet, or why there is none.
    public let result: Result<TCPConnection, NetError>
    /// How long looking up took; nothing where there was nothing to look up.
    public let lookup: Microseconds?
    /// How long connecting took; nothing where it did not come to that.
    public let connect: Microseconds?
}

/// Connects to hosts: looks them up, and tries their addresses as RFC 8305 says.
///
/// **Isolation**: the loop's thread.
public final class Connector {
    /// Returns whether an address may be connected to: nothing, or why not.
    public typealias Judge = (SocketAddress) -> NetError?

    let loop: EventLoop
    let options: ConnectorOptions
    let judge: Judge
    let resolver: Resolver

    /// A connector of one loop.
    ///
    /// - Parameters:
    ///   - loop: The loop of its connections.
    ///   - options: How.
    ///   - judge: Asked for each address right before it is connected to, whatever name led there.
    public init(
        on loop: EventLoop,
        _ options: ConnectorOptions = ConnectorOptions(),
        judge: @escaping Judge = { _ in nil }
    ) {
        self.loop = loop
        self.options = options
        self.judge = judge
        resolver = Resolver(on: loop, options)
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - host: A name or an address; IPv6 with or without brackets.
    ///   - port: The port.
    ///   - judge: Asked instead of the connector's own.
    ///   - done: Called once, unless the attempt is cancelled; never before this returns.
    /// - Returns: The attempt, which goes on whether it is held or not.
    @discardableResult
    public func connect(
        to host: String,
        port: UInt16,
        judge: Judge? = nil,
        _ done: @escaping (ConnectOutcome) -> Void
    ) -> ConnectAttempt {
        loop.assertIsCurrent()
        let isBracketed = host.utf8.first == .ascii("[") && host.utf8.last == .ascii("]")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        let attempt = ConnectAttempt(self, name, port, judge ?? self.judge, done)
        loop.afterThisEvent { attempt.begin() }
        return attempt
    }
}

/// An attempt to connect.
///
/// **Isolation**: the loop's thread.
public final class ConnectAttempt {
    private let connector: Connector
    private let host: String
    private let port: UInt16
    private let judge: Connector.Judge
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
        _ judge: @escaping Connector.Judge,
        _ done: @escaping (ConnectOutcome) -> Void
    ) {
        self.connector = connector
        self.host = host
        self.port = port
        self.judge = judge
        self.done = done
        started = connector.loop.now
    }

    /// Gives up; nobody is told.
    public func cancel() {
        done = nil
        end()
    }

    func begin() {
        guard done != nil else { return }
        // These two hold the attempt until it has ended.
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
                // What fails at once makes way for the next at once.
                guard let error = start(address) else { return }
                step = eyeballs.attemptFailed(error)
            }
        }
    }

    private func start(_ address: SocketAddress) -> NetError? {
        if let refusal = judge(address) { return refusal }
        do {
            let connection = try TCPConnection(on: connector.loop, connector.options.connection)
            trying.append(connection)
            headStart?.arm(after: connector.options.headStart)
            connection.connect(to: address) { error in self.didConnect(connection, error) }
            return nil
        } catch {
            return error
        }
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
