// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConnections
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStatistics

/// Collects the figures of a replay.
///
/// **Isolation**: any thread.
final class ReplayFigures: ReplayReporter {
    /// The maximum number of routes; further ones are counted together.
    private static let maxRoutes = 200
    /// The maximum number of hosts in a report.
    private static let maxHosts = 100

    private let state: Mutex<ReplayReport>

    init(_ settings: ClientReplaySettings) {
        var report = ReplayReport()
        report.concurrency = settings.concurrency.limit
        report.isDryRun = settings.isDryRun
        state = Mutex(report)
    }

    var report: ReplayReport { state.withLock { $0 } }

    /// Counts a recorded request that cannot be sent.
    func refused(_ request: borrowing Request, because obstacle: ReplayObstacle) {
        let host = obstacle == .noTarget ? "\(request.authority)" : nil
        state.withLock { report in
            report.obstacles[obstacle, default: 0] += 1
            guard let host else { return }
            let isKnown = report.hostsWithoutTarget[host] != nil
            guard isKnown || report.hostsWithoutTarget.count < Self.maxHosts else { return }
            report.hostsWithoutTarget[host, default: 0] += 1
        }
    }

    /// Notes what the pacer has counted.
    ///
    /// `sending` is the time from the first request to the last one, in microseconds; `nil` if it is
    /// no longer known.
    func note(_ counts: ReplayReport.Counts, sending: Int64?, wantedRate: Double?) {
        state.withLock { report in
            report.counts = counts
            if let sending { report.sending = Microseconds(max(sending, 0)) }
            if let wantedRate { report.wantedRate = wantedRate }
        }
    }

    /// Notes what was counted of sessions and tokens.
    func note(_ tokens: ReplayReport.Tokens) {
        state.withLock { report in
            let (bindings, places) = (report.tokens.bindings, report.tokens.maskedPlaces)
            report.tokens = tokens
            report.tokens.bindings = bindings
            report.tokens.maskedPlaces = places
        }
    }

    /// Notes the tokens of a recording, and how often each was sent back in it.
    func found(_ bindings: [(String, Int)], forgotten: Int) {
        state.withLock { $0.tokens.bindings = bindings.map { .init(text: $0, count: $1) } }
    }

    /// Counts the places of masks in a request that is not sent.
    func masked(_ places: [String]) {
        state.withLock { report in
            for place in places {
                if let index = report.tokens.maskedPlaces.firstIndex(where: { $0.text == place }) {
                    report.tokens.maskedPlaces[index].count += 1
                } else if report.tokens.maskedPlaces.count < Self.maxHosts {
                    report.tokens.maskedPlaces.append(.init(text: place, count: 1))
                }
            }
        }
    }

    /// Counts a request that is sent, or would be sent, to a server.
    func sent(to origin: Origin, late: Int64) {
        let target = "\(origin.scheme)://\(origin.authority)"
        state.withLock { report in
            report.targets[target, default: 0] += 1
            report.lateness.add(Int(max(late, 0)).multipliedClamped(by: 1000))
        }
    }

    /// Counts an exchange that has ended with a response.
    func completed(_ result: ReplayResult) {
        state.withLock { report in
            report.statuses[result.status, default: 0] += 1
            if let recorded = result.recordedStatus, recorded != result.status {
                report.changedStatuses += 1
            }
            report.latencies.add(service: result.service, response: result.response)
            let isKnown = report.routes[result.route] != nil
            let route = isKnown || report.routes.count < Self.maxRoutes ? result.route : "other"
            report.routes[route, default: ReplayReport.Latencies()]
                .add(service: result.service, response: result.response)
        }
    }

    /// Counts an exchange that has ended without a whole response.
    func failed(_ code: String) {
        state.withLock { $0.errors[code, default: 0] += 1 }
    }
}

/// A response, as far as figures need it; times are in microseconds.
struct ReplayResult {
    let status: Int
    let recordedStatus: Int?
    /// The method and the route.
    let route: String
    let service: Int64
    let response: Int64
}
