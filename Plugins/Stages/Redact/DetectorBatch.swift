// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// Texts joined by NULs, so that detectors search all of them at once: a call of the detectors
/// costs more than most of these texts.
///
/// A finding in the joined texts is only a hint where to search and need not be found in the text
/// alone. Any finding in a text alone is also found here by detectors that treat a NUL as an end.
///
/// **Shape**: kept for its buffers.
struct DetectorBatch {
    /// The state of a text that had to be decoded.
    enum State {
        case whole
        /// Not included here; must be decoded separately.
        case apart
        /// Not valid in its encoding.
        case none
        /// Does not need to be searched.
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
    /// Whether there are too many of these to look up, so that any text may be one.
    private var hasManySuspects = false
    private static let maxSuspects = 16

    var hasSuspects: Bool { hasManySuspects || !suspects.isEmpty }

    /// Removes all texts and keeps the capacity.
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

    /// Appends a text that a function writes, unless the function returns `false`.
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

    /// Reserves the slot of a text that is not included.
    mutating func appendEmpty(_ state: State) {
        slots.append(Slot(range: bytes.count..<bytes.count, state: state))
    }

    /// Records the texts in which something was found; `nil` marks all of them.
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
        hasManySuspects = suspects.count > DetectorBatch.maxSuspects
    }

    /// Whether something may have been found in a text.
    func isSuspect(_ text: Span<UInt8>) -> Bool {
        guard !hasManySuspects else { return true }
        let bytes = bytes.span
        for suspect in suspects where bytes.extracting(suspect).equals(text) { return true }
        return false
    }
}
