// SPDX-License-Identifier: MIT

/// A text that configuration was read from, kept so that messages can show its lines.
///
/// Two sources are equal when they are the same object.
public final class ConfigSource: Sendable, Hashable {
    /// The name that messages print, as the user gave it: `pipelines/shop.yaml`, `-` or `--set`.
    public let name: String
    /// The folder that relative paths in the text start at; empty for the current one.
    public let folder: String
    /// Whether the text is one argument of a command line, so that line numbers say nothing.
    public let isArgument: Bool

    let bytes: [UInt8]
    let lineStarts: [Int]

    /// Keeps a text under a name.
    ///
    /// - Parameters:
    ///   - name: What messages call it.
    ///   - bytes: The text, which may be anything: what is not UTF-8 is shown escaped.
    ///   - folder: Where relative paths start; the folder of `name` when absent.
    ///   - isArgument: Whether it stood on a command line.
    public init(name: String, bytes: [UInt8], folder: String? = nil, isArgument: Bool = false) {
        self.name = name
        self.bytes = bytes
        self.isArgument = isArgument
        self.folder = folder ?? (isArgument ? "" : Self.folder(of: name))
        self.lineStarts = Self.lineStarts(in: bytes)
    }

    /// Keeps a text under a name.
    public convenience init(
        name: String,
        text: String,
        folder: String? = nil,
        isArgument: Bool = false
    ) {
        self.init(name: name, bytes: Array(text.utf8), folder: folder, isArgument: isArgument)
    }

    /// The place of `length` bytes from byte `offset` on.
    public func location(at offset: Int, length: Int = 0) -> SourceLocation {
        let offset = min(max(offset, 0), bytes.count)
        let line = line(containing: offset)
        let start = lineStarts[line]
        let column = bytes[start..<offset].count { $0 & 0xC0 != 0x80 }
        return SourceLocation(
            source: self,
            line: line + 1,
            column: column + 1,
            byteOffset: offset,
            length: min(max(length, 0), bytes.count - offset)
        )
    }

    /// The bytes of a line counted from 1, without its end; empty past the last one.
    func line(_ number: Int) -> ArraySlice<UInt8> {
        guard number >= 1, number <= lineStarts.count else { return [] }
        let start = lineStarts[number - 1]
        var end = number < lineStarts.count ? lineStarts[number] : bytes.count
        while end > start, bytes[end - 1] == UInt8(ascii: "\n") || bytes[end - 1] == 0x0D {
            end -= 1
        }
        return bytes[start..<end]
    }

    private func line(containing offset: Int) -> Int {
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset {
                low = middle
            } else {
                high = middle
            }
        }
        return low
    }

    private static func folder(of name: String) -> String {
        guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
        return slash == name.startIndex ? "/" : String(name[..<slash])
    }

    private static func lineStarts(in bytes: [UInt8]) -> [Int] {
        var starts = [0]
        for index in bytes.indices {
            let byte = bytes[index]
            let next = index + 1
            if byte == UInt8(ascii: "\n") {
                starts.append(next)
            } else if byte == 0x0D, next == bytes.count || bytes[next] != UInt8(ascii: "\n") {
                starts.append(next)
            }
        }
        return starts
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
