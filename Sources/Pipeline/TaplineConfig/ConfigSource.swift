// SPDX-License-Identifier: MIT

/// A configuration text, kept so that messages can show its lines.
///
/// Two sources are equal if they are the same object.
package final class ConfigSource: Sendable, Hashable {
    /// The name in messages, as the user gave it: `pipelines/shop.yaml`, `-` or `--set`.
    package let name: String
    /// The folder that relative paths in the text are resolved against; empty for the current
    /// folder.
    package let folder: String
    /// Whether lines and columns are meaningful; `false` for a command-line argument.
    package let hasLines: Bool
    /// The text.
    package let bytes: [UInt8]

    private let lines: LineTable

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - name: The name in messages.
    ///   - bytes: The text, which may be arbitrary; bytes that are not UTF-8 are shown escaped.
    ///   - folder: The folder that relative paths are resolved against; the folder of `name` if
    ///     `nil`.
    ///   - hasLines: Whether lines and columns are meaningful to the user.
    package init(name: String, bytes: [UInt8], folder: String? = nil, hasLines: Bool = true) {
        self.name = name
        self.bytes = bytes
        self.hasLines = hasLines
        self.folder = folder ?? (hasLines ? Self.folder(of: name) : "")
        self.lines = LineTable(bytes)
    }

    /// Creates a source from a string.
    package convenience init(
        name: String,
        text: String,
        folder: String? = nil,
        hasLines: Bool = true
    ) {
        self.init(name: name, bytes: Array(text.utf8), folder: folder, hasLines: hasLines)
    }

    /// Returns the location of `length` bytes at byte `offset`, clamped to the text.
    package func location(at offset: Int, length: Int = 0) -> SourceLocation {
        let offset = min(max(offset, 0), bytes.count)
        return SourceLocation(
            source: self,
            byteOffset: offset,
            length: min(max(length, 0), bytes.count - offset)
        )
    }

    /// Returns the line and column of an offset, both from 1.
    func position(of offset: Int) -> (line: Int, column: Int) {
        (lines.line(of: offset) + 1, lines.column(of: offset, in: bytes) + 1)
    }

    /// Returns the bytes of the line that contains an offset, without its line break.
    func line(around offset: Int) -> ArraySlice<UInt8> {
        let range = lines.range(of: lines.line(of: offset), in: bytes)
        var line = bytes[range]
        while let last = line.last, last == 0x0A || last == 0x0D {
            line.removeLast()
        }
        return line
    }

    private static func folder(of name: String) -> String {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == name.startIndex ? "/" : String(name[..<slash])
    }

    /// Returns whether two sources are the same object.
    package static func == (left: ConfigSource, right: ConfigSource) -> Bool {
        left === right
    }

    /// Hashes the identity of the source.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
