// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineMatching
internal import TaplineModel

/// The report of a comparison for a terminal: routes, their parts, and examples.
struct ComparisonText {
    /// How many columns a value takes at most.
    private static let maxValue = 100

    private var text: TerminalText

    init(isColoured: Bool) { text = TerminalText(isColoured: isColoured) }

    /// Returns the report.
    mutating func write(_ output: ComparisonOutput) -> [UInt8] {
        for route in output.report.routes {
            let shift = ComparisonOutput.shift(route)
            guard route.count > 0 || shift != nil else { continue }
            text.styled(.bold) { $0.show(route.name) }
            text.put("  \(ComparisonOutput.counts(route))", route.count > 0 ? .red : .plain)
            text.newLine()
            for part in route.parts { write(part) }
            write(route.missingExamples, of: route.missing, "missing")
            write(route.extraExamples, of: route.extra, "extra")
            if let shift {
                text.put("  \(shift)", .yellow)
                text.newLine()
            }
            text.newLine()
        }
        text.put(output.summary, output.report.count > 0 ? .redBold : .green)
        text.newLine()
        return text.bytes
    }

    private mutating func write(_ part: ComparisonReport.Part) {
        text.spaces(2)
        text.show(part.path)
        text.put(" \(part.change), \(part.count) \(part.count == 1 ? "time" : "times")")
        text.newLine()
        for example in part.examples {
            text.spaces(4)
            begin(example.foundID, example.target)
            text.put("  ")
            if example.place != part.path {
                text.show(example.place, in: Self.maxValue)
                text.put(" ")
            }
            text.show(example.recorded, in: Self.maxValue)
            text.put(" → ")
            text.show(example.found, in: Self.maxValue)
            text.newLine()
        }
    }

    /// Writes exchanges without a partner.
    private mutating func write(
        _ examples: [ComparisonReport.Single],
        of count: Int,
        _ word: String
    ) {
        guard count > 0 else { return }
        for example in examples {
            text.put("  \(word) ")
            begin(example.id, example.target)
            text.newLine()
        }
        if count > examples.count {
            text.put("  and \(count - examples.count) more \(word)", .dim)
            text.newLine()
        }
    }

    private mutating func begin(_ id: ExchangeID, _ target: String) {
        text.put("\(id)", .dim)
        text.put(" ")
        text.show(target, in: Self.maxValue)
    }
}
