// SPDX-License-Identifier: MIT

internal import TaplineYAML

/// A readable message for an error of libyaml, with help for the pitfalls of YAML.
struct SyntaxMessage {
    /// The range, the problem and the remedy.
    typealias Text = (place: Range<Int>, message: String, help: String?)

    let error: YAMLError
    let source: ConfigSource
    /// The text that the parser saw; its offsets are those of the source.
    let bytes: [UInt8]
    /// The offset at which libyaml found the problem.
    let offset: Int
    /// The offset at which the enclosing construct began.
    let contextOffset: Int?

    init(_ error: YAMLError, source: ConfigSource, bytes: [UInt8], positions: ScalarPositions) {
        self.error = error
        self.source = source
        self.bytes = bytes
        if let byteOffset = error.byteOffset {
            offset = byteOffset + positions.skipped
        } else {
            offset = error.mark.map { positions.byteOffset(ofScalar: $0.index) } ?? 0
        }
        contextOffset = error.contextMark.map { positions.byteOffset(ofScalar: $0.index) }
    }

    /// The problem with its location.
    var diagnostic: Diagnostic {
        let text = tabs ?? aliases ?? quotes ?? flow ?? lines ?? characters ?? plain
        return Diagnostic(
            .error,
            at: source.location(at: text.place.lowerBound, length: text.place.count),
            text.message,
            help: text.help
        )
    }

    /// Whether the line above the problem is `...`, which ends a document.
    private var followsMarker: Bool {
        let end = lineStart(offset)
        return bytes[lineStart(max(end - 1, 0))..<end].starts(with: "...".utf8)
    }

    /// Messages that need no context, and libyaml's own text for all others.
    private var plain: Text {
        let known: [String: (String, String?)] = [
            "control characters are not allowed": (
                "there is a control character; expected text",
                "write it as an escape in double quotes, such as \"\\x1B\""
            ),
            "found undefined tag handle": (
                "unknown tag; expected a value without a tag",
                "a text that begins with '!' needs quotes"
            ),
            "found incompatible YAML document": (
                "this YAML version is not supported; expected 1.2", nil
            ),
            "did not find expected <document start>": (
                "text follows the end of the document; expected the end of the file",
                followsMarker ? "remove the line '...'" : nil
            ),
            "found unknown directive name": (
                "a line that begins with '%' is a YAML directive; this directive is unknown",
                "put the text in quotes"
            ),
            "mapping keys are not allowed in this context": (
                "a '?' cannot begin a value here", "put the text in quotes"
            ),
            "did not find expected comment or line break": (
                "text follows '|' or '>' on the same line; expected it on the next lines", nil
            ),
        ]
        if let (message, help) = known[error.problem] {
            let start = min(contextOffset ?? offset, offset)
            let isDirective = error.context == "while scanning a directive" && start < offset
            return (isDirective ? start..<offset : point, message, help)
        }
        return (point, error.description, nil)
    }
}

extension SyntaxMessage {
    /// The byte at which the problem was found.
    var point: Range<Int> { offset..<min(offset + 1, bytes.count) }

    func byte(at index: Int) -> UInt8? {
        bytes.indices.contains(index) ? bytes[index] : nil
    }

    func isBlank(_ index: Int) -> Bool {
        switch byte(at: index) {
        case nil, 0x20, 0x09, 0x0A, 0x0D: true
        default: false
        }
    }

    /// Returns the offset at which the line of another offset begins.
    func lineStart(_ index: Int) -> Int {
        var index = min(index, bytes.count)
        while index > 0, bytes[index - 1] != 0x0A, bytes[index - 1] != 0x0D {
            index -= 1
        }
        return index
    }

    /// Returns the offset of the first byte that is not a space in the line of another offset.
    func firstText(_ index: Int) -> Int {
        var first = lineStart(index)
        while byte(at: first) == 0x20 {
            first += 1
        }
        return first
    }

    /// Returns the range of non-blank bytes around an offset, at most 80 bytes on either side.
    func word(around index: Int) -> Range<Int> {
        var start = min(index, bytes.count)
        while start > 0, !isBlank(start - 1), index - start < 80 {
            start -= 1
        }
        var end = index
        while !isBlank(end), end - index < 80 {
            end += 1
        }
        return start..<max(start, end)
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    func line(of index: Int) -> Int { source.location(at: index).line }
}
