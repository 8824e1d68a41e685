// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFiles
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin

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
        case .json:
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("time")
            writer.string(Timestamp(microseconds: WallClock.microseconds).rfc3339)
            writer.key("level")
            writer.string(entry.level.name)
            writer.key("component")
            writer.string(entry.component)
            writer.key("message")
            writer.string(message)
            writer.endObject()
            return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
        }
    }
}
