// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@Suite struct ByteStringTests {
    @Test func keepsAnyBytesOfAnyLength() {
        var random = Random(seed: 1)
        for length in Array(0...40) + [255, 256, 1000] {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let string = ByteString(bytes)
            #expect(Array(copying: string.span) == bytes)
            #expect(string.count == length)
            #expect(string.isEmpty == (length == 0))
            #expect(string == ByteString(bytes.span))
            #expect(string.hashValue == ByteString(bytes.span).hashValue)
            guard length > 0 else { continue }
            var other = bytes
            other[random.below(length)] ^= 1
            #expect(string != ByteString(other))
            #expect(string != ByteString(Array(bytes.dropLast())))
        }
    }

    @Test func inlineBytesMayHaveAnyLastByte() {
        // The byte that marks the heap must not be confused with content.
        for last in UInt8.min...UInt8.max {
            let bytes = [UInt8](repeating: last, count: ByteString.inlineCapacity)
            #expect(Array(copying: ByteString(bytes).span) == bytes)
        }
    }

    @Test func textIsAvailableForUTF8() {
        #expect(ByteString("é").text == "é")
        #expect(ByteString([0xC3]).text == nil)
        #expect(ByteString([0x61, 0xFF]).description == "a\u{FFFD}")
    }

    @Test(arguments: ["", "GET", "123456789012345", "1234567890123456"])
    func givesAccessToBytesInPlace(text: String) {
        var string = ByteString(text)
        let found = unsafe withUnsafePointer(to: &string) {
            unsafe Array(ByteString.bytes(at: $0))
        }
        #expect(found == Array(text.utf8))
    }
}
