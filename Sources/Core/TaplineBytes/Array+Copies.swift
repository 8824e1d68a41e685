// SPDX-License-Identifier: MIT

// `Span` cannot copy as fast as raw memory can, so copying is implemented here, in one place.

extension Array {
    /// Copies a span.
    @inlinable
    package init(copying elements: Span<Element>) {
        self = unsafe elements.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension Array where Element == UInt8 {
    /// Appends a copy of a span.
    @inlinable
    package mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Copies a span, with ASCII capital letters converted to lower case.
    package init(lowercasing bytes: Span<UInt8>) {
        self.init()
        reserveCapacity(bytes.count)
        for index in bytes.indices { append(bytes[index].asciiLowercased) }
    }

    /// Overwrites a range with a span that is at most as long; the rest is filled with zeros.
    package mutating func overwrite(_ range: Range<Int>, with bytes: Span<UInt8>) {
        precondition(bytes.count <= range.count && range.upperBound <= count, "no room")
        unsafe withUnsafeMutableBytes { target in
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: target[range])
            unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
            for index in bytes.count..<target.count { unsafe target[index] = 0 }
        }
    }
}

extension OutputSpan where Element == UInt8 {
    /// Appends a copy of a span; there must be enough free capacity.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func append(copying source: Span<UInt8>) {
        precondition(source.count <= freeCapacity, "no room for the bytes")
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe source.withUnsafeBufferPointer { bytes in
                guard let target = buffer.baseAddress, let from = bytes.baseAddress else { return }
                unsafe (target + count).update(from: from, count: bytes.count)
            }
            count &+= source.count
        }
    }

    /// Appends a text; there must be enough free capacity.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        precondition(length <= freeCapacity, "no room for the bytes")
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            guard let target = buffer.baseAddress else { return }
            unsafe (target + count).update(from: text.utf8Start, count: length)
            count &+= length
        }
    }
}

extension Hasher {
    /// Hashes the bytes, as many at a time as possible, and their count.
    package mutating func combine(_ bytes: Span<UInt8>) {
        combine(bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
    }
}
