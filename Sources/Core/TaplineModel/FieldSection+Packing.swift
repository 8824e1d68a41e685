// SPDX-License-Identifier: MIT

extension FieldSection {
    /// Copies the fields that entries refer to in a buffer.
    ///
    /// The section takes two allocations and leaves out bytes that no entry refers to. Entries must
    /// be within the buffer and must not overlap.
    package init(packing entries: Span<Entry>, of buffer: Span<UInt8>) {
        self.init()
        var total = 0
        for index in entries.indices {
            let entry = entries[index]
            precondition(entry.value.upperBound <= buffer.count, "a field outside of its buffer")
            total &+= Int(entry.nameCount) &+ Int(entry.valueCount)
        }
        guard total < Int(UInt32.max) else { return }
        if total == buffer.count {
            // Each byte belongs to a field, so the whole buffer can be copied.
            bytes = Array(copying: buffer)
            self.entries = Array(copying: entries)
            return
        }
        fill(entries.count, byteCount: total) { filler in
            for index in entries.indices {
                let entry = entries[index]
                filler.append(
                    name: buffer.extracting(entry.name),
                    value: buffer.extracting(entry.value)
                )
            }
        }
    }
}
