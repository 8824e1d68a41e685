// SPDX-License-Identifier: MIT

public import TaplineModel
internal import TaplineOperations
internal import TaplineRuntime

/// Sends recorded requests to a server, for tests.
///
/// ```swift
/// let result = try await Replay("yesterday.ndjson").send(to: "http://127.0.0.1:8080")
/// #expect(result.changedStatuses == 0)
/// ```
/// Cancelling the task ends the replay; the result then counts what was sent until then.
public struct Replay: Sendable {
    /// The recordings: databases, NDJSON or HAR, also compressed, or patterns of paths.
    public var recordings: [String]
    /// Which recorded exchanges are sent, in the filter language; all by default.
    public var filter: String?
    /// The pace of the requests; as fast as the server answers by default.
    public var pace = Pace.max
    /// The maximum number of requests in flight.
    public var concurrency: Int?
    /// The maximum number of requests to send.
    public var limit: Int?
    /// Whether requests that may change things are sent to another machine, too.
    public var sendsUnsafeMethods = false
    /// How many of the new exchanges the result keeps.
    public var maxExchanges = 10_000

    /// The pace of the requests.
    public enum Pace: Sendable, Equatable {
        /// As fast as the server answers.
        case max
        /// The recorded spacing, divided by a factor.
        case recorded(times: Double = 1)
        /// A constant rate, whatever the server does.
        case perSecond(Int)
    }

    /// Creates a replay of recordings.
    public init(_ recordings: String...) { self.recordings = recordings }

    /// Sends the requests to one server, whatever server they were recorded from.
    ///
    /// - Parameter server: The URL of the server, such as `http://127.0.0.1:8080`.
    /// - Returns: What the server answered.
    /// - Throws: `ReplayError` if a recording cannot be read or the replay failed.
    public func send(to server: String) async throws -> ReplayResult {
        try await send(as: .text(server))
    }

    /// Sends the requests of each host to a server of its own.
    ///
    /// - Parameter servers: The URLs of the servers, by recorded host; requests of other hosts are
    ///   not sent.
    /// - Returns: What the servers answered.
    /// - Throws: `ReplayError` if a recording cannot be read or the replay failed.
    public func send(to servers: [String: String]) async throws -> ReplayResult {
        try await send(as: .map(servers))
    }

    private func send(as servers: OptionValue) async throws -> ReplayResult {
        var options: [(StaticString, OptionValue)] = [("path", .list(recordings)), ("to", servers)]
        if let filter { options.append(("filter", .text(filter))) }
        switch pace {
        case .max: options.append(("speed", .text("max")))
        case .recorded(let factor): options.append(("speed", .text("\(factor)x")))
        case .perSecond(let rate): options.append(("rate", .text("\(rate)/s")))
        }
        if let concurrency { options.append(("concurrency", .number(concurrency))) }
        if let limit { options.append(("limit", .number(limit))) }
        if sendsUnsafeMethods { options.append(("unsafe", .flag(true))) }

        let kept = KeptExchanges(limit: maxExchanges)
        let topology = try Topology.test("client_replay", options, keeping: kept)
        let pipeline = Pipeline(topology, now: { .now })
        let report = await withTaskCancellationHandler {
            await pipeline.run()
        } onCancel: {
            pipeline.stop()
        }
        guard let replay = report.sources.lazy.compactMap(\.replay).first, report.isSuccess else {
            throw ReplayError(report.failures)
        }
        return ReplayResult(replay, kept.exchanges)
    }
}

/// The result of a replay.
public struct ReplayResult: Sendable {
    /// How many requests were due: `sent + skipped + failed`.
    public let due: Int
    /// How many requests were sent.
    public let sent: Int
    /// How many were not sent, since too many were in flight.
    public let skipped: Int
    /// How many could not be sent.
    public let failed: Int
    /// How many recorded requests cannot be sent at all, by reason.
    public let refused: [String: Int]
    /// How many responses differ from the recorded one in their status.
    public let changedStatuses: Int
    /// How many responses had each status.
    public let statuses: [Int: Int]
    /// The new exchanges, up to `maxExchanges`, in the order in which they ended.
    ///
    /// `recordedID` of each names the exchange that it repeats.
    public let exchanges: [Exchange]

    init(_ report: ReplayReport, _ exchanges: [Exchange]) {
        due = report.counts.due
        sent = report.counts.sent
        skipped = report.counts.skipped
        failed = report.counts.failed
        refused = Dictionary(
            report.obstacles.map { ($0.key.reason, $0.value) },
            uniquingKeysWith: +
        )
        changedStatuses = report.changedStatuses
        statuses = report.statuses
        self.exchanges = exchanges
    }
}

extension Exchange {
    /// The id of the recorded exchange that this one repeats; `nil` if it repeats none.
    public var recordedID: ExchangeID? { extra?.replay?.original }
}

/// Why recorded requests were not sent, or a server could not be started.
public struct ReplayError: Error, Sendable, CustomStringConvertible {
    /// The problems, one on each line; they hold no values of the traffic.
    public let description: String

    init(_ problems: [String]) {
        description =
            problems.isEmpty ? "the replay did not begin" : problems.joined(separator: "\n")
    }
}
