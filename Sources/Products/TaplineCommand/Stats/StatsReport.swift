// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore

/// Statistics as columns of text for people.
struct StatsReport {
    /// A column of measures.
    struct Column {
        let title: String
        /// Columns with higher numbers are left out first if there is no room.
        let rank: Int
        let text: (StatsRow) -> String
    }

    /// The titles of the time and the fields.
    let titles: [String]
    let columns: [Column]
    let result: StatsResult

    private let query: StatsQuery

    init(_ query: StatsQuery, _ result: StatsResult) {
        self.query = query
        self.result = result
        titles = (query.every == nil ? [] : ["time (UTC)"]) + query.fields.map(\.name)
        columns = [
            Column(title: "count", rank: 0) { "\($0.count)" },
            Column(title: "share", rank: 3) { Self.percent($0.share) },
            Column(title: "errors", rank: 1) { "\($0.errors)" },
            Column(title: "rate", rank: 6) { Self.rate($0.rate) },
            Column(title: "up", rank: 8) { Quantities.size($0.bytesUp) },
            Column(title: "down", rank: 7) { Quantities.size($0.bytesDown) },
            Column(title: "p50", rank: 0) { Quantities.duration($0.latency(0.5)) },
            Column(title: "p90", rank: 5) { Quantities.duration($0.latency(0.9)) },
            Column(title: "p99", rank: 2) { Quantities.duration($0.latency(0.99)) },
            Column(title: "max", rank: 4) { Quantities.duration($0.latency(1)) },
        ]
    }

    /// The time and the values of a row, as bytes that may come from traffic.
    func keys(of row: StatsRow) -> [[UInt8]] {
        if row.isOthers {
            return titles.indices.map { Array(($0 == 0 ? "(others)" : "").utf8) }
        }
        let time = row.time.map { Self.moment($0) }
        return (time.map { [Array($0.utf8)] } ?? [])
            + zip(query.fields, row.values).map { StatsText.shown($1, of: $0) }
    }

    /// `45.2 %`.
    static func percent(_ part: Double) -> String {
        let tenths = Int((part * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// A rate with three decimals, and below 1 with four significant digits.
    static func rounded(_ rate: Double) -> Double {
        var scale = 1000.0
        while rate * scale < 1000, scale < 1e15 { scale *= 10 }
        return (rate * scale).rounded() / scale
    }

    /// `3.10/s`; `-` if unknown.
    static func rate(_ rate: Double?) -> String {
        guard let rate else { return "-" }
        if rate > 0, rate < 0.005 { return "<0.01/s" }
        if rate >= 100 { return "\(Int(min(rate, 1e15).rounded()))/s" }
        let hundredths = Int((rate * 100).rounded())
        let digits = hundredths % 100
        return "\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)/s"
    }

    /// `2026-11-20 14:03:00`, with a fraction if it has one.
    static func moment(_ moment: Timestamp) -> String {
        let text = moment.rfc3339.replacing("T", with: " ")
        let isWhole = moment.microseconds % 1_000_000 == 0
        return String(text.prefix(isWhole ? 19 : 26))
    }
}
