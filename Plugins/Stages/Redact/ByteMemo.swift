// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A cache of facts about recently seen texts.
///
/// Most texts in message heads recur, and a look-up costs a tenth of analyzing the text. A text
/// that occurs only once takes no slot: it is stored when it is noted for the second time.
///
/// **Shape**: kept by a lane across exchanges. Texts are compared by all their bytes and by a mark
/// that identifies their kind. **Limits**: `slots` texts of at most `room` bytes; a newer text
/// replaces one of two older ones.
struct ByteMemo<Value: BitwiseCopyable> {
    private struct Slot {
        var hash: UInt64 = 0
        var count: UInt32 = 0
        var mark: UInt32 = 0
        /// `nil` if the slot is free.
        var value: Value?
    }

    private var slots: [Slot]
    private var bytes: [UInt8]
    private let room: Int
    /// OpenDirections of the hashes of texts that were noted once; each hash has two possible slots here,
    /// too.
    private var noted: [UInt32]
    /// Which of the two slots is reused next.
    private var turn = 0

    /// Creates room for `slots` texts, a power of two that is at least 2.
    init(slots: Int, room: Int) {
        precondition(slots > 1 && slots.nonzeroBitCount == 1, "no power of two")
        self.slots = [Slot](repeating: Slot(), count: slots)
        bytes = [UInt8](repeating: 0, count: slots * room)
        noted = [UInt32](repeating: 0, count: slots * 4)
        self.room = room
    }

    /// Returns the value stored for a text, or `nil` if there is none.
    @inline(__always)
    func value(of text: Span<UInt8>, mark: Int = 0) -> Value? {
        guard text.count <= room else { return nil }
        let hash = text.hash(mark: mark)
        let position = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        if slots[position].hash == hash { return value(at: position, text, mark) }
        if slots[position ^ 1].hash == hash { return value(at: position ^ 1, text, mark) }
        return nil
    }

    @inline(__always)
    private func value(at position: Int, _ text: Span<UInt8>, _ mark: Int) -> Value? {
        let slot = slots[position]
        guard Int(slot.count) == text.count, Int(slot.mark) == mark else { return nil }
        let known = bytes.span.extracting(position * room..<position * room + text.count)
        return known.holdsSame(as: text) ? slot.value : nil
    }

    /// Returns whether a text was noted before, and marks it as noted.
    private mutating func isNoted(_ hash: UInt64) -> Bool {
        let half = UInt32(truncatingIfNeeded: hash &>> 32)
        let place = Int(truncatingIfNeeded: hash) & (noted.count - 1)
        if noted[place] == half || noted[place ^ 1] == half { return true }
        noted[place ^ turn] = half
        return false
    }

    /// Stores a value for a text, unless the text is too long.
    mutating func note(_ value: Value, of text: Span<UInt8>, mark: Int = 0) {
        guard text.count <= room else { return }
        let hash = text.hash(mark: mark)
        turn ^= 1
        guard isNoted(hash) else { return }
        let first = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        var position = first ^ turn
        let other = slots[position ^ 1]
        if slots[position].hash != hash, other.value == nil || other.hash == hash { position ^= 1 }
        slots[position] = Slot(
            hash: hash,
            count: UInt32(truncatingIfNeeded: text.count),
            mark: UInt32(truncatingIfNeeded: mark),
            value: value
        )
        let start = position * room
        for index in text.indices { bytes[start + index] = text[index] }
    }
}
