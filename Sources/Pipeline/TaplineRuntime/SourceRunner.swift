// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineSystem

/// The points where the sources of a pipeline can be reached.
final class ListeningPoints: Sendable {
    private let points = Mutex<[(source: ObjectIdentifier, point: ListeningPoint)]>([])

    /// The points of sources that have not ended.
    var all: [ListeningPoint] { points.withLock { $0.map(\.point) } }

    func add(_ point: ListeningPoint, of source: SourceRunner) {
        points.withLock { $0.append((ObjectIdentifier(source), point)) }
    }

    func remove(of source: SourceRunner) {
        let source = ObjectIdentifier(source)
        points.withLock { $0.removeAll { $0.source == source } }
    }
}

/// What the sources of a pipeline share.
struct SourceServices: Sendable {
    let log: Log
    let ledger: FlowLedger
    let points: ListeningPoints
    let senders: PipelineSenders
    let sockets: ListeningSockets
    let progress: StartProgress
    let listening: @Sendable (String, ListeningPoint) -> Void
}

/// One source of a running pipeline: runs it and creates its lanes, over all generations that have
/// it.
final class SourceRunner: SenderIntake, ReplayIntake, ListeningIntake {
    private struct State {
        var generation: Generation
        var slots: [LaneSlot] = []
        var laneCount = 0
        var counters = SourceCounters()
        var done: Int64 = 0
        var whole: Int64?
        var reporter: (any ReplayReporter)?
        var activity = (state: ComponentState.starting, since: Timestamp?.none)
        var task: Task<Void, Never>?
        var isCancelled = false
        /// Whether a reload waits until clients can reach the source.
        var isOpening = false
        /// Why clients cannot reach it.
        var openingError: String?
        var hasSuccessor = false
    }

    let id: String
    let log: Log
    let source: Topology.Source
    let replayStart: ReplayStart
    /// Signalled once the source can be reached, or has ended.
    let started = OneShotEvent()
    private let services: SourceServices
    private let fanOut: FanOut
    private let state: Mutex<State>
    private let ended = Atomic<Bool>(false)

    init(
        _ source: Topology.Source,
        in generation: Generation,
        _ services: SourceServices,
        replayStart: ReplayStart
    ) {
        id = source.id
        self.source = source
        self.services = services
        self.replayStart = replayStart
        log = services.log.of(source.id)
        fanOut = FanOut(isLive: source.isLive)
        state = Mutex(State(generation: generation))
    }

    /// The generation whose stages new exchanges of the source pass.
    var generation: Generation { state.withLock { $0.generation } }

    /// Whether the source has returned.
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Whether clients connect to it.
    var isListening: Bool { source.source is any ListeningSource }

    /// The exclusive resources of the source.
    var claims: Set<ResourceClaim> { Set(source.source.claims) }

    /// Whether another source listens in its place, so that its connections may end one by one.
    var hasSuccessor: Bool { state.withLock { $0.hasSuccessor } }
}

// MARK: - Running

extension SourceRunner {
    /// Starts the source.
    ///
    /// - Parameters:
    ///   - executor: Where it runs; the common pool if `nil`.
    ///   - predecessor: A source that has to end first, since both need the same resource.
    ///   - isOpening: Whether an error before clients can reach the source is only kept.
    ///   - failed: Called with the error of the source.
    func start(
        on executor: (any TaskExecutor)?,
        after predecessor: SourceRunner? = nil,
        isOpening: Bool = false,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        state.withLock { state in
            state.isOpening = isOpening
            state.task = Task(executorPreference: executor) { [self] in
                await predecessor?.wait()
                do {
                    // A source that waited for another one may have been stopped meanwhile.
                    if predecessor == nil || !Task.isCancelled {
                        try await run()
                        services.progress.isUp(id)
                    }
                } catch is CancellationError {
                    // The source was stopped.
                } catch {
                    if !keep(error) { failed(error) }
                }
                services.ledger.add(takeCounters(), of: id)
                ended.store(true, ordering: .releasing)
                started.signal()
            }
            if state.isCancelled { state.task?.cancel() }
        }
    }

    private func takeCounters() -> SourceCounters { state.withLock { $0.counters.take() } }

    /// Keeps the error of a source that is opening; returns `false` for another one.
    private func keep(_ error: any Error) -> Bool {
        state.withLock { state in
            if state.isOpening { state.openingError = "\(error)" }
            return state.isOpening
        }
    }

    /// Waits until clients can reach the source.
    ///
    /// - Returns: Why they cannot; `nil` if they can.
    func waitUntilOpen() async -> String? {
        await started.wait()
        return state.withLock { state in
            defer { state.isOpening = false }
            return state.isOpening ? state.openingError ?? "it has ended" : nil
        }
    }

    private func run() async throws {
        defer {
            services.senders.remove(of: self)
            services.points.remove(of: self)
            services.sockets.remove(of: self)
            replayStart.leave(id)
        }
        if !source.listens { note(.running) }
        do {
            try await source.source.run(self)
            note(.ended)
        } catch {
            note(error is CancellationError ? .ended : .failed)
            throw error
        }
    }

    private func note(_ activity: ComponentState) {
        let now = generation.shared.now()
        state.withLock { $0.activity = (activity, now) }
    }

    /// What the source is doing, since when, and how long it has been waiting for sinks.
    var activity: (state: ComponentState, since: Timestamp?, waiting: Int64?) {
        let (activity, since) = state.withLock { $0.activity }
        return (activity, since, fanOut.wait.since)
    }

