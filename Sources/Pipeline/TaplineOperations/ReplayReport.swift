// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplinePlugin
package import TaplineStatistics

/// The figures of a source that sends recorded requests to servers.
package struct ReplayReport: Sendable {
    /// What became of the requests that were due: due = sent + skipped + failed.
    package struct Counts: Sendable, Equatable {
        /// Requests whose time came.
        package var due = 0
        /// Requests that were sent, or answered by a stage.
        package var sent = 0
        /// Requests that were not sent, since the bound of requests in flight was reached.
        package var skipped = 0
        /// Requests that could not be sent: no connection, or a stage aborted them.
        package var failed = 0
        /// Requests in flight.
        package var inFlight = 0
        /// Requests that were sent late, since others waited for the target.
        package var lateByTarget = 0
        /// Requests that were sent late although the target was not waited for.
        package var lateByGenerator = 0
        /// The greatest lateness, in microseconds.
        package var latest: Int64 = 0

        /// Counts at zero.
        package init() {}
    }

    /// The latencies of some exchanges, in nanoseconds.
    package struct Latencies: Sendable, Equatable {
        /// From sending the request to the end of the response.
        package var service: Distribution
        /// From when the request was due to the end of the response, so that the time in which it
        /// could not be sent counts (no coordinated omission).
        package var response: Distribution

        /// No latencies.
        package init(_ precision: Distribution.Precision = .percent) {
            service = Distribution(precision)
            response = Distribution(precision)
        }

        /// Adds an exchange; times are in microseconds.
        package mutating func add(service: Int64, response: Int64) {
            self.service.add(Int(service).multipliedClamped(by: 1000))
            self.response.add(Int(response).multipliedClamped(by: 1000))
        }
    }

    /// The messages of WebSockets: due = sent + dropped + unsent, except in a dry run.
    package struct WebSockets: Sendable, Equatable {
        /// WebSockets that were opened, or would be.
        package var opened = 0
        /// Recorded messages and pings of their clients.
        package var due = 0
        package var sent = 0
        /// Messages that stages have dropped.
        package var dropped = 0
        /// Messages that were not sent, since the connection had ended.
        package var unsent = 0
        /// Messages of the servers.
        package var received = 0
        /// Messages of clients in which tokens were replaced.
        package var bound = 0
        /// Messages of clients with a token for which the server handed out none; the recorded one was
        /// sent.
        package var missing = 0

        /// Counts at zero.
        package init() {}

        /// Adds the counts of another one.
        package mutating func add(_ other: WebSockets) {
            opened += other.opened
            due += other.due
            sent += other.sent
            dropped += other.dropped
            unsent += other.unsent
            received += other.received
            bound += other.bound
            missing += other.missing
        }
    }

    /// What became of the requests so far.
    package var counts = Counts()
    /// The latencies of completed exchanges.
    package var latencies = Latencies(.threeDigits)
    /// The latencies of completed exchanges by method and route.
    package var routes: [String: Latencies] = [:]
    /// How many responses had each status.
    package var statuses: [Int: Int] = [:]
    /// How many responses differ from the recorded one in their status.
    package var changedStatuses = 0
    /// How many exchanges ended with each error code.
    package var errors: [String: Int] = [:]
    /// How many requests were sent, or would be sent, to each server.
    package var targets: [String: Int] = [:]
    /// The messages of WebSockets that have ended.
    package var webSockets = WebSockets()
    /// The size of the bodies of these requests, in bytes.
    package var bodyBytes = 0
    /// How many recorded requests cannot be sent, by obstacle.
    package var obstacles: [ReplayObstacle: Int] = [:]
    /// The sessions and tokens.
    package var tokens = Tokens()
    /// How many recorded requests of each host cannot be sent for want of a target.
    package var hostsWithoutTarget: [String: Int] = [:]
    /// How late requests were sent, in nanoseconds.
    package var lateness = Distribution(.threeDigits)
    /// The mean rate that was asked for so far, in requests a second; `nil` if there is none.
    package var wantedRate: Double?
    /// From the first request that was due to the last one that was sent.
    package var sending = Microseconds(0)
    /// How many requests the bound of requests in flight allows.
    package var concurrency = 0
    /// Whether nothing is sent.
    package var isDryRun = false

    /// An empty report.
    package init() {}

    /// The number of recorded requests that cannot be sent.
    package var refused: Int { obstacles.values.reduce(0, +) }

    /// The rate at which requests were sent, in requests a second; `nil` below two requests.
    package var rate: Double? {
        guard counts.sent > 1, sending.count > 0 else { return nil }
        return Double(counts.sent - 1) / (Double(sending.count) / 1e6)
    }

    /// A sentence that says that the generator and not the target fell behind; `nil` if it did not.
    package var generatorFailure: String? {
        let late = counts.lateByGenerator
        guard late > 0, late > counts.due / 100 else { return nil }
        return "the generator fell behind, not the target: \(late) of \(counts.due) requests were "
            + "sent more than 10 ms late while fewer than \(concurrency) were in flight; ask for a "
            + "lower rate, or run it on an idle machine"
    }
}

/// Has the figures of a replay.
///
/// **Isolation**: any thread.
package protocol ReplayReporter: Sendable {
    /// The figures so far.
    var report: ReplayReport { get }
}

/// An intake that shows the figures of a replay in the report of the pipeline.
package protocol ReplayIntake: Intake {
    /// Takes the figures of the source from now on.
    func reports(through reporter: any ReplayReporter)
    /// The start of all sources that start together.
    var replayStart: ReplayStart { get }
}

extension Intake {
    /// Offers figures to the pipeline; without effect if the intake takes none.
    package func offer(_ reporter: any ReplayReporter) {
        (self as? any ReplayIntake)?.reports(through: reporter)
    }

    /// The start of all sources that start together; `nil` if the intake has none.
    package var commonStart: ReplayStart? { (self as? any ReplayIntake)?.replayStart }
}
