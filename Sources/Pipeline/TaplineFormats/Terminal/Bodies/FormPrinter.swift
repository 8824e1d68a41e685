// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Shows `application/x-www-form-urlencoded` content with one decoded item per line.
enum FormPrinter {
    static func write(_ bytes: Span<UInt8>, to lines: inout PrettyText) {
        var end = bytes.count
        // Some clients end the form with a line end.
        while end > 0, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        var items = QueryItems(0..<end)
        while !lines.isDone, let item = items.next(in: bytes) {
            lines.begin()
            let name = PercentEncoding.decode(bytes.extracting(item.name), plusIsSpace: true)
            lines.show(name.span, .cyan)
            let hasValue = item.name.upperBound < end && bytes[item.name.upperBound] == .ascii("=")
            if hasValue {
                lines.put(" = ")
                let value = PercentEncoding.decode(bytes.extracting(item.value), plusIsSpace: true)
                lines.show(value.span)
            } else if name.isEmpty {
                lines.put("(empty)", .dim)
            }
            lines.end()
        }
    }
}
