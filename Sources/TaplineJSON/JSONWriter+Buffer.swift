// SPDX-License-Identifier: MIT

/// The buffer, and the loops that fill it.
extension JSONWriter {
    /// Makes room for `extra` more bytes.
    @inline(__always)
    mutating func reserve(_ extra: Int) {
        if capacity &- count < extra { grow(by: extra) }
    }

    @inline(never)
    private mutating func grow(by extra: Int) {
        let larger = max(capacity * 2, count + extra)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe moved.update(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = moved
        capacity = larger
    }

    /// Writes a byte there is room for.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        unsafe base[count] = byte
        count &+= 1
    }

    @inline(__always)
    mutating func comma() {
        if needsComma {
            put(0x2C)
            needsComma = false
        }
    }

    mutating func open(_ bracket: UInt8) {
        reserve(2)
        comma()
        put(bracket)
    }

    mutating func close(_ bracket: UInt8) {
        reserve(1)
        put(bracket)
        needsComma = true
    }

    mutating func literal(_ word: StaticString) {
        let length = word.utf8CodeUnitCount
        reserve(length + 1)
        comma()
        unsafe (base + count).update(from: word.utf8Start, count: length)
        count += length
        needsComma = true
    }

    /// Writes one byte.
    mutating func append(_ byte: UInt8) {
        reserve(1)
        put(byte)
    }

    /// Copies bytes as they are.
    mutating func append(_ bytes: Span<UInt8>) {
        reserve(bytes.count)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let source = buffer.baseAddress else { return }
            unsafe (base + count).update(from: source, count: buffer.count)
            count += buffer.count
        }
    }

    /// Writes decimal digits there is room for, two at a time from the end.
    mutating func digits(_ value: UInt64) {
        if value < 10 { return put(0x30 &+ UInt8(truncatingIfNeeded: value)) }
        var length = 1
        var bound: UInt64 = 10
        while value >= bound {
            length &+= 1
            let (next, over) = bound.multipliedReportingOverflow(by: 10)
            if over { break }
            bound = next
        }
        var rest = value
        var at = count &+ length
        count = at
        while rest > 0 {
            at &-= 1
            unsafe base[at] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Copies text, escaping quotes, backslashes and control characters.
    ///
    /// Eight bytes are tested and copied at once; what was copied too far is written over.
    mutating func escape(_ text: Span<UInt8>) {
        let length = text.count
        unsafe text.withUnsafeBytes { buffer in
            reserve(length &+ JSONWriter.slack)
            var at = 0
            while at < length {
                if length &- at >= 8 {
                    let word = unsafe buffer.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                    unsafe UnsafeMutableRawPointer(base + count)
                        .storeBytes(of: word, as: UInt64.self)
                    let hits = bytesToEscape(UInt64(littleEndian: word))
                    let clean = hits == 0 ? 8 : hits.trailingZeroBitCount &>> 3
                    at &+= clean
                    count &+= clean
                    if hits == 0 { continue }
                }
                let byte = unsafe buffer[at]
                at &+= 1
                if byte >= 0x20, byte != 0x22, byte != 0x5C {
                    put(byte)
                } else {
                    escape(byte)
                    reserve(length &- at &+ JSONWriter.slack)
                }
            }
        }
    }

    /// Room for the longest escape and for the eight bytes that are copied at once.
    private static var slack: Int { 16 }

    /// Writes the escape of one byte there is room for.
    private mutating func escape(_ byte: UInt8) {
        put(0x5C)
        switch byte {
        case 0x22, 0x5C: put(byte)
        case 0x0A: put(0x6E)
        case 0x0D: put(0x72)
        case 0x09: put(0x74)
        case 0x08: put(0x62)
        case 0x0C: put(0x66)
        default: escapeScalar(byte, escaped: true)
        }
    }

    /// Writes `\u00xx`; the backslash only where it is not there yet.
    mutating func escapeScalar(_ scalar: UInt8, escaped: Bool = false) {
        reserve(6)
        if !escaped { put(0x5C) }
        put(0x75)
        put(0x30)
        put(0x30)
        put(hexDigit(scalar &>> 4))
        put(hexDigit(scalar & 0x0F))
    }

    private func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x57 &+ value }
}

/// The top bit of each byte that needs an escape; exact up to and including the first hit.
@inline(__always)
private func bytesToEscape(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let control = (word &- ones &* 0x20) & ~word
    return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & tops
}
