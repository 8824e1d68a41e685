// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Collects the members of a HAR file's log other than the entries, as text separated by commas.
///
/// Each member is valid JSON. Together they take at most `limit` bytes of the file.
struct HARLogMembers {
    /// The complete members.
    var members: [UInt8] = []
    /// The current member.
    private var part: [UInt8] = []
    private var isOpen = false
    private var isTooLarge = false
    private let limit: Int
    /// The size of all complete members of the file.
    private var used = 0

    init(limit: Int) { self.limit = limit }

    /// Begins a member with the quote of its key.
    mutating func begin() {
        part.removeAll(keepingCapacity: true)
        isOpen = true
        isTooLarge = false
    }

    /// Appends the next byte of the file.
    @inline(__always)
    mutating func take(_ byte: UInt8) {
        guard isOpen else { return }
        if used + part.count < limit { part.append(byte) } else { isTooLarge = true }
    }

    /// Appends the next bytes of the file.
    @inline(__always)
    mutating func take(_ bytes: Span<UInt8>) {
        guard isOpen else { return }
        if used + part.count + bytes.count <= limit {
            part.append(copying: bytes)
        } else {
            isTooLarge = true
        }
    }

    /// Discards the current member, which contains the entries.
    mutating func drop() { isOpen = false }

    /// Ends the current member; returns the name of the loss if it was lost.
    mutating func end() -> StaticString? {
        guard isOpen else { return nil }
        isOpen = false
        if isTooLarge { return "log (beyond the limit)" }
        guard Self.isMember(part.span) else { return "log (malformed)" }
        if !members.isEmpty { members.append(.ascii(",")) }
        members += part
        used += part.count + 1
        return nil
    }

    /// Whether a text is a member of an object, nested no more deeply than entries may be.
    private static func isMember(_ text: Span<UInt8>) -> Bool {
        var object: [UInt8] = [.ascii("{")]
        object.append(copying: text)
        object.append(.ascii("}"))
        var parser = JSONParser(maxDepth: HARReader.maxDepth, surrogates: .replace)
        return (try? parser.parse(object.span)) != nil
    }
}
