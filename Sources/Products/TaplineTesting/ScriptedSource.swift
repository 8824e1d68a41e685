// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin

/// A source that delivers exchanges defined by a test.
///
/// **Isolation**: one lane, one task; it waits while the sinks are full, as a source should.
public struct ScriptedSource: Source {
    /// The exchanges, in order.
    public let exchanges: [Exchange]
    /// The number of exchanges that are finished before they are submitted.
    public let batch: Int
    /// Whether it reports each exchange when it begins, as live sources do.
    public let isLive: Bool
    /// Whether it waits, after its last exchange, until it is cancelled.
    public let staysOpen: Bool

    /// Creates a source of these exchanges.
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

    /// Delivers the exchanges and runs the hooks.
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

    /// Runs one exchange as a live source does.
    private func pass(_ exchange: Exchange, through lane: any Lane, as id: String) {
        var exchange = exchange
        exchange.source = id
        var context = ExchangeContext()
        if isLive { lane.opened(exchange, &context) }
        lane.pass(exchange, context)
    }
}
