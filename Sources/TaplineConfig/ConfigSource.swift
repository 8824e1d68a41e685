// SPDX-License-Identifier: MIT

/// A text that configuration was read from, kept so that messages can show its lines.
///
/// Two sources are equal when they are the same object.
public final class ConfigSource: Sendable, Hashable {
    /// The name that messages print, as the user gave it: `pipelines/shop.yaml`, `-` or `--set`.
    public let name: String
    /// The folder that relative paths in the text start at; empty for the current one.
    public let folder: String
    /// Whether lines and columns mean something: not in an argument of a command line.
    public let hasLines: Bool
    /// The text.
    public let bytes: [UInt8]

    private let lines: LineTable

    /// Keeps a text under a name.
    ///
    /// - Parameters:
    ///   - name: What messages call it.
    ///   - bytes: The text, which may be anything: what is not UTF-8 is shown escaped.
    ///   - folder: Where relative paths start; the folder of `name` when absent.
    ///   - hasLines: Whether lines and columns mean something to the user.
    public init(name: String, bytes: [UInt8], folder: String? = nil, hasLines: Bool = true) {
        self.name = name
        self.bytes = bytes
        self.hasLines = hasLines
        self.folder = folder ?? (hasLines ? Self.folder(of: name) : "")
        self.lines = LineTable(bytes)
    }

    /// Keeps a text under a name.
    public convenience init(
        name: String,
        text: String,
        folder: String? = nil,
        hasLines: Bool = true
    ) {
        self.init(name: name, bytes: Array(text.utf8), folder: folder, hasLines: hasLines)
    }

    /// The place of `length` bytes from byte `offset` on, cut to the text.
    public func location(at offset: Int, length: Int = 0) -> SourceLocation {
        let offset = min(max(offset, 0), bytes.count)
        return SourceLocation(
            source: self,
            byteOffset: offset,
            length: min(max(length, 0), bytes.count - offset)
        )
    }

    /// The line and column of an offset, both from 1.
    func position(of offset: Int) -> (line: Int, column: Int) {
        (lines.line(of: offset) + 1, lines.column(of: offset, in: bytes) + 1)
    }

    /// The bytes of the line that an offset is in, without its end.
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

    /// Whether two sources are the same object.
    public static func == (left: ConfigSource, right: ConfigSource) -> Bool {
        left === right
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
