// SPDX-License-Identifier: MIT

extension FieldSection {
    /// Fills an empty section with two allocations, with room for a few fields that stages add.
    ///
    /// - Parameters:
    ///   - count: The approximate number of fields.
    ///   - byteCount: The maximum total size of their names and values.
    ///   - fill: Appends the fields.
    /// - Throws: The error of `fill`; the section then contains the fields appended before.
    package mutating func fill<Failure: Error>(
        _ count: Int,
        byteCount: Int,
        _ fill: (inout FieldFiller) throws(Failure) -> Void
    ) throws(Failure) {
        precondition(bytes.isEmpty && byteCount < Int(UInt32.max), "no empty section")
        entries.reserveCapacity(count &+ Self.spareFields)
        var filled = entries
        entries = []
        defer { entries = filled }
        try bytes.append(addingCapacity: byteCount &+ Self.spareBytes) {
            (output: inout OutputSpan<UInt8>) throws(Failure) in
            try unsafe output.withUnsafeMutableBufferPointer {
                (buffer, count) throws(Failure) in
                var filler = unsafe FieldFiller(filled, UnsafeMutableRawBufferPointer(buffer))
                filled = []
                defer {
                    filled = filler.entries
                    count = filler.count
                }
                try fill(&filler)
            }
        }
    }
}

/// Appends fields to a section that is being filled.
///
/// **Shape**: valid only during the call of `FieldSection.fill`.
@safe
package struct FieldFiller: ~Copyable {
    fileprivate var entries: [FieldSection.Entry]
    private let bytes: UnsafeMutableRawBufferPointer
    fileprivate var count = 0

    fileprivate init(_ entries: [FieldSection.Entry], _ bytes: UnsafeMutableRawBufferPointer) {
        self.entries = entries
        unsafe self.bytes = bytes
    }

    /// Appends a field after all others.
    package mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
        let start = count
        copy(name)
        copy(value)
        let entry = FieldSection.Entry(
            start: UInt32(truncatingIfNeeded: start),
            nameCount: UInt32(truncatingIfNeeded: name.count),
            valueCount: UInt32(truncatingIfNeeded: value.count)
        )
        entries.append(entry)
    }

    @inline(__always)
    private mutating func copy(_ text: Span<UInt8>) {
        precondition(unsafe text.count <= bytes.count &- count, "more bytes than were announced")
        unsafe text.withUnsafeBytes { text in
            guard let from = text.baseAddress, let to = unsafe bytes.baseAddress else { return }
            unsafe (to + count).copyMemory(from: from, byteCount: text.count)
        }
        count &+= text.count
    }
}
