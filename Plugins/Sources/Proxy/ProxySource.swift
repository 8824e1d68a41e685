// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineConnections
internal import Synchronization
internal import TaplineCrypto
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineTLS

/// A configured proxy: event loops that share its listeners, each with its own lane.
struct ProxySource: ListeningSource, ConfiguredByFiles {
    let settings: ProxySettings
    var claims: [ResourceClaim] {
        let ports = settings.listeners.map(\.address).filter { $0.port != 0 }
        let readsInput = settings.answers?.paths.contains("-") ?? false
        return ports.map { .port("\($0)") } + (readsInput ? [.standardInput] : [])
    }

    var configurationFiles: [String] { settings.servers.files }

    var metrics: [Metric] {
        let hasNamespace = settings.listeners.contains { $0.namespace != nil }
        return (settings.answers?.journal.metrics ?? [])
            + (hasNamespace ? settings.refusedHTTP3.metrics : [])
    }

    /// The options of the loops: recorded spacing needs timers of one millisecond.
    private var loopOptions: EventLoopOptions {
        var options = EventLoopOptions()
        if settings.answers?.latency ?? 0 > 0 { options.timerGranule = Microseconds(1000) }
        return options
    }

    func run(_ intake: any Intake) async throws {
        let answers = try await readAnswers(intake.log)
        defer { answers?.stop() }
        let group = try EventLoopGroup(threads: settings.threads, loopOptions)
        let run = try ProxyRun(settings, answers, intake, group)
        // Before clients know the address, so that what is reachable can also send.
        intake.offer(run)
        intake.listens(at: run.point)
        try await withTaskCancellationHandler {
            try await run.serve()
        } onCancel: {
            run.drain()
        }
    }
}

extension ProxySource: AnsweringSource {
    func report(limit: Int) -> AnswerReport? { settings.answers?.journal.report(limit: limit) }

    /// Reads the recordings, without blocking a thread of the caller's pool.
    private func readAnswers(_ log: Log) async throws -> AnswerSource? {
        guard let answers = settings.answers else { return nil }
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "tapline.answers").async {
                continuation.resume(with: Result { try AnswerSource(answers, log) })
            }
        }
    }
}

/// The loops of one run.
private final class ProxyRun: Sendable {
    private let settings: ProxySettings
    private let answers: AnswerSource?
    private let intake: any Intake
    private let group: EventLoopGroup
    private let addresses: [(listener: ProxyListener, bound: BoundAddress)]
    private let namespace: ProxyNamespace?
    private let distrust: RejectedCertificateCache?
    private let via: ByteString?
    private let servers: TLSContext
    private let interception: Interception?
    private let count: ConnectionCount<ClientCaptureBudget>
    private let shortage: DescriptorShortage
    private let peers: AllowedUsersCheck?
    private let workers = Mutex<[Int: Box]>([:])
    private let slots = SendSlots()
    /// The number of requests sent so far, which are spread over the loops.
    private let sentCount = Atomic<UInt>(0)

    /// A worker, used only on its loop's thread.
    private struct Box: @unchecked Sendable { let worker: ProxyWorker }

    init(
        _ settings: ProxySettings,
        _ answers: AnswerSource?,
        _ intake: any Intake,
        _ group: EventLoopGroup
    ) throws {
        self.settings = settings
        self.answers = answers
        self.intake = intake
        self.group = group
        servers = try TLSContext(client: settings.servers)
        interception = try settings.interception.flatMap { rules in
            var rules = rules
            rules.http2Hosts = settings.http2.hosts
            return try settings.authority.map { try Interception(rules, $0) }
        }
        let inside = settings.listeners.first { $0.namespace != nil }
        namespace = try inside?.namespace.map {
            try ProxyNamespace($0, loops: group.loops.count, intake)
        }
        distrust = settings.passesUntrusted ? RejectedCertificateCache() : nil
        var addresses: [(ProxyListener, BoundAddress)] = []
        for listener in settings.listeners where listener.namespace == nil {
            addresses.append((listener, try Self.listen(listener, group.loops.count, intake)))
        }
        if let inside, let namespace { addresses += namespace.addresses.map { (inside, $0) } }
        self.addresses = addresses
        count = ConnectionCount(
            limit: settings.maxConnections,
            clientLimit: settings.maxConnectionsPerClient
        ) { ClientCaptureBudget(limit: settings.maxCapturedPerClient) }
        shortage = DescriptorShortage { [log = intake.log] limit in
            log.warning(
                "all \(limit) file descriptors are in use, so clients are turned away; each client "
                    + "uses one, and its server another: raise the limit ('ulimit -n') or lower "
                    + "'max_connections'"
            )
        }
        peers = AllowedUsersCheck(settings.access.allowedUsers, log: intake.log)
        var random = SystemRandomNumberGenerator()
        let token = String(random.next() as UInt32, radix: 36)
        via = settings.addsVia ? ByteString("tapline-\(token)") : nil
    }

