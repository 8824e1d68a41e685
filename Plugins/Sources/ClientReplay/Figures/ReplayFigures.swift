// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConnections
internal import TaplineModel
internal import TaplineOperations
internal import TaplineStatistics

/// Collects the figures of a replay.
///
/// **Isolation**: any thread.
final class ReplayFigures: ReplayReporter {
    /// The maximum number of routes; further ones are counted together.
    private static let maxRoutes = 200
    /// The maximum number of servers and of hosts in a report.
    private static let maxHosts = 100

    private struct State {
        var report: ReplayReport
        // By bytes and servers, since texts would be made for each exchange.
        var routes: [ByteString: ReplayReport.Latencies] = [:]
        var targets: [Origin: Int] = [:]
    }

    private let state: Mutex<State>

    init(_ settings: ClientReplaySettings) {
        var report = ReplayReport()
        report.concurrency = settings.concurrency.limit
        report.isDryRun = settings.isDryRun
        state = Mutex(State(report: report))
    }

    var report: ReplayReport {
        let state = state.withLock { $0 }
        var report = state.report
        for (route, latencies) in state.routes { report.routes["\(route)"] = latencies }
        for (target, count) in state.targets {
            let scheme = target.hasPriorKnowledge ? "h2c" : "\(target.scheme)"
            report.targets["\(scheme)://\(target.authority)"] = count
        }
        return report
    }

    /// Counts recorded requests that cannot be sent, and the places of their masks.
    func refused(_ refusal: ReplayRefusal, count: Int = 1) {
        let host = refusal.host.map { "\($0)" }
        state.withLock { state in
            state.report.obstacles[refusal.obstacle, default: 0] += count
            for place in refusal.maskedPlaces {
                let index = state.report.tokens.maskedPlaces.firstIndex { $0.text == place }
                if let index {
                    state.report.tokens.maskedPlaces[index].count += count
                } else if state.report.tokens.maskedPlaces.count < Self.maxHosts {
                    state.report.tokens.maskedPlaces.append(.init(text: place, count: count))
                }
            }
            guard let host else { return }
            let hosts = state.report.hostsWithoutTarget
            guard hosts[host] != nil || hosts.count < Self.maxHosts else { return }
            state.report.hostsWithoutTarget[host, default: 0] += count
        }
    }

    /// Notes what the pacer has counted.
    ///
    /// `sending` is the time from the first request to the last one, in microseconds.
    func note(_ counts: ReplayReport.Counts, sending: Int64, wantedRate: Double?) {
        state.withLock { state in
            state.report.counts = counts
            state.report.sending = Microseconds(max(sending, 0))
            state.report.wantedRate = wantedRate
        }
    }

    /// Notes what was counted of sessions and tokens.
    func note(_ tokens: ReplayReport.Tokens) {
        state.withLock { state in
            let former = state.report.tokens
            state.report.tokens = tokens
            state.report.tokens.bindings = former.bindings
            state.report.tokens.maskedPlaces = former.maskedPlaces
        }
    }

    /// Notes the tokens of a recording, and how often each was sent back in it.
    func found(_ bindings: [(String, Int)]) {
        state.withLock { $0.report.tokens.bindings = bindings.map { .init(text: $0, count: $1) } }
    }

    /// Counts a request that is sent, or would be sent, to a server.
    func sent(to origin: Origin, late: Int64, bodyBytes: Int) {
        state.withLock { state in
            if state.targets[origin] != nil || state.targets.count < Self.maxHosts {
                state.targets[origin, default: 0] += 1
            }
            state.report.bodyBytes = state.report.bodyBytes.addingClamped(bodyBytes)
            state.report.lateness.add(Int(max(late, 0)).multipliedClamped(by: 1000))
        }
    }

    /// Counts the messages of a WebSocket that has ended.
    func conversed(_ counts: ReplayReport.WebSockets) {
        guard counts.opened > 0 else { return }
        state.withLock { $0.report.webSockets.add(counts) }
    }

    /// Counts the messages of a WebSocket that would be opened.
    func planned(_ client: RecordedClient) {
        var counts = ReplayReport.WebSockets()
        counts.opened = 1
        counts.due = client.messages.count
        state.withLock { $0.report.webSockets.add(counts) }
    }

    /// Counts an exchange that has ended with a response.
    func completed(_ result: ReplayResult) {
        state.withLock { state in
            state.report.statuses[result.status, default: 0] += 1
            if let recorded = result.recordedStatus, recorded != result.status {
                state.report.changedStatuses += 1
            }
            state.report.latencies.add(service: result.service, response: result.response)
            let isKnown = state.routes[result.route] != nil
            let route = isKnown || state.routes.count < Self.maxRoutes ? result.route : "other"
            state.routes[route, default: ReplayReport.Latencies()]
                .add(service: result.service, response: result.response)
        }
    }

    /// Counts an exchange that has ended without a whole response.
    func failed(_ code: String) {
        state.withLock { $0.report.errors[code, default: 0] += 1 }
    }
}

/// A response, as far as figures need it; times are in microseconds.
struct ReplayResult {
    let status: Int
    let recordedStatus: Int?
    /// The method and the route.
    let route: ByteString
    let service: Int64
    let response: Int64
}

extension ReplayReport {
    /// A sentence that says why no request was answered; `nil` if some were, or nothing was to be
    /// sent.
    var emptiness: String? {
        // A WebSocket that was opened is answered, however it ended.
        guard !isDryRun, statuses.isEmpty, webSockets.opened == 0 else { return nil }
        if counts.due > 0 { return "no request was answered; \(counts.due) were due" }
        return refused > 0
            ? "none of the \(refused) recorded requests can be sent"
            : "the recordings have no requests that match"
    }
}
