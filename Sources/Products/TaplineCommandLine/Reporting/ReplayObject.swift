// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
package import TaplineOperations
internal import TaplineStatistics

/// The figures of a replay as a JSON object.
package struct ReplayObject {
    private let report: ReplayReport

    package init(_ report: ReplayReport) { self.report = report }

    /// The object; that of two replays has those of both by the option that names the server.
    package static func text(of reports: [ReplayReport]) -> String {
        var json = JSONWriter()
        if reports.count == 2 {
            json.beginObject()
            json.key("to")
            Self(reports[0]).write(to: &json)
            json.key("and")
            Self(reports[1]).write(to: &json)
            json.endObject()
        } else if let report = reports.first {
            Self(report).write(to: &json)
        }
        return String(decoding: Array(copying: json.bytes), as: UTF8.self)
    }

    /// Writes the object.
    func write(to json: inout JSONWriter) {
        let counts = report.counts
        json.beginObject()
        for (name, value) in [
            ("due", counts.due), ("sent", counts.sent), ("skipped", counts.skipped),
            ("failed", counts.failed), ("late_by_target", counts.lateByTarget),
            ("late_by_generator", counts.lateByGenerator), ("latest_us", Int(counts.latest)),
            ("body_bytes", report.bodyBytes),
            ("changed_statuses", report.changedStatuses), ("concurrency", report.concurrency),
        ] as [(StaticString, Int)] {
            json.key(name)
            json.integer(value)
        }
        json.key("dry_run")
        json.bool(report.isDryRun)
        json.key("sending_ms")
        json.thousandths(report.sending.count)
        json.key("rate")
        number(report.rate, to: &json)
        json.key("wanted_rate")
        number(report.wantedRate, to: &json)
        json.key("statuses")
        count(report.statuses.map { ("\($0)", $1) }, to: &json)
        json.key("errors")
        count(report.errors.map { ($0, $1) }, to: &json)
        json.key("targets")
        count(report.targets.map { ($0, $1) }, to: &json)
        json.key("not_sent")
        count(report.obstacles.map { ($0.rawValue, $1) }, to: &json)
        json.key("hosts_without_target")
        count(report.hostsWithoutTarget.map { ($0, $1) }, to: &json)
        write(report.webSockets, to: &json)
        write(report.tokens, to: &json)
        json.key("lateness")
        json.nanoseconds(report.lateness)
        json.key("latency")
        write(report.latencies, to: &json)
        json.key("routes")
        json.beginObject()
        for (route, latencies) in report.routes.sorted(by: { $0.key < $1.key }) {
            json.key(route.utf8.span)
            write(latencies, to: &json)
        }
        json.endObject()
        json.endObject()
    }

    private func write(_ counts: ReplayReport.WebSockets, to json: inout JSONWriter) {
        json.key("websockets")
        json.object { json in
            for (name, value) in [
                ("opened", counts.opened), ("messages_due", counts.due),
                ("messages_sent", counts.sent), ("messages_dropped", counts.dropped),
                ("messages_unsent", counts.unsent), ("messages_received", counts.received),
                ("messages_bound", counts.bound), ("messages_missing", counts.missing),
            ] as [(StaticString, Int)] {
                json.member(name, value)
            }
        }
    }

    private func write(_ tokens: ReplayReport.Tokens, to json: inout JSONWriter) {
        json.key("tokens")
        json.object { json in
            for (name, value) in [
                ("waited", tokens.waited), ("bound", tokens.bound), ("missing", tokens.missing),
                ("masked", tokens.masked), ("forgotten", tokens.forgotten),
            ] as [(StaticString, Int)] {
                json.member(name, value)
            }
            json.key("found")
            count(tokens.bindings.map { ($0.text, $0.count) }, to: &json)
            json.key("masked_places")
            count(tokens.maskedPlaces.map { ($0.text, $0.count) }, to: &json)
        }
    }

    private func number(_ value: Double?, to json: inout JSONWriter) {
        if let value { json.double(value) } else { json.null() }
    }

    private func count(_ counts: [(String, Int)], to json: inout JSONWriter) {
        json.beginObject()
        for (name, count) in counts.sorted(by: { $0.0 < $1.0 }) {
            json.key(name.utf8.span)
            json.integer(count)
        }
        json.endObject()
    }

    private func write(_ latencies: ReplayReport.Latencies, to json: inout JSONWriter) {
        json.beginObject()
        json.key("service")
        json.nanoseconds(latencies.service)
        json.key("response")
        json.nanoseconds(latencies.response)
        json.endObject()
    }
}
