// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin

/// A source that hands over exchanges which a test has written down.
///
/// **Isolation**: one lane, one task; it waits when the sinks are full, as a good source does.
public struct ScriptedSource: Source {
    /// The exchanges, in order.
    public let exchanges: [Exchange]
    /// How many are finished before they are submitted.
    public let batch: Int
    /// Whether it tells of each exchange when it begins, as live sources do.
    public let isLive: Bool
    /// Whether it waits, after its last exchange, until it is cancelled.
    public let staysOpen: Bool

    /// A source of these exchanges.
    public init(
        _ exchanges: [Exchange],
        batch: Int = 16,
        isLive: Bool = false,
        staysOpen: Bool = false
    ) {
        self.exchanges = exchanges
        self.batch = max(batch, 1)
        self.isLive = isLive
        self.staysOpen = staysOpen
    }

    /// Hands over the exchanges, hooks included.
    public func run(_ intake: any Intake) async throws {
        let lane = try intake.makeLane()
        defer { lane.close() }
        var finished = 0
        for exchange in exchanges {
            if Task.isCancelled { break }
            pass(exchange, through: lane, as: intake.id)
            finished += 1
            intake.progress(done: Int64(finished), of: Int64(exchanges.count))
            if finished.isMultiple(of: batch), await !lane.submit() { return }
        }
        _ = await lane.submit()
        while staysOpen, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Runs one exchange the way that a live one takes.
    private func pass(_ exchange: Exchange, through lane: any Lane, as id: String) {
        var exchange = exchange
        exchange.source = id
        var context = ExchangeContext()
        if isLive { lane.opened(exchange, &context) }
        lane.pass(exchange, context)
    }
}
