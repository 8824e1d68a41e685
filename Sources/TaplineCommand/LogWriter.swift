// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFiles
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// Writes the log to standard error: a line for people, or a JSON object a line.
struct LogWriter: Sendable {
    /// How entries are written.
    enum Format: String, Sendable, CaseIterable {
        case text
        case json
    }

    let format: Format
    let isQuiet: Bool
    let console: Console
    /// What no line shows.
    var hidden: InterpolatedValues?

    /// The log that components get.
    var log: Log {
        Log(component: "") { [self] entry in
            guard entry.level >= (isQuiet ? .warning : .info) else { return }
            console.note(line(entry, hidden?.hiding(in: entry.message) ?? entry.message))
        }
    }

    /// A text on one line, and without characters that a terminal would obey: scripts log what
    /// they find in traffic.
    private static func shown(_ text: String) -> String {
        text.showingControls(["\n": "\\n"])
    }

    private func line(_ entry: LogEntry, _ message: String) -> String {
        switch format {
        case .text:
            let component = entry.component.isEmpty ? "" : " [\(entry.component)]"
            return LogWriter.shown("\(entry.level.name):\(component) \(message)")
        case .json: return LogWriter.object(entry.level.name, entry.component, message)
        }
    }

    /// A line of JSON: what every entry has, and then what `rest` writes.
    private static func object(
        _ level: String,
        _ component: String,
        _ message: String,
        rest: (inout JSONWriter) -> Void = { _ in }
    ) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("time")
        writer.string(Timestamp(microseconds: WallClock.microseconds).rfc3339)
        writer.key("level")
        writer.string(level)
        writer.key("component")
        writer.string(component)
        writer.key("message")
        writer.string(message)
        rest(&writer)
        writer.endObject()
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }
}

// MARK: - What is no entry of the log

extension LogWriter {
    /// Writes what a run has done: a table for people, or an entry with the object `summary`.
    func write(_ report: RunReport) {
        let shown = { [hidden] (text: String) in hidden?.hiding(in: text) ?? text }
        let summary = Summary(report: report)
        switch format {
        case .text: console.note(shown(summary.text))
        case .json:
            let line = LogWriter.object("info", "", summary.closing) { writer in
                writer.key("summary")
                SummaryObject(report: report, shown: shown).write(to: &writer)
            }
            console.note(line)
        }
    }

    /// Writes problems of a configuration, whose texts hide what they should: with their source lines
    /// for people, or an entry for each, with `place` and `help`.
    func write(_ diagnostics: Diagnostics) {
        guard !diagnostics.isEmpty else { return }
        guard format == .json else { return console.note(diagnostics.rendered) }
        for diagnostic in diagnostics.sorted {
            let level = diagnostic.severity == .note ? "info" : "\(diagnostic.severity)"
            let line = LogWriter.object(level, "", diagnostic.message) { writer in
                if let location = diagnostic.location {
                    writer.key("place")
                    writer.string("\(location)")
                }
                if let help = diagnostic.help {
                    writer.key("help")
                    writer.string(help)
                }
            }
            console.note(line)
        }
        guard diagnostics.omitted > 0 else { return }
        console.note(
            LogWriter.object("info", "", "\(diagnostics.omitted) more problems are not shown")
        )
    }
}
