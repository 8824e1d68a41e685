// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineStatistics

/// The points where the sources of a pipeline can be reached.
final class ListeningPoints: Sendable {
    private let points = Mutex<[ListeningPoint]>([])

    /// The points added so far.
    var all: [ListeningPoint] { points.withLock { $0 } }

    func add(_ point: ListeningPoint) { points.withLock { $0.append(point) } }
}

/// One source of a running pipeline: creates its lanes and collects their counters.
final class SourceRunner: SenderIntake, ReplayIntake, ListenerIntake {
    private struct State {
        var boards: [LaneCounters] = []
        var rejected = 0
        var dropped = 0
        var done: Int64 = 0
        var whole: Int64?
        var reporter: (any ReplayReporter)?
        var activity = (state: ComponentState.starting, since: Timestamp?.none)
    }

    let id: String
    let log: Log
    private let source: Topology.Source
    private let topology: Topology
    private let shared: LaneShared
    private let fanOut: FanOut
    private let points: ListeningPoints
    private let senders: PipelineSenders
    let replayStart: ReplayStart
    private let listeners: InheritedListeners
    private let listening: @Sendable (ListeningPoint) -> Void
    private let state = Mutex(State())

    init(
        _ source: Topology.Source,
        in topology: Topology,
        shared: LaneShared,
        sinks: [SinkQueue],
        points: ListeningPoints,
        senders: PipelineSenders,
        replayStart: ReplayStart,
        listeners: InheritedListeners,
        listening: @escaping @Sendable (ListeningPoint) -> Void
    ) {
        id = source.id
        self.source = source
        self.topology = topology
        self.shared = shared
        log = shared.log.of(source.id)
        fanOut = FanOut(sinks, isLive: source.isLive)
        self.points = points
        self.senders = senders
        self.replayStart = replayStart
        self.listeners = listeners
        self.listening = listening
    }

    var captureMaxBytes: Int { source.captureMaxBytes }

    /// Three quarters of `drain_timeout`, so that a stop takes at most this plus the time that
    /// sinks have after the last exchange.
    var drainTimeout: Microseconds { Microseconds(topology.drainTimeout.count / 4 * 3) }

    func run() async throws {
        defer {
            senders.remove(of: id)
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
        let now = shared.now()
        state.withLock { $0.activity = (activity, now) }
    }

    /// What the source is doing, since when, and how long it has been waiting for sinks.
    var activity: (state: ComponentState, since: Timestamp?, waiting: Int64?) {
        let (activity, since) = state.withLock { $0.activity }
        return (activity, since, fanOut.wait.since)
    }

    /// The durations of its exchanges.
    var durations: Distribution {
        state.withLock { $0.boards }.reduce(Distribution()) { $0 + $1.durations.distribution }
    }

    func listens(at point: ListeningPoint) {
        points.add(point)
        note(.running)
        listening(point)
    }

    func listener(at address: String) -> Int32? { listeners.take(address) }

    var listeningPoints: [ListeningPoint] { points.all }

    func sends(through sender: any RequestSender) { senders.add(sender, of: id) }

    func reports(through reporter: any ReplayReporter) {
        state.withLock { $0.reporter = reporter }
    }

    /// The figures of a source that sends recorded requests; `nil` for another source.
    var replay: ReplayReport? { state.withLock { $0.reporter }?.report }

    func makeLane() throws -> any Lane {
        let board = LaneCounters()
        let number = state.withLock {
            $0.boards.append(board)
            return $0.boards.count - 1
        }
        return try PipelineLane(
            topology,
            captures: source.condition,
            sampling: source.sampling,
            isLive: source.isLive,
            number: number,
            shared: shared,
            fanOut: fanOut,
            board: board
        )
    }

    func progress(done: Int64, of whole: Int64?) {
        state.withLock {
            $0.done = done
            $0.whole = whole
        }
    }

    func rejected(_ count: Int) {
        state.withLock { $0.rejected += count }
    }

    func dropped(_ count: Int) {
        state.withLock { $0.dropped += count }
    }

    /// The progress of the source, if it reports any.
    var progress: (done: Int64, whole: Int64?) {
        state.withLock { ($0.done, $0.whole) }
    }

    /// The counters of the source, and those of the stages for its exchanges.
    func counters() -> (source: SourceCounters, stages: [StageCounters]) {
        let (boards, rejected, dropped) = state.withLock { ($0.boards, $0.rejected, $0.dropped) }
        var source = SourceCounters()
        var stages = Array(repeating: StageCounters(), count: topology.stages.count)
        for board in boards { board.add(to: &source, &stages) }
        source.rejected = rejected
        source.received += dropped
        source.dropped = dropped
        return (source, stages)
    }
}
