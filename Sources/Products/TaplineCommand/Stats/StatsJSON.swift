// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStatistics
internal import TaplineStore

/// Statistics as one JSON object, with the total of all exchanges.
enum StatsJSON {
    private static let parts: [(StaticString, Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1),
    ]

    static func text(_ query: StatsQuery, _ result: StatsResult) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        writeTimes(result, to: &json)
        json.key("total")
        json.beginObject()
        write(result.total, to: &json)
        json.endObject()
        json.key("rows")
        json.beginArray()
        for row in result.rows {
            json.beginObject()
            if let time = row.time {
                json.key("time")
                json.string(time.rfc3339)
            }
            if row.isOthers {
                json.key("others")
                json.bool(true)
            }
            for (field, value) in zip(query.fields, row.values) where !row.isOthers {
                json.key(key(of: field).utf8.span)
                write(value, of: field, to: &json)
            }
            write(row, to: &json)
            json.endObject()
        }
        json.endArray()
        writeHidden(result, to: &json)
        json.endObject()
        json.separator(0x0A)
        return Array(copying: json.bytes)
    }

    /// The name of a field with its unit.
    static func key(of field: StatsField) -> String {
        if case .duration = field.kind { "\(field.name)_ms" } else { field.name }
    }

    /// Writes the start of the first and of the last exchange.
    static func writeTimes(_ result: StatsResult, to json: inout JSONWriter) {
        guard let times = result.times else { return }
        json.key("from")
        json.string(times.lowerBound.rfc3339)
        json.key("to")
        json.string(times.upperBound.rfc3339)
    }

    /// Writes how many rows were left out.
    static func writeHidden(_ result: StatsResult, to json: inout JSONWriter) {
        json.key("hidden_rows")
        json.integer(result.hidden)
    }

    /// Writes a value; null if it is absent, base64 if it is not UTF-8.
    static func write(_ value: FilterValue?, of field: StatsField, to json: inout JSONWriter) {
        switch value {
        case .text(let bytes):
            if json.string(ifValid: bytes.span) { return }
            json.beginObject()
            json.key("base64")
            json.base64(bytes.span)
            json.endObject()
        case .whole(let number):
            switch field.kind {
            case .time: json.string(Timestamp(microseconds: number).rfc3339)
            case .duration: json.thousandths(number)
            default: json.integer(number)
            }
        default: json.null()
        }
    }

    /// Writes the measures as members.
    static func write(_ row: StatsRow, to json: inout JSONWriter) {
        json.key("count")
        json.integer(row.count)
        json.key("share")
        json.double((row.share * 10_000).rounded() / 10_000)
        json.key("errors")
        json.integer(row.errors)
        if let rate = row.rate {
            json.key("rate_per_second")
            json.double(StatsReport.rounded(rate))
        }
        json.key("bytes_up")
        json.integer(row.bytesUp)
        json.key("bytes_down")
        json.integer(row.bytesDown)
        let keys: [StaticString] = ["p50_ms", "p90_ms", "p99_ms", "max_ms"]
        for (key, part) in zip(keys, parts.map(\.1)) {
            guard let time = row.latency(part) else { continue }
            json.key(key)
            json.thousandths(time.count)
        }
    }

    /// Writes the quantiles of sizes as an object, unless there are none.
    static func write(_ sizes: Distribution, _ name: StaticString, to json: inout JSONWriter) {
        guard sizes.count > 0 else { return }
        json.key(name)
        json.beginObject()
        json.key("total")
        json.integer(sizes.total)
        for (name, part) in parts {
            json.key(name)
            json.integer(sizes.quantile(part))
        }
        json.endObject()
    }
}
