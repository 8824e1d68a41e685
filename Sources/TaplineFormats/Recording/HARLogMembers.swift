// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Gathers the members that a HAR file has beside its entries, as text with commas between them.
///
/// Each of them is JSON. Together they take `limit` bytes of the file at most.
struct HARLogMembers {
    /// The members that are whole.
    var members: [UInt8] = []
    /// The member that is being read.
    private var part: [UInt8] = []
    private var isOpen = false
    private var isTooLarge = false
    private let limit: Int
    /// What all members of the file took that are whole.
    private var used = 0

    init(limit: Int) { self.limit = limit }

    /// Begins a member with the quote of its key.
    mutating func begin() {
        part.removeAll(keepingCapacity: true)
        isOpen = true
        isTooLarge = false
    }

    /// Takes the next byte of the file.
    @inline(__always)
    mutating func take(_ byte: UInt8) {
        guard isOpen else { return }
        if used + part.count < limit { part.append(byte) } else { isTooLarge = true }
    }

    /// Takes the next bytes of the file.
    @inline(__always)
    mutating func take(_ bytes: Span<UInt8>) {
        guard isOpen else { return }
        if used + part.count + bytes.count <= limit {
            part.append(copying: bytes)
        } else {
            isTooLarge = true
        }
    }

    /// Forgets the member, which is that of the entries.
    mutating func drop() { isOpen = false }

    /// Ends the member, if there is one; returns as what it was lost, if it was.
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

    /// Whether a text is a member of an object, no deeper than entries may be.
    private static func isMember(_ text: Span<UInt8>) -> Bool {
        var object: [UInt8] = [.ascii("{")]
        object.append(copying: text)
        object.append(.ascii("}"))
        var parser = JSONParser(maxDepth: HARReader.maxDepth, surrogates: .replace)
        return (try? parser.parse(object.span)) != nil
    }
}
