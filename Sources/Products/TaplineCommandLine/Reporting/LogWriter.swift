// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineJSON
internal import TaplineModel
package import TaplinePlugin
package import TaplineRuntime
internal import TaplineSystem

/// Writes the log to standard error, as lines of text or one JSON object per line.
package struct LogWriter: Sendable {
    /// The format of entries.
    package enum Format: String, Sendable, CaseIterable {
        case text
        case json
    }

    let format: Format
    let isQuiet: Bool
    let console: Console
    /// Values that are hidden in all lines.
    let hidden: HiddenValues

    package init(format: Format, isQuiet: Bool, console: Console, hidden: InterpolatedValues? = nil)
    {
        self.format = format
        self.isQuiet = isQuiet
        self.console = console
        self.hidden = HiddenValues(hidden)
    }

    /// The log for components.
    package var log: Log {
        Log(component: "") { [self] entry in
            guard entry.level >= (isQuiet ? .warning : .info) else { return }
            console.note(line(entry, hidden.hiding(in: entry.message)))
        }
    }

    /// Writes a line that is shown even if the log is quiet.
    package func say(_ component: String, _ message: String) {
        console.note(line(LogEntry(level: .info, component: component, message: message), message))
    }

    /// The text on one line, with control characters escaped, because scripts log parts of traffic.
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

    /// A line of JSON: the members of every entry, followed by those that `rest` writes.
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

// MARK: - Reports and diagnostics

extension LogWriter {
    /// Writes the report of a run: a table, or an entry with the object `summary`.
    package func write(_ report: RunReport) {
        let shown = { [hidden] (text: String) in hidden.hiding(in: text) }
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

    /// Writes problems of a configuration: with their source lines, or as one entry for each, with
    /// `place` and `help`.
    ///
    /// The caller has already hidden secret values in the texts.
    package func write(_ diagnostics: Diagnostics) {
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
