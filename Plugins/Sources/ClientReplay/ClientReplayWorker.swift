// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineSystem
internal import TaplineTLS
internal import TaplineUpstream

/// Sends requests on one event loop: carries out what the pacer decides.
///
/// **Isolation**: the loop's thread.
final class ClientReplayWorker {
    /// The time between two wakes of the timer, in microseconds: at high rates, each wake sends
    /// several requests, since a wake costs more than a request.
    private static let granule: Int64 = 250
    /// The largest buffer for the bytes of a request that is kept for the next one.
    private static let maxOutput = 64 << 10
    /// How long an idle connection is kept.
    private static let maxIdle = Microseconds(55_000_000)
    /// The time between two notes of the counts, in microseconds.
    private static let noteInterval: Int64 = 20_000

    let loop: EventLoop
    let settings: ClientReplaySettings
    let lane: any Lane
    /// Connections that carry one exchange at a time.
    let servers: ServerPool
    /// Connections of HTTP/2.
    let streams: HTTP2ServerPool
    let ids: ReplayIDs
    let captureMaxBytes: Int
    private let figures: ReplayFigures
    private let queue: RequestQueue
    let sessions: SessionRun
    private let records: RecordBatches
    private var pacer: ReplayPacerStateMachine
    private var timer: PreciseTimer?
    private var inFlight: [ObjectIdentifier: ReplayExchange] = [:]
    private var beginning: Beginning
    /// Whether `advance` runs, which exchanges that end at once would call again.
    private var isAdvancing = false
    private(set) var isStopping = false
    /// An empty buffer, in which the next request is written.
    private var output: [UInt8] = []
    private var lastSent: Int64 = 0
    /// When the timer last fired.
    private var lastWake: Int64 = 0
    /// When the counts were noted last.
    private var lastNote: Int64 = 0
    /// The wall clock minus the loop's clock, so that all times of a run fit together.
    private let wallOffset: Int64
    private let finished: () -> Void

    /// When this worker begins to send.
    private enum Beginning {
        /// As soon as the first request can be sent.
        case alone
        /// When the other sources can send, too, which is asked for with the first request.
        case together(arrive: () -> Void)
        /// When the other sources can send.
        case waiting
    }

    /// - Parameters:
    ///   - loop: The loop.
    ///   - settings: The options.
    ///   - intake: The pipeline.
    ///   - buffer: The requests that were read.
    ///   - tokens: The tokens that were found.
    ///   - figures: Counts what happens.
    ///   - arrive: Called when the first request can be sent, which then waits for `begin`; `nil` to
    ///     wait for nothing.
    ///   - finished: Called once all requests have ended.
    /// - Throws: If the lane or the TLS context cannot be made.
    init(
        _ loop: EventLoop,
        _ settings: ClientReplaySettings,
        _ intake: any Intake,
        _ buffer: RequestBuffer,
        _ tokens: FoundTokens,
        _ figures: ReplayFigures,
        arrive: (() -> Void)?,
        finished: @escaping () -> Void
    ) throws {
        self.loop = loop
        self.settings = settings
        self.figures = figures
        self.finished = finished
        captureMaxBytes = intake.captureMaxBytes
        beginning = arrive.map { .together(arrive: $0) } ?? .alone
        lane = try intake.makeLane()
        ids = ReplayIDs(source: intake.id)
        sessions = SessionRun(settings.sessions, tokens)
        queue = RequestQueue(buffer, sessions)
        pacer = ReplayPacerStateMachine(
            settings.schedule,
            settings.concurrency,
            limit: settings.limit
        )
        wallOffset = WallClock.microseconds &- EventLoop.clockNow()
        var stopped: () -> Void = {}
        records = RecordBatches(loop, lane) { stopped() }
        let connector = try Self.connector(loop, settings)
        servers = ServerPool(
            connector,
            limit: settings.concurrency.limit,
            maxAge: Self.maxIdle,
            on: loop
        )
        streams = HTTP2ServerPool(
            connector,
            HTTP2Rules(),
            HTTP2ServerTimeouts(
                keepAlive: Self.maxIdle,
                connect: settings.timeout,
                idle: settings.timeout
            ),
            on: loop
        )
        timer = PreciseTimer(on: loop) { [unowned self] in
            lastWake = EventLoop.clockNow()
            advance()
        }
        stopped = { [unowned self] in stop() }
    }

    private static func connector(
        _ loop: EventLoop,
        _ settings: ClientReplaySettings
    ) throws -> ServerConnector {
        var options = ConnectorOptions()
        options.connectTimeout = settings.timeout
        var legs = ServerSettings()
        legs.timeLimit = settings.timeout
        legs.parent = settings.parent
        let ports = settings.protectedPorts
        // An inspector may have begun to listen during the run.
        let check: Connector.AddressCheck = { address in
            address.ip.isOfThisMachine && ports.contains(address.port) ? .replayToInspector : nil
        }
        return ServerConnector(
            Connector(on: loop, options, check: check),
            try TLSContext(client: settings.tls),
            legs,
            checkingConfigured: check
        )
    }

    /// Returns the time of day of a time of the loop's clock.
    func timestamp(_ time: Int64) -> Timestamp { Timestamp(microseconds: time &+ wallOffset) }

    /// Takes the buffer in which a request is written.
    func takeOutput() -> [UInt8] { Swift.exchange(&output, with: []) }

    /// Keeps the buffer for the next request, without its bytes.
    func give(_ buffer: consuming [UInt8]) {
        guard buffer.capacity <= Self.maxOutput else { return }
        buffer.removeAll(keepingCapacity: true)
        output = buffer
    }

    // MARK: Sending

