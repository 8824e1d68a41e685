// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineConnections
internal import TaplineMatching
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineStore

/// Reads recordings on a thread of its own, and adds the requests that can be sent to a buffer.
struct RecordingReader: Sendable {
    let settings: ClientReplaySettings
    let buffer: RequestBuffer
    let tokens: FoundTokens
    let figures: ReplayFigures
    let log: Log
    /// Notifies the loop of requests.
    let arrived: @Sendable () -> Void

    /// Starts the thread.
    func start(_ label: String) {
        DispatchQueue(label: label).async { [self] in
            do {
                try read()
                buffer.end(nil, arrived)
            } catch {
                buffer.end(error is ReadingEnded ? nil : error, arrived)
            }
        }
    }

    /// Thrown when no more requests are wanted.
    struct ReadingEnded: Error {}

    private func read() throws {
        let fields = try FieldReference.list("started")
        let stores = try StoreSet(settings.paths) { [log] in log.warning("\($0)") }
        var query = StoreQuery(settings.filter, order: .oldestFirst)
        query.sort = fields.first.map { StoreSort($0) }
        tokens.value = try findTokens(query)
        var planner = SessionPlanner(settings, tokens.value)
        var clock = RecordedClock(maxGap: settings.maxGap.count)
        var pass = 0
        while true {
            var count = 0
            try stores.forEach(query) { stored in
                count += 1
                let offset = clock.offset(of: stored.exchange.started)
                let plan = planner.plan(stored.exchange)
                guard try add(stored.exchange, offset, plan) else { throw ReadingEnded() }
            }
            pass += 1
            // An empty recording would be read in an endless loop.
            guard count > 0, settings.loop.goesOn(after: pass - 1) else { break }
            clock.beginPass()
            planner.beginPass()
        }
        if stores.problems > 0 {
            log.warning("\(stores.problems) recorded exchanges could not be read")
        }
    }

    /// Adds a request, or counts why it cannot be sent; returns whether more are wanted.
    private func add(
        _ recorded: Exchange,
        _ offset: Int64,
        _ plan: PlannedRequest?
    ) throws -> Bool {
        var request = recorded.request
        if let obstacle = OutgoingRequest.obstacle(request), obstacle != .masked {
            figures.refused(recorded.request, because: obstacle)
            return true
        }
        guard let origin = settings.targets.origin(for: request) else {
            figures.refused(recorded.request, because: .noTarget)
            return true
        }
        OutgoingRequest.adapt(&request, to: origin)
        let isMasked = OutgoingRequest.isMasked(request)
        let obstacle =
            settings.targets.obstacle(to: request, at: origin)
            ?? (isMasked && !replacesMasks(of: request, recorded.request) ? .masked : nil)
        if let obstacle {
            figures.refused(recorded.request, because: obstacle)
            return true
        }
        let planned = ReplayRequest(
            recorded,
            request,
            to: origin,
            offset: offset,
            plan: plan,
            isMasked: isMasked
        )
        return buffer.append(planned, arrived)
    }
}

/// The time since the first request of a recording, in which long pauses are shortened.
///
/// **Units**: microseconds.
struct RecordedClock {
    private let maxGap: Int64
    private var latest: Int64?
    private var offset: Int64 = 0

    init(maxGap: Int64) { self.maxGap = max(maxGap, 0) }

    /// Returns when a request is due at the recorded speed; one without a start time is due with the
    /// request before it.
    mutating func offset(of started: Timestamp) -> Int64 {
        let time = started.microseconds
        guard time > 0 else { return offset }
        guard let latest else {
            self.latest = time
            return offset
        }
        guard time > latest else { return offset }
        let (gap, overflow) = time.subtractingReportingOverflow(latest)
        offset = offset.addingReportingOverflow(overflow ? maxGap : min(gap, maxGap)).partialValue
        self.latest = time
        return offset
    }

    /// Begins another pass, whose first request is due with the last one of the pass before.
    mutating func beginPass() { latest = nil }
}
