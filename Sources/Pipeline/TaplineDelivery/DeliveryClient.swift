// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet
internal import TaplineSystem
internal import TaplineTLS

/// Sends requests for a sink, whose thread waits for each response.
///
/// Its connections belong to an event loop on a thread of its own, and are kept alive between
/// requests. Call `close` at the end: the loop holds the client until then.
///
/// **Isolation**: any thread that may be blocked, but not the loop's.
package final class DeliveryClient: Sendable {
    private let settings: DeliverySettings
    private let context: TLSContext
    private let group: EventLoopGroup
    private let worker = Mutex<Box?>(nil)
    private let failure = Mutex<(any Error)?>(nil)
    private let started = ThreadEvent()
    private let ended = ThreadEvent()

    /// A worker, which is used only on its loop's thread.
    private struct Box: @unchecked Sendable { let worker: DeliveryWorker }

    /// Starts the loop; connects to nothing.
    ///
    /// **Throws**: `TLSError` or `NetError` if the system lacks descriptors, memory or threads, or
    /// if a file of the TLS options cannot be used.
    package init(_ settings: DeliverySettings) throws {
        self.settings = settings
        context = try TLSContext(client: settings.tls)
        group = try EventLoopGroup(threads: 1)
        group.start { [self] loop, _ in
            begin(on: loop)
        } then: { [self] result in
            if case .failure(let error) = result { failure.withLock { $0 = error } }
            started.signal()
            ended.signal()
        }
        started.wait()
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private func begin(on loop: EventLoop) {
        let worker = DeliveryWorker(loop, settings, context)
        self.worker.withLock { $0 = Box(worker: worker) }
        loop.beforeStop { worker.stop() }
        loop.atEnd { [self] in
            self.worker.withLock { $0 = nil }
            worker.end()
        }
        started.signal()
    }

    /// Sends a request and waits for the response, whatever its status.
    ///
    /// **Throws**: `DeliveryError` if there is no response within the time limit.
    package func send(_ request: DeliveryRequest) throws(DeliveryError) -> DeliveryResponse {
        let answer = Answer()
        let isAccepted = group.loops.first?.execute { [self] in
            guard let worker = worker.withLock({ $0 })?.worker else {
                return answer.set(.failure(.closed))
            }
            worker.send(request) { answer.set($0) }
        }
        guard isAccepted == true else { throw DeliveryError.closed }
        return try answer.wait().get()
    }

    /// Closes the connections and ends the loop; a request under way fails.
    package func close() {
        group.stop()
        ended.wait()
    }
}

/// The result that a thread waits for.
private final class Answer: Sendable {
    private let result = Mutex<DeliveryExchange.Result?>(nil)
    private let event = ThreadEvent()

    func set(_ result: DeliveryExchange.Result) {
        self.result.withLock { $0 = result }
        event.signal()
    }

    func wait() -> DeliveryExchange.Result {
        event.wait()
        return result.withLock { $0 } ?? .failure(.closed)
    }
}

/// The connections of a client on its loop.
///
/// **Isolation**: the loop's thread.
private final class DeliveryWorker {
    private let loop: EventLoop
    private let settings: DeliverySettings
    private let servers: ServerPool
    private var exchanges: [ObjectIdentifier: DeliveryExchange] = [:]

    init(_ loop: EventLoop, _ settings: DeliverySettings, _ context: TLSContext) {
        self.loop = loop
        self.settings = settings
        var options = ConnectorOptions()
        options.connectTimeout = settings.timeout
        var legs = ServerSettings()
        legs.timeLimit = settings.timeout
        legs.parent = settings.parent
        servers = ServerPool(
            ServerConnector(Connector(on: loop, options), context, legs),
            limit: 8,
            maxAge: settings.keepAlive,
            on: loop
        )
    }

    func send(_ request: DeliveryRequest, _ done: @escaping (DeliveryExchange.Result) -> Void) {
        guard !loop.isStopped else { return done(.failure(.closed)) }
        var key: ObjectIdentifier?
        let exchange = DeliveryExchange(request, settings, servers) { [unowned self] result in
            if let key { exchanges[key] = nil }
            done(result)
        }
        let id = ObjectIdentifier(exchange)
        key = id
        exchanges[id] = exchange
        exchange.begin(on: loop)
    }

    /// Ends the requests under way, since the loop stops.
    func stop() {
        for exchange in Array(exchanges.values) { exchange.stop(.closed) }
        servers.closeAll()
    }

    /// Releases the timers after the loop has ended.
    func end() { servers.end() }
}
