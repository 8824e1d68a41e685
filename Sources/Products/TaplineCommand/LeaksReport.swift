// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineConfig
internal import TaplineJSON
internal import TaplineLeaks
internal import TaplineModel

/// Writes what `tapline leaks` finds, as lines of text or one JSON object per line.
///
/// Findings go to standard output. The summary and what could not be read go to standard error, and
/// in JSON to standard output as well.
struct LeaksReport {
    let isJSON: Bool
    /// The largest number of findings that are written.
    let limit: Int
    let console: Console
    private var found = 0
    private var kinds: [LeakKind: Int] = [:]
    private var files: Set<String> = []

    init(isJSON: Bool, limit: Int, console: Console) {
        self.isJSON = isJSON
        self.limit = limit
        self.console = console
    }

    mutating func add(_ event: LeakEvent) {
        switch event {
        case .leak(let leak):
            found += 1
            kinds[leak.kind, default: 0] += 1
            files.insert(leak.file)
            guard found <= limit else { return }
            console.print(isJSON ? json(leak) : text(leak))
        case .unread(let file, let reason):
            console.note("tapline: error: cannot read '\(Self.shown(file))'; \(reason)")
            if isJSON { console.print(json("unread", file, reason)) }
        case .skipped(let file, let reason):
            if isJSON { console.print(json("skipped", file, reason)) }
        }
    }

    /// Writes the summary.
    func end(_ totals: LeakTotals) {
        if isJSON { console.print(json(totals)) }
        var text = totals.leaks == 0 ? "nothing found" : "\(totals.leaks) found"
        if totals.leaks > 0 { text += " in \(files.count) of" } else { text += " in" }
        text += " \(Counted.text(totals.files, "file")), "
        text += Self.size(totals.bytes)
        if totals.unread > 0 { text += "; \(totals.unread) could not be read" }
        if totals.skipped > 0 {
            text +=
                "; \(Counted.text(totals.skipped, "link or device", "links and devices")) skipped"
        }
        if found > limit { text += "; \(found - limit) not shown" }
        console.note(text)
        let counts = kinds.sorted { ($1.value, $0.key.name) < ($0.value, $1.key.name) }
        for (kind, count) in counts.prefix(20) where totals.leaks > 1 {
            console.note("  \(Columns.padLeft("\(count)", to: 6))  \(Self.shown(kind.name))")
        }
    }

    // MARK: Text

    private func text(_ leak: Leak) -> String {
        let place = leak.place
        var label = Self.shown(leak.file)
        if let line = place.line { label += ":\(line)" }
        label += ":"
        if let path = place.path { label += " \(Self.shown(path))" }
        if let row = place.row {
            label += " row \(row)"
        } else if place.path == nil, let offset = place.offset {
            label += " byte \(offset)"
        }
        let codings = leak.codings.isEmpty ? "" : ", in \(leak.codings.joined(separator: " in "))"
        let record = place.record.map { " (\($0))" } ?? ""
        return "\(label): \(Self.shown(leak.kind.name))\(codings)\(record)"
    }

    /// The text without control characters, which file names may contain.
    private static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7F...0x9F ~= $0.value })
        else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.value < 0x20 || 0x7F...0x9F ~= $0.value ? "?" : $0 }
            )
        )
    }

    private static func size(_ bytes: Int) -> String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        let rounded = (value * 10).rounded() / 10
        return unit == 0 ? Counted.text(bytes, "byte") : "\(rounded) \(units[unit])"
    }

    // MARK: JSON

    private func json(_ leak: Leak) -> String {
        Self.object { writer in
            writer.key("event")
            writer.string("leak")
            writer.key("file")
            writer.string(leak.file)
            let numbers: [(StaticString, Int?)] = [
                ("line", leak.place.line), ("byte", leak.place.offset), ("row", leak.place.row),
            ]
            for (name, number) in numbers {
                guard let number else { continue }
                writer.key(name)
                writer.integer(number)
            }
            let texts: [(StaticString, String?)] = [
                ("record", leak.place.record), ("path", leak.place.path),
            ]
            for (name, text) in texts {
                guard let text else { continue }
                writer.key(name)
                writer.string(text)
            }
            switch leak.kind {
            case .value(let name):
                writer.key("value")
                writer.string(name)
            case .detector(let name):
                writer.key("detector")
                writer.string(name)
            }
            guard !leak.codings.isEmpty else { return }
            writer.key("codings")
            writer.beginArray()
            for coding in leak.codings { writer.string(coding) }
            writer.endArray()
        }
    }

    private func json(_ event: String, _ file: String, _ reason: String) -> String {
        Self.object { writer in
            let texts: [(StaticString, String)] = [
                ("event", event), ("file", file), ("reason", reason),
            ]
            for (name, text) in texts {
                writer.key(name)
                writer.string(text)
            }
        }
    }

    private func json(_ totals: LeakTotals) -> String {
        Self.object { writer in
            writer.key("event")
            writer.string("summary")
            let numbers: [(StaticString, Int)] = [
                ("leaks", totals.leaks), ("shown", min(found, limit)), ("files", totals.files),
                ("bytes", totals.bytes), ("unread", totals.unread), ("skipped", totals.skipped),
            ]
            for (name, number) in numbers {
                writer.key(name)
                writer.integer(number)
            }
        }
    }

    private static func object(_ fill: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        fill(&writer)
        writer.endObject()
        return String(decoding: Array(copying: writer.bytes), as: UTF8.self)
    }
}
