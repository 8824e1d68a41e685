// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel

/// The text of a script and where it came from.
struct LuaScript: Sendable {
    /// The name in messages: the path of the script's file, or of the file that contains it.
    let name: String
    /// The text.
    let text: [UInt8]
    /// The line number of the script's first line in that file.
    let firstLine: Int
    /// The file, for messages that show a line.
    let source: ConfigSource

    /// Whether it is in a file of its own.
    let isFile: Bool

    /// A script in a file of its own.
    init(path: String, text: [UInt8]) {
        isFile = true
        name = path
        self.text = text
        firstLine = 1
        source = ConfigSource(name: path, bytes: text)
    }

    /// A script inside a configuration.
    init(inline text: String, at location: SourceLocation?) {
        isFile = false
        self.text = Array(text.utf8)
        guard let location, location.source.hasLines else {
            name = location?.file ?? "inline script"
            firstLine = 1
            source = ConfigSource(name: name, bytes: self.text)
            return
        }
        name = location.file
        source = location.source
        // The text of a block scalar begins on the line after its indicator (YAML 1.2 §8.1).
        let bytes = location.source.bytes
        let isBlock =
            location.byteOffset < bytes.count
            && (bytes[location.byteOffset] == .ascii("|")
                || bytes[location.byteOffset] == .ascii(">"))
        firstLine = location.line + (isBlock ? 1 : 0)
    }

    /// The name that Lua puts before its messages; Lua shortens long names.
    var chunkName: String {
        let last = name.utf8.split(separator: .ascii("/")).last.map(Array.init) ?? []
        return String(decoding: last.suffix(50), as: UTF8.self)
    }

    /// The file for a chunk name of Lua: the script's own file, or that of a module.
    func file(named name: String) -> String {
        guard name != chunkName, let end = self.name.utf8.lastIndex(of: .ascii("/")) else {
            return name == chunkName ? self.name : name
        }
        return "\(self.name[...end])\(name)"
    }

    /// The location of a whole line of the file.
    func location(ofLine line: Int) -> SourceLocation? {
        guard line > 0 else { return nil }
        let bytes = source.bytes
        var start = 0
        for _ in 1..<line {
            guard let end = bytes[start...].firstIndex(of: .ascii("\n")) else { return nil }
            start = end + 1
        }
        var end = bytes[start...].firstIndex(of: .ascii("\n")) ?? bytes.count
        while start < end, bytes[start].isBlank { start += 1 }
        if end > start, bytes[end - 1] == .ascii("\r") { end -= 1 }
        return source.location(at: start, length: end - start)
    }
}
