// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineModel
internal import TaplineQuery
internal import TaplineStore

/// Writes statistics as a table, with bars on a terminal.
struct StatsText {
    static let barWidth = 10

    /// The width of lines; `nil` if they may have any length.
    let width: Int?
    let hasBars: Bool
    private var text: TerminalText

    init(width: Int?, hasBars: Bool, isColoured: Bool) {
        self.width = width
        self.hasBars = hasBars
        text = TerminalText(isColoured: isColoured)
    }

    /// The value as bytes that may come from traffic; `-` if it is absent.
    static func shown(_ value: FilterValue?, of field: StatsField) -> [UInt8] {
        switch value {
        case .text(let bytes): return bytes
        case .whole(let number):
            switch field.kind {
            case .duration: return Array("\(StatsCSV.thousandths(number)) ms".utf8)
            case .time:
                return Array(StatsReport.moment(Timestamp(microseconds: number)).utf8)
            default: return Array("\(number)".utf8)
            }
        default: return Array("-".utf8)
        }
    }

    /// Returns the table.
    mutating func write(_ report: StatsReport) -> [UInt8] {
        let result = report.result
        let rows = report.titles.isEmpty ? [] : result.rows
        var lines = [StatsLine(report.titles, report.columns.map(\.title))]
        lines += rows.map { StatsLine(report.keys(of: $0), of: $0, in: report) }
        lines.append(
            StatsLine(report.titles.isEmpty ? [] : ["total"], of: result.total, in: report)
        )
        let layout = StatsLayout(lines, report, hasBars: hasBars && !rows.isEmpty, width: width)
        text.styled(.dim) { layout.write(lines[0], to: &$0) }
        text.newLine()
        let most = rows.map(\.share).max() ?? 0
        for (line, row) in zip(lines.dropFirst(), rows) {
            layout.write(line, to: &text)
            if layout.hasBars { writeBar(most > 0 ? row.share / most : 0) }
            text.newLine()
        }
        if result.hidden > 0 { writeHidden(result) }
        if let total = lines.last {
            text.styled(.bold) { layout.write(total, to: &$0) }
            text.newLine()
        }
        return text.bytes
    }

    private mutating func writeHidden(_ result: StatsResult) {
        text.put("and \(result.hidden) more \(result.hidden == 1 ? "row" : "rows")", .dim)
        text.newLine()
    }

    /// Writes a bar for a part from 0 to 1, in eighths of a column.
    private mutating func writeBar(_ part: Double) {
        let eighths = Int((part * Double(8 * Self.barWidth)).rounded())
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let bar = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
        guard !bar.isEmpty else { return }
        text.spaces(2)
        text.put(bar, .cyan)
    }
}

/// The cells of a line of statistics.
struct StatsLine {
    /// Bytes that may come from traffic.
    let keys: [[UInt8]]
    let measures: [String]

    init(_ titles: [String], _ measures: [String]) {
        keys = titles.map { Array($0.utf8) }
        self.measures = measures
    }

    init(_ titles: [String], of row: StatsRow, in report: StatsReport) {
        self.init(titles, report.columns.map { $0.text(row) })
    }

    init(_ keys: [[UInt8]], of row: StatsRow, in report: StatsReport) {
        self.keys = keys
        measures = report.columns.map { $0.text(row) }
    }
}

/// The columns of a table of statistics that fit into its width.
struct StatsLayout {
    /// How narrow a column of values becomes before measures are left out.
    private static let wantedKeyWidth = 16
    /// How narrow a column of values may become.
    private static let minKeyWidth = 4
    /// The measures that are always shown have this rank.
    private static let requiredRank = 0
    private static let barRank = 2

    private var keyWidths: [Int]
    /// The measures that are shown.
    private var measures: [Int]
    private let widths: [Int]
    private(set) var hasBars: Bool

    init(_ lines: [StatsLine], _ report: StatsReport, hasBars: Bool, width: Int?) {
        keyWidths = report.titles.indices.map { column in
            lines.map { $0.keys.indices.contains(column) ? Self.width($0.keys[column]) : 0 }
                .max() ?? 0
        }
        widths = report.columns.indices.map { column in
            lines.map { $0.measures[column].unicodeScalars.count }.max() ?? 0
        }
        measures = Array(report.columns.indices)
        self.hasBars = hasBars
        guard let width else { return }
        fit(into: width, ranks: report.columns.map(\.rank))
    }

    /// Leaves out measures until values have room, then narrows the columns of values.
    private mutating func fit(into width: Int, ranks: [Int]) {
        let wanted = keyWidths.reduce(0) { $0 + min($1, Self.wantedKeyWidth) + 2 }
        while wanted + measuresWidth > width {
            let last = measures.max { ranks[$0] < ranks[$1] }
            let rank = last.map { ranks[$0] } ?? 0
            if hasBars, rank <= Self.barRank {
                hasBars = false
            } else if let last, rank > Self.requiredRank {
                measures.removeAll { $0 == last }
            } else {
                break
            }
        }
        while keyWidths.reduce(0, { $0 + $1 + 2 }) + measuresWidth > width,
            let widest = keyWidths.indices.max(by: { keyWidths[$0] < keyWidths[$1] }),
            keyWidths[widest] > Self.minKeyWidth
        {
            keyWidths[widest] -= 1
        }
    }

    private var measuresWidth: Int {
        let bars = hasBars ? StatsText.barWidth + 2 : 0
        return measures.reduce(0) { $0 + widths[$1] + 2 } - 2 + bars
    }

    /// The columns that bytes take on a terminal.
    private static func width(_ bytes: [UInt8]) -> Int {
        var text = TerminalText(isColoured: false)
        text.show(bytes.span)
        return text.column
    }

    /// Writes a line without its end.
    func write(_ line: StatsLine, to text: inout TerminalText) {
        let start = text.column
        var end = start
        for (column, width) in keyWidths.enumerated() {
            if line.keys.indices.contains(column) {
                let key = line.keys[column]
                text.show(key.span, in: width)
            }
            end += width + 2
            text.spaces(end - text.column)
        }
        for (number, column) in measures.enumerated() {
            if number > 0 { text.spaces(2) }
            text.put(line.measures[column], rightIn: widths[column], .plain)
        }
    }
}
