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
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                shown += "\\n"
            } else if isControl(scalar) {
                shown += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value
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
