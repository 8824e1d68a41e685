// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStatistics
internal import TaplineStore

/// What `tapline stats --apis` shows of each route: methods, statuses, sizes, latencies, callers.
///
/// **Shape**: the rows of a query by host and route, with method, status and caller as breakdowns.
struct APIReport {
    /// How many values of a kind are listed for people.
    private static let maxValues = 8
    private static let names = ["methods", "statuses", "callers"]

    private var text: TerminalText

    init(isColoured: Bool) { text = TerminalText(isColoured: isColoured) }

    /// Returns the report for people.
    mutating func write(_ result: StatsResult) -> [UInt8] {
        for row in result.rows {
            writeTitle(row)
            writeValues(row, 0)
            writeValues(row, 1)
            writeSizes("requests", row.requestSizes)
            writeSizes("responses", row.responseSizes)
            writeLatency(row)
            writeValues(row, 2)
            text.newLine()
        }
        if result.hidden > 0 {
            text.put("and \(Counted.text(result.hidden, "more route"))", .dim)
            text.newLine()
        }
        let total = result.total
        text.put("\(Counted.text(result.rows.count + result.hidden, "route")), ")
        text.put("\(Counted.text(total.count, "exchange")), \(Counted.text(total.errors, "error"))")
        text.newLine()
        return text.bytes
    }

    private mutating func writeTitle(_ row: StatsRow) {
        text.styled(.bold) { text in
            if row.isOthers { text.put("(others)") }
            for case .text(let bytes) in row.values { text.show(bytes.span) }
        }
        text.newLine()
        text.put("  \(Counted.text(row.count, "exchange")), \(StatsReport.percent(row.share)), ")
        text.put(Counted.text(row.errors, "error"), row.errors > 0 ? .red : .plain)
        if row.rate != nil { text.put(", \(StatsReport.rate(row.rate))") }
        text.newLine()
    }

    private mutating func begin(_ name: String) {
        text.spaces(2)
        text.put(name, .dim)
        text.fill(to: 13)
    }

    /// Writes the values of a breakdown with their counts.
    private mutating func writeValues(_ row: StatsRow, _ breakdown: Int) {
        guard row.breakdowns.indices.contains(breakdown) else { return }
        let counts = row.breakdowns[breakdown]
        begin(Self.names[breakdown])
        for (number, count) in counts.prefix(Self.maxValues).enumerated() {
            if number > 0 { text.put(", ") }
            switch count.value {
            case .text(let bytes): text.show(bytes.span, in: 40)
            case .whole(let status): text.put("\(status)", .status(Int(clamping: status)))
            default: text.put(count.isOthers ? "others" : "none")
            }
            text.put(" \(count.count)")
        }
        let more = counts.count - Self.maxValues
        if more > 0 { text.put(", and \(more) more") }
        text.newLine()
    }

    private mutating func writeSizes(_ name: String, _ sizes: Distribution) {
        guard sizes.count > 0 else { return }
        begin(name)
        let parts = [("p50", 0.5), ("p99", 0.99), ("max", 1)]
        for (name, part) in parts {
            text.put("\(name) \(Quantities.size(sizes.quantile(part))), ")
        }
        text.put("total \(Quantities.size(sizes.total))")
        text.newLine()
    }

    private mutating func writeLatency(_ row: StatsRow) {
        guard row.times.count > 0 else { return }
        begin("latency")
        let parts = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1)]
        let texts = parts.map { "\($0) \(Quantities.duration(row.latency($1)))" }
        text.put(texts.joined(separator: ", "))
        text.newLine()
    }
}

// MARK: - JSON

extension APIReport {
    /// Returns the report as one JSON object.
    static func json(_ result: StatsResult) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        StatsJSON.writeTimes(result, to: &json)
        json.key("total")
        json.beginObject()
        StatsJSON.write(result.total, to: &json)
        json.endObject()
        json.key("routes")
        json.beginArray()
        for row in result.rows { write(row, to: &json) }
        json.endArray()
        StatsJSON.writeHidden(result, to: &json)
        json.endObject()
        json.separator(0x0A)
        return Array(copying: json.bytes)
    }

    private static func write(_ row: StatsRow, to json: inout JSONWriter) {
        json.beginObject()
        if row.isOthers {
            json.key("others")
            json.bool(true)
        } else {
            for (name, value) in zip(["host", "route"], row.values) {
                json.key(name.utf8.span)
                StatsJSON.write(value, of: .authority, to: &json)
            }
        }
        StatsJSON.write(row, to: &json)
        StatsJSON.write(row.requestSizes, "request_bytes", to: &json)
        StatsJSON.write(row.responseSizes, "response_bytes", to: &json)
        let keys = ["method", "status", "caller"]
        for ((name, key), counts) in zip(zip(names, keys), row.breakdowns) {
            json.key(name.utf8.span)
            json.beginArray()
            for count in counts {
                json.beginObject()
                json.key(key.utf8.span)
                StatsJSON.write(count.value, of: .authority, to: &json)
                if count.isOthers {
                    json.key("others")
                    json.bool(true)
                }
                json.key("count")
                json.integer(count.count)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
    }
}
