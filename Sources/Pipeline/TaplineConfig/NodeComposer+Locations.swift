// SPDX-License-Identifier: MIT

internal import TaplineYAML

extension NodeComposer {
    /// Returns the location of a node: from after its anchor and tag to its last non-blank byte.
    func location(of event: YAMLEvent, to endMark: YAMLMark) -> SourceLocation {
        var start = positions.byteOffset(ofScalar: event.start.index)
        var end = positions.byteOffset(ofScalar: endMark.index)
        if event.anchor != nil || event.tag != nil {
            start = contentStart(start, end)
        }
        while end > start, Self.isBlank(text[end - 1]) {
            end -= 1
        }
        return source.location(at: start, length: end - start)
    }

    /// Returns the location of an event's first word, which is its anchor or tag.
    func properties(of event: YAMLEvent) -> SourceLocation {
        let start = positions.byteOffset(ofScalar: event.start.index)
        var end = start
        while end < text.count, !Self.isBlank(text[end]) {
            end += 1
        }
        return source.location(at: start, length: end - start)
    }

    /// Skips `&name`, `!tag`, blanks and comments.
    private func contentStart(_ start: Int, _ end: Int) -> Int {
        var index = start
        while index < end {
            switch text[index] {
            case UInt8(ascii: "&"), UInt8(ascii: "!"):
                while index < end, !Self.isBlank(text[index]) {
                    index += 1
                }
            case UInt8(ascii: "#"):
                while index < end, text[index] != 0x0A {
                    index += 1
                }
            case let byte where Self.isBlank(byte):
                index += 1
            default:
                return index
            }
        }
        return index
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