    /// Listens at an address, or takes over the sockets of a source that listens there.
    private static func listen(
        _ listener: ProxyListener,
        _ count: Int,
        _ intake: any Intake
    ) throws -> BoundAddress {
        let address = listener.address
        if case .transparent(isTproxy: true) = listener.mode {
            return try BoundAddress(address, count: count, isTransparent: true)
        }
        guard let intake = intake as? any ListeningIntake else {
            return try BoundAddress(address, count: count)
        }
        let name = address.description
        let sockets = intake.sockets(at: name)
        let bound =
            sockets.isEmpty
            ? try BoundAddress(address, count: count)
            : try BoundAddress(duplicating: sockets.map(\.descriptor), atLeast: count)
        intake.keep(bound.duplicates(), at: name)
        return bound
    }

    /// The addresses of this machine that it listens on, with the real ports.
    var listeners: [SocketAddress] {
        let outside = addresses.filter { $0.listener.namespace == nil }
        // Those of a proxy first, since programs use the first one.
        let ordered =
            outside.filter { !$0.listener.isRedirecting }
            + outside.filter(\.listener.isRedirecting)
        return ordered.map(\.bound.address)
    }

    /// The address that clients connect to.
    var point: ListeningPoint {
        ListeningPoint(
            addresses: listeners.map(\.description),
            authorityFolder: interception?.authority.store?.folder,
            userInfo: settings.access.credentials?.userInfo
        )
    }

    /// Runs the loops until all of them have ended, without blocking a thread of the caller's pool.
    func serve() async throws {
        for address in listeners { intake.log.info("listening on \(address)") }
        if let path = interception?.authority.store?.certificatePath {
            intake.log.info("clients have to trust the certificate in '\(path)'")
        }
        try await group.serve { [self] loop, number in try begin(number, on: loop) }
    }

    private func begin(_ number: Int, on loop: EventLoop) throws {
        let sockets = namespace?.sockets(on: loop)
        let worker = try ProxyWorker(
            loop,
            settings,
            intake,
            via: via,
            own: OwnListeners(listeners, intake),
            servers: servers,
            interception: interception,
            count: count,
            peers: peers,
            answers: answers,
            namespace: sockets,
            distrust: distrust
        ) { [self] in drain() }
        workers.withLock { $0[number] = Box(worker: worker) }
        let inside = try sockets.flatMap {
            try namespace?.begin(worker, $0, isFirst: number == 0)
        }
        loop.beforeStop {
            worker.stop()
            inside?.stop()
        }
        loop.atEnd { [self] in
            workers.withLock { _ = $0.removeValue(forKey: number) }
            worker.end()
        }
        loop.descriptorsEnded = { [shortage] in shortage.note(limit: $0) }
        for (listener, address) in addresses {
            // There may be more sockets than loops, if another source had more loops.
            for _ in 0..<address.share(of: number, among: group.loops.count) {
                _ = try Listener(address, on: loop) { socket in
                    if listener.isRedirecting {
                        worker.clients.accept(redirected: socket, for: worker, inside)
                    } else {
                        worker.clients.accept(socket, for: worker)
                    }
                }
            }
        }
    }

    /// Stops listening, and lets the exchanges in progress finish.
    ///
    /// If another source has taken over the sockets, idle connections get one more exchange.
    func drain() {
        let draining = ProxyDraining(
            grace: min(settings.timeouts.firstRequest, intake.drainTimeout),
            closesIdle: (intake as? any ListeningIntake)?.hasSuccessor != true
        )
        for (number, loop) in group.loops.enumerated() {
            loop.execute { [self] in
                workers.withLock { $0[number] }?.worker.drain(draining)
            }
        }
        group.drain(within: intake.drainTimeout)
    }
}

extension ProxyRun: RequestSender {
    func canReach(_ request: Request) -> Bool {
        guard let upstream = settings.upstream else { return true }
        return Origin(request)?.isServer(of: upstream) == true
    }

    func send(
        _ request: Request,
        replaying original: ExchangeID?,
        answered: @escaping @Sendable (Result<ExchangeID, ControlError>) -> Void
    ) {
        guard !request.method.span.equals("CONNECT") else {
            return answered(.failure(ControlError("CONNECT opens a tunnel, which cannot be sent")))
        }
        guard let slot = slots.take() else {
            let reason = "\(SendSlots.limit) requests are being sent already"
            return answered(.failure(ControlError(reason)))
        }
        let sent = SentRequest(request, replaying: original, slot, answer: answered)
        let count = sentCount.wrappingAdd(1, ordering: .relaxed).oldValue
        let number = Int(count % UInt(group.loops.count))
        group.loops[number].execute { [self] in
            // Released without an exchange, the request answers that the proxy has ended.
            workers.withLock { $0[number] }?.worker.send(sent)
        }
    }
}

extension ProxyRun: ThreadProbe {
    func probe(_ answered: @escaping @Sendable () -> Void) {
        let missing = LoopCount(group.loops.count)
        for loop in group.loops {
            loop.execute { if missing.countDown() { answered() } }
        }
    }
}

/// The number of loops that have not answered.
private final class LoopCount: Sendable {
    private let count: Mutex<Int>

    init(_ count: Int) { self.count = Mutex(count) }

    /// Notes an answer; returns whether it was the last one.
    func countDown() -> Bool {
        count.withLock { count in
            count -= 1
            return count == 0
        }
    }
}
