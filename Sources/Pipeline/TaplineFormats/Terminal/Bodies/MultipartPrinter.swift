// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Shows the parts of a multipart body, each with its fields and with content by its own kind.
enum MultipartPrinter {
    static func write(
        _ bytes: Span<UInt8>,
        _ reader: MultipartReader,
        isWhole: Bool,
        depth: Int,
        with printer: inout ContentPrinter,
        to lines: inout PrettyText
    ) {
        var pieces: [MultipartReader.Piece] = []
        reader.read(bytes, 0..<bytes.count) { pieces.append($0) }
        var number = 0
        for piece in pieces {
            if lines.isDone { return }
            switch piece {
            case .preamble(let range):
                other("text before the first part", bytes.extracting(range), to: &lines)
            case .epilogue(let range):
                other("text after the last part", bytes.extracting(range), to: &lines)
            case .part(let part):
                number += 1
                lines.begin()
                lines.put("part \(number)", .bold)
                lines.end()
                lines.indent += 2
                write(part, of: bytes, isWhole: isWhole, depth, &printer, &lines)
                lines.indent -= 2
            }
        }
    }

    /// Shows text that has no meaning, unless it is blank.
    private static func other(
        _ name: String,
        _ bytes: Span<UInt8>,
        to lines: inout PrettyText
    ) {
        var start = 0
        while start < bytes.count, bytes[start].isBlankOrLineEnd { start += 1 }
        guard start < bytes.count else { return }
        lines.note(name)
        ContentPrinter.text(bytes, to: &lines)
    }

    private static func write(
        _ part: MultipartReader.Part,
        of bytes: Span<UInt8>,
        isWhole: Bool,
        _ depth: Int,
        _ printer: inout ContentPrinter,
        _ lines: inout PrettyText
    ) {
        guard let content = part.content else {
            lines.note("the head of this part does not end", .yellow)
            ContentPrinter.text(bytes.extracting(part.range), to: &lines)
            return
        }
        // A head that parsers may read in different ways is shown as it is.
        if part.head.isDoubtful {
            lines.showLines(bytes.extracting(part.range.lowerBound..<content.lowerBound))
        }
        var type = ByteString()
        for field in part.head.fields {
            let value = MIMEHead.unfolded(bytes.extracting(field.value))
            let name = bytes.extracting(field.name)
            if name.equalsIgnoringCase("content-type") { type = ByteString(value) }
            if part.head.isDoubtful { continue }
            lines.begin()
            lines.show(name, .cyan)
            lines.put(": ")
            lines.show(value.span)
            lines.end()
        }
        printer.write(
            bytes.extracting(content),
            type,
            isWhole: part.isEnded || isWhole,
            depth: depth + 1,
            to: &lines
        )
        if !part.isEnded { lines.note("no delimiter ends this part", .yellow) }
    }
}
