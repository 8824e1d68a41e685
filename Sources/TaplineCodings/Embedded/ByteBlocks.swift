// SPDX-License-Identifier: MIT

/// Looks at eight bytes at a time, in one word.
///
/// What is rare in a text is found so at gigabytes a second; what is done with it then may take its
/// time. The vectors of the standard library are compared one element after the other, which is
/// several times slower.
enum ByteBlocks {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let uppers: UInt64 = 0x8080_8080_8080_8080

    /// The upper bit of each byte that lies between two others; all bytes are below 128.
    @inline(__always)
    private static func range(_ block: UInt64, _ first: UInt8, _ last: UInt8) -> UInt64 {
        // With as much added, what is too small stays below 128, and what is not too large too.
        (block &+ ones &* UInt64(0x80 &- first)) & ~(block &+ ones &* UInt64(0x7F &- last))
    }

    /// The upper bit of each byte that is a certain one; all bytes are below 128.
    @inline(__always)
    private static func equal(_ block: UInt64, _ byte: UInt8) -> UInt64 {
        ~((block ^ ones &* UInt64(byte)) &+ ones &* 0x7F)
    }

    /// The upper bit of each byte that is a digit of base64, of either alphabet.
    @inline(__always)
    private static func digits(_ block: UInt64) -> UInt64 {
        let low = block & ~uppers
        let letters = range(low | ones &* 0x20, UInt8(ascii: "a"), UInt8(ascii: "z"))
        let numbers = range(low, UInt8(ascii: "/"), UInt8(ascii: "9"))
        let signs =
            equal(low, UInt8(ascii: "+")) | equal(low, UInt8(ascii: "-"))
            | equal(low, UInt8(ascii: "_"))
        return (letters | numbers | signs) & ~block & uppers
    }

    /// The upper bit of each byte that may begin an escape.
    @inline(__always)
    private static func marks(_ block: UInt64) -> UInt64 {
        let low = block & ~uppers
        let found =
            range(low, UInt8(ascii: "%"), UInt8(ascii: "&")) | equal(low, UInt8(ascii: "\\"))
        return found & ~block & uppers
    }

    /// The upper bit of each byte that ends a run of escapes, or may begin one of them.
    @inline(__always)
    private static func marksAndBorders(_ block: UInt64) -> UInt64 {
        let low = block & ~uppers
        let found = ~(low &+ ones &* 0x60) | equal(low, UInt8(ascii: "\""))
        return found & ~block & uppers | marks(block)
    }

    /// The next byte at or behind a place that may begin an escape; the end where there is none.
    static func nextMark(_ bytes: Span<UInt8>, from start: Int) -> Int {
        next(bytes, from: start, marks, EscapeUnit.mayBegin)
    }

    /// The next byte at or behind a place that may begin an escape or ends a run of them; the end
    /// where there is none.
    static func nextMarkOrBorder(_ bytes: Span<UInt8>, from start: Int) -> Int {
        next(bytes, from: start, marksAndBorders) { byte in
            EscapeUnit.mayBegin(byte) || byte < 0x20 || byte == UInt8(ascii: "\"")
        }
    }

    @inline(__always)
    private static func next(
        _ bytes: Span<UInt8>,
        from start: Int,
        _ bits: (UInt64) -> UInt64,
        _ isWanted: (UInt8) -> Bool
    ) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in
            var index = start
            while index &+ 8 <= bytes.count {
                let block = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let found = bits(UInt64(littleEndian: block))
                if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
                index &+= 8
            }
            guard index < bytes.count, bytes.count >= 8 else {
                while index < bytes.count, unsafe !isWanted(bytes[index]) { index &+= 1 }
                return index
            }
            // The last eight bytes, without those that were looked at.
            let last = bytes.count &- 8
            let block = unsafe bytes.loadUnaligned(fromByteOffset: last, as: UInt64.self)
            let rest = UInt64.max &<< UInt64(8 &* (index &- last))
            let found = bits(UInt64(littleEndian: block)) & rest
            return found == 0 ? bytes.count : last &+ found.trailingZeroBitCount / 8
        }
    }

    /// Where the next run of digits begins that has at least `length` of them, at most 32; nothing
    /// where there is none within the range.
    static func nextRun(_ bytes: Span<UInt8>, _ range: Range<Int>, length: Int) -> Int? {
        unsafe bytes.withUnsafeBytes { bytes in
            var index = range.lowerBound
            // What begins in the last places of a block is seen whole in the next one.
            let step = 64 &- length &+ 1
            while index &+ 64 <= range.upperBound {
                var mask: UInt64 = 0
                for part in 0..<8 {
                    let bits = unsafe digitBits(bytes, index &+ 8 &* part)
                    mask |= bits &<< UInt64(8 &* part)
                }
                let runs = runs(mask, length)
                if runs != 0 { return index &+ runs.trailingZeroBitCount }
                index &+= step
            }
            guard index &+ length <= range.upperBound else { return nil }
            var mask: UInt64 = 0
            var place = 0
            var position = index
            while position &+ 8 <= range.upperBound {
                unsafe mask |= digitBits(bytes, position) &<< UInt64(place)
                place &+= 8
                position &+= 8
            }
            if position < range.upperBound, range.upperBound >= 8 {
                // The last eight bytes, without those that were looked at.
                let last = range.upperBound &- 8
                let bits = unsafe digitBits(bytes, last) &>> UInt64(position &- last)
                mask |= bits &<< UInt64(place)
                position = range.upperBound
            }
            while position < range.upperBound {
                if unsafe Base64Text.isDigit(bytes[position]) { mask |= 1 &<< UInt64(place) }
                place &+= 1
                position &+= 1
            }
            let runs = runs(mask, length)
            return runs == 0 ? nil : index &+ runs.trailingZeroBitCount
        }
    }

    /// A bit for each of eight bytes that is a digit.
    @unsafe
    @inline(__always)
    private static func digitBits(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
        let block = unsafe bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        // Moves the bit of byte n to place 56 + n; no two meet on the way.
        let found = digits(UInt64(littleEndian: block)) &>> 7
        return (found &* 0x0102_0408_1020_4080) &>> 56
    }

    /// A bit for each place from which on so many bits are set.
    @inline(__always)
    private static func runs(_ mask: UInt64, _ length: Int) -> UInt64 {
        var mask = mask
        var done = 1
        while mask != 0, done < length {
            let shift = min(done, length &- done)
            mask &= mask &>> UInt64(shift)
            done &+= shift
        }
        return mask
    }
}