    /// Stops the source; exchanges in progress end.
    func cancel(hasSuccessor: Bool = false) {
        let task = state.withLock { state in
            state.isCancelled = true
            if hasSuccessor { state.hasSuccessor = true }
            return state.task
        }
        // Clients are refused from now on, unless a successor has the sockets.
        services.sockets.remove(of: self)
        task?.cancel()
    }

    /// Waits until the source has returned.
    func wait() async {
        await state.withLock { $0.task }?.value
    }
}

// MARK: - Generations

extension SourceRunner {
    /// Lanes for a generation, made before it applies.
    struct Preparation {
        fileprivate let lanes: [(slot: LaneSlot, prepared: LaneSlot.Prepared, board: LaneCounters)]

        /// Ends the lanes, which are not used.
        func discard() { for lane in lanes { lane.prepared.lane.close() } }
    }

    /// Creates and starts the changed stages of a generation for all lanes of the source.
    func prepare(_ generation: Generation) throws -> Preparation {
        let slots = state.withLock { state in
            state.slots.removeAll(where: \.isClosed)
            return state.slots
        }
        var preparation = Preparation(lanes: [])
        do {
            for slot in slots { try prepare(slot, generation, &preparation) }
        } catch {
            preparation.discard()
            throw error
        }
        return preparation
    }

    private func prepare(
        _ slot: LaneSlot,
        _ generation: Generation,
        _ preparation: inout Preparation
    ) throws {
        let board = LaneCounters()
        let prepared = try slot.prepare { former in
            try generation.makeLane(of: source, slot.number, fanOut, board, reusing: former)
        }
        preparation = Preparation(lanes: preparation.lanes + [(slot, prepared, board)])
    }

    /// Gives new exchanges the stages of a generation.
    func adopt(_ generation: Generation, _ preparation: Preparation) {
        let slots = state.withLock { state in
            state.generation = generation
            return state.slots
        }
        for lane in preparation.lanes {
            services.ledger.add(lane.board, of: id, in: generation)
            lane.slot.offer(lane.prepared)
        }
        // Lanes that the source has made since the preparation.
        for slot in slots where !preparation.lanes.contains(where: { $0.slot === slot }) {
            offer(generation, to: slot)
        }
    }

    private func offer(_ generation: Generation, to slot: LaneSlot) {
        var preparation = Preparation(lanes: [])
        do {
            try prepare(slot, generation, &preparation)
            for lane in preparation.lanes {
                services.ledger.add(lane.board, of: id, in: generation)
                lane.slot.offer(lane.prepared)
            }
        } catch {
            log.error("a lane keeps the stages that it has: \(error)")
        }
    }

    func makeLane() throws -> any Lane {
        let (generation, number) = state.withLock { state in
            defer { state.laneCount += 1 }
            return (state.generation, state.laneCount)
        }
        let board = LaneCounters()
        let lane = try generation.makeLane(of: source, number, fanOut, board)
        services.ledger.add(board, of: id, in: generation)
        let slot = LaneSlot(number: number, lane)
        let newer = state.withLock { state in
            state.slots.append(slot)
            return state.generation.number == generation.number ? nil : state.generation
        }
        if let newer { offer(newer, to: slot) }
        return SourceLane(lane, slot, fanOut)
    }
}

// MARK: - The intake

extension SourceRunner {
    var captureMaxBytes: Int { source.captureMaxBytes }

    /// Three quarters of `drain_timeout`, so that a stop takes at most this plus the time that
    /// sinks have after the last exchange.
    var drainTimeout: Microseconds {
        Microseconds(generation.topology.drainTimeout.count / 4 * 3)
    }

    func sockets(at address: String) -> [ListeningSocket] {
        services.sockets.take(place(address), by: self)
    }

    /// The name of an address in the registry; port 0 is a port of its own for each source.
    private func place(_ address: String) -> String {
        address.hasSuffix(":0") ? "\(id) \(address)" : address
    }

    func keep(_ descriptors: [Int32], at address: String) {
        services.sockets.add(descriptors, for: place(address), owner: self)
        // A source that was stopped meanwhile keeps none.
        if state.withLock({ $0.isCancelled }) { services.sockets.remove(of: self) }
    }

    func listens(at point: ListeningPoint) {
        services.points.add(point, of: self)
        note(.running)
        services.listening(id, point)
        services.progress.isUp(id)
        state.withLock { $0.isOpening = false }
        started.signal()
    }

    var listeningPoints: [ListeningPoint] { services.points.all }

    func sends(through sender: any RequestSender) { services.senders.add(sender, of: self) }

    func reports(through reporter: any ReplayReporter) {
        state.withLock { $0.reporter = reporter }
    }

    /// The figures of a source that sends recorded requests; `nil` for another source.
    var replay: ReplayReport? { state.withLock { $0.reporter }?.report }

    func progress(done: Int64, of whole: Int64?) {
        state.withLock {
            $0.done = done
            $0.whole = whole
        }
    }

    func rejected(_ count: Int) {
        state.withLock { $0.counters.rejected += count }
    }

    func dropped(_ count: Int) {
        state.withLock {
            $0.counters.received += count
            $0.counters.dropped += count
        }
    }

    /// The progress of the source, if it reports any.
    var progress: (done: Int64, whole: Int64?) {
        state.withLock { ($0.done, $0.whole) }
    }

    /// What the source counts outside its lanes; nothing once it has ended.
    var ownCounters: SourceCounters { state.withLock { $0.counters } }
}

extension SourceCounters {
    /// Returns the counts, and sets them to zero.
    fileprivate mutating func take() -> SourceCounters {
        defer { self = SourceCounters() }
        return self
    }
}
