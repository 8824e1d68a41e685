// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Numbers for texts, from 0 in the order of their first appearance.
struct TextCodes: Sendable {
    /// How many bytes of a text matter; texts that differ only later have the same number.
    static let maxBytes = 1024

    private struct Key: Hashable {
        var bytes: [UInt8] = []

        func hash(into hasher: inout Hasher) { hasher.combine(bytes.span) }
    }

    private var codes: [Key: Int64] = [:]
    private var keys: [Key] = []
    /// The text that is looked up, in memory that is reused.
    private var wanted = Key()

    /// How many texts there are.
    var count: Int { keys.count }

    /// The text with a number; `nil` if there is none.
    func text(_ code: Int64) -> [UInt8]? {
        guard let index = Int(exactly: code), keys.indices.contains(index) else { return nil }
        return keys[index].bytes
    }

    /// Returns the number of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - adds: Whether an unknown text gets a number.
    /// - Returns: The number; `nil` if the text is unknown and `adds` is `false`.
    mutating func code(of text: Span<UInt8>, adds: Bool) -> Int64? {
        wanted.bytes.removeAll(keepingCapacity: true)
        wanted.bytes.append(copying: text.extracting(first: Self.maxBytes))
        if let code = codes[wanted] { return code }
        guard adds else { return nil }
        let code = Int64(keys.count)
        codes[wanted] = code
        keys.append(wanted)
        return code
    }
}
