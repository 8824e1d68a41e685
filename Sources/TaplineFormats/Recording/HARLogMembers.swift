// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Gathers the members that a HAR file has beside its entries, as text with commas between them.
struct HARLogMembers {
    /// The members that are whole.
    var members: [UInt8] = []
    /// The member that is being read.
    private var part: [UInt8] = []
    private var isOpen = false
    private var isTooLarge = false
    private var limit = 0

    /// Begins a member with the quote of its key.
    mutating func begin(limit: Int) {
        part.removeAll(keepingCapacity: true)
        isOpen = true
        isTooLarge = false
        self.limit = limit
    }

    /// Takes the next byte of the file.
    @inline(__always)
    mutating func take(_ byte: UInt8) {
        guard isOpen else { return }
        if members.count + part.count < limit { part.append(byte) } else { isTooLarge = true }
    }

    /// Takes the next bytes of the file.
    @inline(__always)
    mutating func take(_ bytes: Span<UInt8>) {
        guard isOpen else { return }
        if members.count + part.count + bytes.count <= limit {
            part.append(copying: bytes)
        } else {
            isTooLarge = true
        }
    }

    /// Forgets the member, which is that of the entries.
    mutating func drop() { isOpen = false }

    /// Ends the member, if there is one; returns whether it was lost since it is too large.
    mutating func end() -> Bool {
        guard isOpen else { return false }
        isOpen = false
        if isTooLarge { return true }
        if !members.isEmpty { members.append(.ascii(",")) }
        members += part
        return false
    }
}
