// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What was found out about texts, for those that were met last.
///
/// Most texts in heads come again and again, and to know one costs a tenth of what it costs to look
/// at it. What comes once takes no place: a text is kept when it is noted for the second time.
///
/// **Shape**: kept by a lane beyond one exchange. Texts are told apart by all their bytes, and by a
/// mark that says what they are.
/// **Limits**: `slots` texts of at most `room` bytes; a newer one takes the place of one of two
/// older ones.
struct ByteMemo<Value: BitwiseCopyable> {
    private struct Slot {
        var hash: UInt64 = 0
        var count: UInt32 = 0
        var mark: UInt32 = 0
        /// Nothing where the slot is free.
        var value: Value?
    }

    private var slots: [Slot]
    private var bytes: [UInt8]
    private let room: Int
    /// Halves of the numbers of texts that were noted once; each has two places, too.
    private var noted: [UInt32]
    /// Which of two places is the next to be used again.
    private var turn = 0

    /// Room for a number of texts, which is a power of two and at least 2.
    init(slots: Int, room: Int) {
        precondition(slots > 1 && slots.nonzeroBitCount == 1, "no power of two")
        self.slots = [Slot](repeating: Slot(), count: slots)
        bytes = [UInt8](repeating: 0, count: slots * room)
        noted = [UInt32](repeating: 0, count: slots * 4)
        self.room = room
    }

    /// What is known of a text; nothing where it is not known.
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

    /// Whether a text was noted before; from now on it was.
    private mutating func isNoted(_ hash: UInt64) -> Bool {
        let half = UInt32(truncatingIfNeeded: hash &>> 32)
        let place = Int(truncatingIfNeeded: hash) & (noted.count - 1)
        if noted[place] == half || noted[place ^ 1] == half { return true }
        noted[place ^ turn] = half
        return false
    }

    /// Notes what is known of a text, unless that is too long.
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
