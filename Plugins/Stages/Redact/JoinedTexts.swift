// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// Texts one after the other, with a NUL between two, so that detectors read all in one go: each
/// call of theirs costs more than most of these texts.
///
/// What is found among others need not be found in the text alone; it only tells where to search.
/// What is found in a text alone is found here too, for detectors to which a NUL is an end.
///
/// **Shape**: kept for its buffers.
struct JoinedTexts {
    /// What became of a text that had to be decoded.
    enum State {
        case whole
        /// It is not here: to be decoded alone.
        case apart
        /// It is not what its form says.
        case none
        /// Nobody needs to look at it.
        case unwanted
    }

    /// One of the texts.
    struct Slot {
        var range: Range<Int>
        var state = State.whole
        /// Whether detectors may find something in it.
        var isSuspect = false
    }

    private(set) var bytes: [UInt8] = []
    private(set) var slots: [Slot] = []
    /// The first texts in which something was found.
    private var suspects: [Range<Int>] = []
    /// Whether these are too many to be looked up, so that any text may be one.
    private var hasManySuspects = false
    private static let mostSuspects = 16

    var hasSuspects: Bool { hasManySuspects || !suspects.isEmpty }

    /// Forgets all texts and keeps the room.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
        suspects.removeAll(keepingCapacity: true)
        hasManySuspects = false
    }

    /// Appends a text.
    mutating func append(_ text: Span<UInt8>) {
        let start = bytes.count
        bytes.append(copying: text)
        slots.append(Slot(range: start..<bytes.count))
        bytes.append(0)
    }

    /// Appends a text that a function writes, unless it says that this is none.
    mutating func append(_ write: (inout [UInt8]) -> Bool) {
        let start = bytes.count
        guard write(&bytes) else {
            bytes.removeLast(bytes.count - start)
            appendEmpty(.none)
            return
        }
        slots.append(Slot(range: start..<bytes.count))
        bytes.append(0)
    }

    /// Keeps the place of a text that is not here.
    mutating func appendEmpty(_ state: State) {
        slots.append(Slot(range: bytes.count..<bytes.count, state: state))
    }

    /// Notes in which texts something was found, in all of them where nothing is told.
    mutating func note(_ findings: [SecretFinding]?) {
        guard let findings else {
            hasManySuspects = true
            for index in slots.indices { slots[index].isSuspect = true }
            return
        }
        var first = 0
        for finding in findings {
            while first < slots.count, slots[first].range.upperBound <= finding.start {
                first += 1
            }
            var index = first
            while index < slots.count, slots[index].range.lowerBound < finding.end {
                if !slots[index].isSuspect { suspects.append(slots[index].range) }
                slots[index].isSuspect = true
                index += 1
            }
        }
        hasManySuspects = suspects.count > JoinedTexts.mostSuspects
    }

    /// Whether a text may be one of those in which something was found.
    func isSuspect(_ text: Span<UInt8>) -> Bool {
        guard !hasManySuspects else { return true }
        let bytes = bytes.span
        for suspect in suspects where bytes.extracting(suspect).equals(text) { return true }
        return false
    }
}
