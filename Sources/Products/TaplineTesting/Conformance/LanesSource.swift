// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

/// A source that passes the same exchanges to several lanes at once, each on its own thread.
///
/// Optionally, exchanges interleave in pairs within a lane, as they do on live connections.
struct LanesSource: Source {
    let exchanges: [Exchange]
    var lanes = 1
    var batch = 16
    var isLive = false
    var interleaves = false
    var watch = WireWatch(mayChangeWire: true)

    func run(_ intake: any Intake) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<lanes {
                group.addTask {
                    let result = await onThread { Result { try work(intake) } }
                    try result.get()
                }
            }
            try await group.waitForAll()
        }
    }

    private func work(_ intake: any Intake) throws {
        let lane = try intake.makeLane()
        defer { lane.close() }
        var finished = 0
        var position = 0
        while position < exchanges.count {
            let end = min(position + (interleaves ? 2 : 1), exchanges.count)
            pass(position..<end, through: lane, as: intake.id)
            finished += end - position
            position = end
            if finished >= batch || position == exchanges.count {
                finished = 0
                guard submit(lane) else { return }
            }
        }
    }

    /// Runs exchanges as a live source does: all requests first, the last response first.
    private func pass(_ range: Range<Int>, through lane: any Lane, as id: String) {
        var passing: [(exchange: Exchange, context: ExchangeContext)] = []
        for var exchange in exchanges[range] {
            var context = ExchangeContext()
            exchange.source = id
            if isLive { lane.opened(exchange, &context) }
            let recorded = exchange.response
            exchange.response = nil
            let before = exchange
            let outcome = lane.request(&exchange, &context)
            watch.compare(before, with: exchange, after: .request)
            if outcome.action == .forward { exchange.response = recorded }
            passing.append((exchange, context))
        }
        for index in passing.indices.reversed()
        where passing[index].exchange.response != nil
            && passing[index].exchange.error?.code != "aborted"
        {
            var (exchange, context) = passing[index]
            let before = exchange
            _ = lane.response(&exchange, &context)
            watch.compare(before, with: exchange, after: .response)
            if exchange.error?.code != "aborted" { passMessages(&exchange, &context, lane) }
            passing[index] = (exchange, context)
        }
        for (exchange, context) in passing { lane.finish(exchange, context) }
    }

    /// Runs the messages of an exchange through the hooks.
    private func passMessages(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        _ lane: any Lane
    ) {
        guard lane.wantedMessages(exchange, &context) > 0 else { return }
        let messages = exchange.messages
        exchange.messages = []
        var passed: [StreamMessage] = []
        for var message in messages {
            let before = exchange
            var outcome = MessageOutcome.pass
            if message.isData { outcome = lane.message(&message, &exchange, &context) }
            watch.compare(before, with: exchange, after: .message)
            if outcome == .abort { break }
            if outcome == .pass { passed.append(message) }
        }
        exchange.messages = passed
    }

    /// Submits and waits for room; returns whether records are still accepted.
    private func submit(_ lane: any Lane) -> Bool {
        let room = DispatchSemaphore(value: 0)
        switch lane.submit(ticket: nil, ready: { room.signal() }) {
        case .open: return true
        case .paused:
            room.wait()
            return true
        case .closed: return false
        }
    }
}

/// Runs a closure on its own thread.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        DispatchQueue(label: "conformance.lane").async { continuation.resume(returning: work()) }
    }
}

/// Watches the changes that hooks make to exchanges on the wire.
final class WireWatch: Sendable {
    private let mayChangeWire: Bool
    private let seen = Mutex<[Violation]>([])

    init(mayChangeWire: Bool) {
        self.mayChangeWire = mayChangeWire
    }

    var violations: [Violation] { seen.withLock { $0 } }

    func compare(_ before: Exchange, with after: Exchange, after plane: Plane) {
        if before.id != after.id || before.started != after.started
            || before.source != after.source
        {
            note(.oneEnd, "a \(plane) hook changes the id, the source or the start of an exchange")
        }
        if plane == .response || plane == .message, before.request != after.request {
            note(.hooks, "a \(plane) hook changes the request, which has been sent")
        }
        if plane == .message, before.response != after.response {
            note(.hooks, "a message hook changes the response, which has been sent")
        }
        if !mayChangeWire, before != after {
            note(.hooks, "a stage without declared wire hooks changes the \(plane)")
        }
    }

    private func note(_ check: Violation.Check, _ text: String) {
        let violation = Violation(check: check, text: text)
        seen.withLock { if !$0.contains(violation) { $0.append(violation) } }
    }
}
