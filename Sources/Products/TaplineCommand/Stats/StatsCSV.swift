// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore

/// Statistics as comma-separated values: a line of titles, then one for each row.
enum StatsCSV {
    private static let measures = [
        "count", "share", "errors", "rate_per_second", "bytes_up", "bytes_down", "p50_ms",
        "p90_ms", "p99_ms", "max_ms",
    ]

    static func text(_ query: StatsQuery, _ result: StatsResult) -> [UInt8] {
        var csv = CSVText()
        if query.every != nil { csv.text("time") }
        for field in query.fields { csv.text(StatsJSON.key(of: field)) }
        for measure in measures { csv.text(measure) }
        csv.endLine()
        for row in result.rows {
            if query.every != nil { csv.text(row.time?.rfc3339 ?? "") }
            for (field, value) in zip(query.fields, row.values) { write(value, field, &csv) }
            write(row, &csv)
            csv.endLine()
        }
        return csv.bytes
    }

    /// Writes a value of a field; times in RFC 3339, durations in milliseconds.
    static func write(_ value: FilterValue?, _ field: StatsField, _ csv: inout CSVText) {
        switch value {
        case .text(let bytes): csv.text(bytes.span)
        case .whole(let number):
            switch field.kind {
            case .time: csv.text(Timestamp(microseconds: number).rfc3339)
            case .duration: csv.number(thousandths(number))
            default: csv.number("\(number)")
            }
        default: csv.number(nil)
        }
    }

    private static func write(_ row: StatsRow, _ csv: inout CSVText) {
        csv.number("\(row.count)")
        csv.number("\((row.share * 10_000).rounded() / 10_000)")
        csv.number("\(row.errors)")
        csv.number(row.rate.map { "\(StatsReport.rounded($0))" })
        csv.number("\(row.bytesUp)")
        csv.number("\(row.bytesDown)")
        for part in [0.5, 0.9, 0.99, 1] {
            csv.number(row.latency(part).map { thousandths($0.count) })
        }
    }

    /// A number of thousandths as a decimal fraction.
    static func thousandths(_ number: Int64) -> String {
        let digits = String(number.magnitude)
        let padded = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let sign = number < 0 ? "-" : ""
        return "\(sign)\(padded.dropLast(3)).\(padded.suffix(3))"
    }
}

extension StatsField {
    /// The type of the values; `nil` for texts that are no field of the filter language.
    var kind: Field.Kind? {
        if case .field(let field) = self { field.field.kind } else { nil }
    }
}
