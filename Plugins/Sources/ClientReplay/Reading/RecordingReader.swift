// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineConnections
internal import TaplineMatching
internal import TaplineModel
internal import TaplineOperations
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
    /// Cancels the reading.
    let progress: QueryProgress
    /// Notifies the loop of requests.
    let arrived: @Sendable () -> Void

    /// Starts the thread.
    func start(_ label: String) {
        DispatchQueue(label: label).async { [self] in
            do {
                try read()
                buffer.end(nil, arrived)
            } catch {
                let isEnd = error is ReadingEnded || error is QueryCancelled
                buffer.end(isEnd ? nil : error, arrived)
            }
        }
    }

    /// Thrown when no more requests are wanted.
    private struct ReadingEnded: Error {}

    private func read() throws {
        let fields = try FieldReference.list("started")
        let stores = try StoreSet(settings.paths) { [log] in log.warning("\($0)") }
        var query = StoreQuery(settings.filter, order: .oldestFirst)
        query.sort = fields.first.map { StoreSort($0) }
        query.progress = progress
        tokens.value = try findTokens(query)
        var planner = SessionPlanner(settings, tokens.value)
        var clock = RecordedClock(maxGap: settings.maxGap.count)
        // A plan depends on the responses before it, so a planned recording is read again.
        var kept = KeptPass(isOn: !planner.isPlanning)
        var pass = 0
        while true {
            let count =
                kept.isWhole
                ? try repeatPass(kept, number: pass)
                : try readPass(stores, query, &planner, &clock, &kept)
            pass += 1
            // A recording without sendable requests would be read in an endless loop.
            guard count > 0, settings.loop.goesOn(after: pass - 1) else { break }
            clock.beginPass()
            planner.beginPass()
        }
        if planner.forgotten > 0 {
            log.warning(
                "\(planner.forgotten) tokens were forgotten; requests may not wait for them"
            )
        }
        if stores.problems > 0 {
            log.warning("\(stores.problems) recorded exchanges could not be read")
        }
    }

    /// Adds the requests of the recordings; returns how many there are.
    private func readPass(
        _ stores: StoreSet,
        _ query: StoreQuery,
        _ planner: inout SessionPlanner,
        _ clock: inout RecordedClock,
        _ kept: inout KeptPass
    ) throws -> Int {
        var count = 0
        try stores.forEach(query) { stored in
            let offset = clock.offset(of: stored.exchange.started)
            let plan = planner.plan(stored.exchange)
            let recorded: RecordedRequest
            do throws(ReplayRefusal) {
                recorded = try request(stored.exchange, plan?.messages)
            } catch {
                kept.add(error)
                return figures.refused(error)
            }
            kept.add(recorded, at: offset)
            try append(ReplayRequest(recorded: recorded, offset: offset, plan: plan))
            count += 1
        }
        kept.end(after: clock.offset)
        return count
    }

    /// Adds the requests of a pass that was kept; returns how many there are.
    private func repeatPass(_ kept: KeptPass, number: Int) throws -> Int {
        let start = kept.length.multipliedClamped(by: Int64(number))
        for (recorded, offset) in kept.requests {
            try append(ReplayRequest(recorded: recorded, offset: start.addingClamped(offset)))
        }
        for (refusal, count) in kept.refused { figures.refused(refusal, count: count) }
        return kept.requests.count
    }

    private func append(_ request: ReplayRequest) throws {
        guard buffer.append(request, arrived) else { throw ReadingEnded() }
    }

    /// Returns the request to send for a recorded one.
    ///
    /// - Throws: Why it cannot be sent.
    private func request(
        _ exchange: Exchange,
        _ messages: PlannedMessages?
    ) throws(ReplayRefusal) -> RecordedRequest {
        guard let origin = settings.targets.origin(for: exchange.request) else {
            throw ReplayRefusal(obstacle: .noTarget, host: exchange.request.authority)
        }
        var request = exchange.request
        OutgoingRequest.adapt(&request, to: origin)
        var client: RecordedClient?
        if WebSocketHandshake.isRequested(by: exchange.request) {
            WebSocketHandshake.prepare(&request)
            let pace = settings.schedule.pace
            client = RecordedClient(
                exchange,
                at: pace,
                maxGap: settings.maxGap,
                tokens: messages
            )
        }
        let obstacle = OutgoingRequest.obstacle(exchange.request)
        let isMasked = obstacle == .masked
        if isMasked {
            let places = fixedMasks(of: request, exchange.request)
            if let places { throw ReplayRefusal(obstacle: .masked, maskedPlaces: places) }
        } else if let obstacle {
            throw ReplayRefusal(obstacle: obstacle)
        }
        if client != nil, let obstacle = RecordedClient.obstacle(exchange) {
            let places = obstacle == .masked ? ["request message"] : []
            throw ReplayRefusal(obstacle: obstacle, maskedPlaces: places)
        }
        let parent = settings.parent
        if let obstacle = settings.targets.obstacle(to: request, at: origin, through: parent) {
            throw ReplayRefusal(obstacle: obstacle)
        }
        return RecordedRequest(
            exchange,
            request,
            to: origin,
            offersHTTP2: settings.offersHTTP2 ?? OutgoingRequest.usedHTTP2(exchange.request),
            isMasked: isMasked,
            client: client
        )
    }
}

/// The time since the first request of a recording, in which long pauses are shortened.
///
/// **Units**: microseconds.
struct RecordedClock {
    private let maxGap: Int64
    private var latest: Int64?
    /// When the latest request is due.
    private(set) var offset: Int64 = 0

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
