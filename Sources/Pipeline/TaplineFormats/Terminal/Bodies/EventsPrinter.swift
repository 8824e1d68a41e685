// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Shows a stream of server-sent events as a list.
///
/// **Source**: HTML standard, "Server-sent events", section "Interpreting an event stream".
enum EventsPrinter {
    static func write(
        _ bytes: Span<UInt8>,
        isWhole: Bool,
        with printer: inout ContentPrinter,
        to lines: inout PrettyText
    ) {
        var data: [UInt8] = []
        var hasData = false
        var number = 0
        var isOpen = false
        var start = 0
        while start < bytes.count, !lines.isDone {
            var end = bytes.firstIndex(ofEither: 0x0A, 0x0D, from: start)
            let line = bytes.extracting(start..<end)
            if end + 1 < bytes.count, bytes[end] == 0x0D, bytes[end + 1] == 0x0A { end += 1 }
            start = end + 1
            if line.isEmpty {
                if hasData { write(data.span, &printer, &lines) }
                data.removeAll(keepingCapacity: true)
                (hasData, isOpen) = (false, false)
                continue
            }
            if !isOpen {
                number += 1
                isOpen = true
                lines.begin()
                lines.put("event \(number)", .bold)
                lines.end()
            }
            if let value = valueStart(of: "data", line) {
                if hasData { data.append(0x0A) }
                data.append(copying: line.extracting(value...))
                hasData = true
            } else {
                field(line, to: &lines)
            }
        }
        guard isOpen, !lines.isDone else { return }
        if hasData { write(data.span, &printer, &lines) }
        // Without an empty line after it, an event is not complete.
        lines.note(isWhole ? "the last event is not complete" : "cut off here")
    }

    /// Where the value of a field begins in its line; `nil` if the line is another field.
    private static func valueStart(of name: String, _ line: Span<UInt8>) -> Int? {
        guard line.starts(with: name) else { return nil }
        let colon = name.utf8.count
        if line.count == colon { return colon }
        guard line[colon] == .ascii(":") else { return nil }
        let hasSpace = line.count > colon + 1 && line[colon + 1] == .ascii(" ")
        return hasSpace ? colon + 2 : colon + 1
    }

    /// Shows the other fields, and comments.
    private static func field(_ line: Span<UInt8>, to lines: inout PrettyText) {
        lines.begin(1)
        let colon = line.firstIndex(of: .ascii(":")) ?? line.count
        lines.show(line.extracting(0..<colon), .cyan)
        lines.show(line.extracting(colon...), colon == 0 ? .dim : .plain)
        lines.end()
    }

    private static func write(
        _ data: Span<UInt8>,
        _ printer: inout ContentPrinter,
        _ lines: inout PrettyText
    ) {
        lines.indent += 2
        printer.message(data, isWhole: true, to: &lines)
        lines.indent -= 2
    }
}
