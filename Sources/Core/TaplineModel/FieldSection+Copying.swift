// SPDX-License-Identifier: MIT

extension FieldSection {
    /// Copies fields from the head of a message.
    ///
    /// The section takes two allocations, with room for a few fields that stages add. All lines
    /// must be within the head.
    package init(copying lines: Span<Line>, of head: Span<UInt8>) {
        var total = 0
        for index in lines.indices {
            let line = lines[index]
            precondition(
                line.name.upperBound <= head.count && line.value.upperBound <= head.count,
                "a field outside of its message"
            )
            total &+= Int(line.nameCount) &+ Int(line.valueCount)
        }
        self.init()
        guard total < Int(UInt32.max) else { return }
        entries.reserveCapacity(lines.count &+ Self.spareFields)
        var start: UInt32 = 0
        for index in lines.indices {
            let (name, value) = (lines[index].nameCount, lines[index].valueCount)
            entries.append(Entry(start: start, nameCount: name, valueCount: value))
            start &+= name &+ value
        }
        unsafe head.withUnsafeBytes { head in
            bytes.append(addingCapacity: total &+ Self.spareBytes) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                    var target = UnsafeMutableRawBufferPointer(buffer)
                    for index in lines.indices {
                        unsafe Self.copy(head, lines[index].name, to: &target)
                        unsafe Self.copy(head, lines[index].value, to: &target)
                    }
                    count = total
                }
            }
        }
    }

    static let spareFields = 2
    /// At least one block, since `copy` may write a block past the last byte.
    static let spareBytes = 64

    /// Copies a range to the front of a buffer that has 16 spare bytes, and advances the buffer.
    ///
    /// Most names and many values fit into one block, which costs less than a call.
    @inline(__always)
    private static func copy(
        _ head: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        to target: inout UnsafeMutableRawBufferPointer
    ) {
        guard let from = head.baseAddress, let to = target.baseAddress else { return }
        let start = unsafe from + range.lowerBound
        if range.count <= 16, range.lowerBound &+ 16 <= head.count {
            let block = unsafe start.loadUnaligned(as: SIMD16<UInt8>.self)
            unsafe to.storeBytes(of: block, as: SIMD16<UInt8>.self)
        } else {
            unsafe to.copyMemory(from: start, byteCount: range.count)
        }
        unsafe target = UnsafeMutableRawBufferPointer(rebasing: target[range.count...])
    }
}