    /// Sends all requests whose time has come.
    func advance() {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        guard mayBegin else { return }
        while true {
            let now = EventLoop.clockNow()
            switch pacer.next(now: now, queue.next) {
            case .send(let due):
                guard let request = queue.take() else { continue }
                send(request, due: due, now: now)
            case .skip: if let request = queue.take() { queue.skipped(request, now: now) }
            case .arm(let time):
                timer?.arm(at: max(time, lastWake + Self.granule))
                return note(now)
            case .wait: return note(now)
            case .finish:
                lastNote = 0
                note(now)
                return end()
            }
        }
    }

    /// Whether requests may be sent; if the other sources have to be waited for, `advance` is called
    /// again.
    private var mayBegin: Bool {
        guard !isStopping else { return true }
        switch beginning {
        case .alone: return true
        case .waiting: return false
        case .together(let arrive):
            switch queue.next {
            case .waiting: return false
            case .ended:
                beginning = .alone
                return true
            case .ready:
                beginning = .waiting
                arrive()
                return false
            }
        }
    }

    /// Begins to send, now that the other sources can, too.
    ///
    /// - Parameter time: When the first request is due; `nil` for now.
    func begin(at time: Int64?) {
        beginning = .alone
        if time != nil || settings.delay > 0 {
            pacer.starts(at: (time ?? EventLoop.clockNow()).addingClamped(settings.delay))
        }
        advance()
    }

    private func send(_ request: ReplayRequest, due: Int64, now: Int64) {
        figures.sent(
            to: request.recorded.origin,
            late: now - due,
            bodyBytes: request.recorded.request.body.bytes.count
        )
        lastSent = now
        guard !settings.isDryRun else {
            if let client = request.recorded.client { figures.planned(client) }
            queue.skipped(request, now: now)
            return pacer.ended(now: now, wasSent: true)
        }
        let exchange = ReplayExchange(request, due: due, on: self)
        inFlight[ObjectIdentifier(exchange)] = exchange
        exchange.bind(sessions)
        exchange.begin()
    }

    /// Goes on with the session of an exchange that has opened a WebSocket.
    func opened(_ exchange: ReplayExchange) {
        queue.opened(exchange.planned, with: exchange.held.exchange, now: exchange.times.opened)
        // Later, since the exchange is about to send.
        loop.afterThisEvent { [weak self] in self?.advance() }
    }

    /// Goes on with requests that have waited for tokens of messages.
    func handedOut(_ numbers: [Int]) {
        guard !numbers.isEmpty else { return }
        sessions.handedOut(numbers, now: EventLoop.clockNow())
        // Later, since the caller is about to read or to send.
        loop.afterThisEvent { [weak self] in self?.advance() }
    }

    /// Records an exchange that has ended, and goes on.
    func ended(_ exchange: ReplayExchange, _ ending: SendingStateMachine.Ending, _ now: Int64) {
        inFlight[ObjectIdentifier(exchange)] = nil
        pacer.ended(now: now, wasSent: exchange.machine.wasSent)
        count(exchange, ending)
        if exchange.isPlanned {
            if exchange.times.opened == 0 {
                queue.ended(exchange.planned, with: exchange.held.exchange, now: now)
            } else {
                queue.closed(exchange.planned, now: now)
            }
        }
        let kept =
            exchange.capture.bytes.count + (exchange.conversation?.keptBytes ?? 0)
            + (exchange.grpc?.keptBytes ?? 0)
        exchange.held.take { records.seal($0, $1) }
        if kept > 0 { lane.release(kept) }
        advance()
    }

    private func count(_ exchange: ReplayExchange, _ ending: SendingStateMachine.Ending) {
        if let counts = exchange.conversation?.counts { figures.conversed(counts) }
        guard ending == .completed, let response = exchange.held.exchange.response else {
            return figures.failed(exchange.held.exchange.error?.code ?? "failed")
        }
        // The latency of a WebSocket is that of its opening.
        let end =
            exchange.times.opened > 0
            ? exchange.times.opened
            : exchange.times.begun + (exchange.held.exchange.timing.total?.count ?? 0)
        let sent = exchange.times.sent > 0 ? exchange.times.sent : exchange.times.begun
        figures.completed(
            ReplayResult(
                status: response.status,
                recordedStatus: exchange.planned.recorded.status,
                route: exchange.planned.recorded.route,
                service: max(end - sent, 0),
                response: max(end - exchange.times.due, 0)
            )
        )
    }

    /// Notes the counts for reports, now and then.
    private func note(_ now: Int64) {
        guard let begun = pacer.begun, now - lastNote >= Self.noteInterval else { return }
        lastNote = now
        figures.note(
            pacer.counts,
            sending: lastSent - begun,
            wantedRate: settings.schedule.rate(
                of: pacer.counts.due,
                until: (pacer.lastDue ?? begun) - begun
            )
        )
        figures.note(sessions.counts)
    }

    // MARK: The end

    /// Sends no more requests; those in flight may end.
    func stop() {
        guard !isStopping else { return }
        isStopping = true
        pacer.stop()
        for exchange in Array(inFlight.values) { exchange.conversation?.goAway() }
        // Later, since the lane may be the caller.
        loop.afterThisEvent { [weak self] in self?.advance() }
    }

    /// Ends the exchanges in flight, since the loop is about to close everything.
    func abandon() {
        isStopping = true
        pacer.stop()
        for exchange in Array(inFlight.values) { exchange.stop() }
    }

    private func end() {
        timer?.close()
        servers.closeAll()
        streams.closeAll()
        finished()
    }

    /// Ends the lane after the loop has ended.
    func close() {
        timer = nil
        records.end()
        servers.end()
        streams.end()
        lane.close()
    }
}
