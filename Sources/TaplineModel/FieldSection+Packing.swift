// SPDX-License-Identifier: MIT

extension FieldSection {
    /// Copies the fields that entries name in a buffer, one right after the other.
    ///
    /// A section in two allocations, without the bytes that no entry names. Entries have to lie in
    /// the buffer.
    package init(packing entries: Span<Entry>, of buffer: Span<UInt8>) {
        self.init()
        var total = 0
        for index in entries.indices {
            let field = entries[index].name.lowerBound..<entries[index].value.upperBound
            precondition(field.upperBound <= buffer.count, "a field outside of its buffer")
            total += field.count
        }
        guard total < Int(UInt32.max) else { return }
        reserveCapacity(fields: entries.count, bytes: total)
        var start: UInt32 = 0
        for index in entries.indices {
            let entry = entries[index]
            let field = entry.name.lowerBound..<entry.value.upperBound
            bytes.append(copying: buffer.extracting(field))
            self.entries.append(
                Entry(start: start, nameCount: entry.nameCount, valueCount: entry.valueCount)
            )
            start += UInt32(truncatingIfNeeded: field.count)
        }
    }
}
