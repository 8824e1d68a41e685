// SPDX-License-Identifier: MIT

extension ConfigNode {
    /// Returns the location of a range of this scalar's text, for messages that point inside it.
    ///
    /// Quotes, escapes, block scalars and folded lines are taken into account. If the text and its
    /// notation in the file differ too much, the location of the whole scalar is returned.
    package func location(at offset: Int, length: Int) -> SourceLocation {
        guard let text else { return location }
        let source = location.source
        guard location.byteEnd <= source.bytes.count else { return location }
        let aligner = ScalarAligner(
            raw: source.bytes[location.byteOffset..<location.byteEnd],
            text: Array(text.utf8)
        )
        guard let start = aligner.fileOffset(of: offset) else { return location }
        let (wanted, overflow) = offset.addingReportingOverflow(max(length, 0))
        let end = overflow ? nil : aligner.fileOffset(of: min(wanted, text.utf8.count))
        return source.location(at: start, length: max((end ?? start) - start, 0))
    }

    /// The location of the ` #` that ends this scalar, if it is unquoted and a comment follows.
    ///
    /// If the text is invalid, the comment was probably meant to be part of it.
    package var trailingComment: SourceLocation? {
        guard case .scalar(let text, isPlain: true) = value else { return nil }
        let bytes = location.source.bytes
        var index = location.byteEnd
        guard index <= bytes.count, location.length >= text.utf8.count else { return nil }
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 {
            index += 1
        }
        guard index > location.byteEnd, index < bytes.count, bytes[index] == UInt8(ascii: "#")
        else { return nil }
        return location.source.location(at: index, length: 1)
    }
}

extension Diagnostics {
    /// Warns if a comment cuts off a text that may well contain ` #`, such as a pattern.
    package mutating func warnAboutComment(after node: ConfigNode) {
        guard let comment = node.trailingComment else { return }
        warning(
            at: comment,
            "YAML begins a comment at ' #'; the value ends before it",
            help: "put the value in quotes if '#' belongs to it"
        )
    }

    /// Adds an error inside the text of a scalar, such as a filter or a pattern.
    ///
    /// - Parameters:
    ///   - node: The scalar.
    ///   - range: The range of bytes in its text.
    ///   - message: The problem.
    ///   - help: The remedy; if it is `nil` and a comment cuts the scalar off, the help points that
    ///     out.
    package mutating func error(
        in node: ConfigNode,
        at range: Range<Int>,
        _ message: String,
        help: String? = nil
    ) {
        let cut =
            "YAML began a comment at ' #'; put the whole value in quotes if '#' belongs to it"
        error(
            at: node.location(at: range.lowerBound, length: range.count),
            message,
            help: help ?? (node.trailingComment == nil ? nil : cut)
        )
    }
}
