// SPDX-License-Identifier: MIT

import TaplineCodings
import Testing

@Suite struct MessageInflaterTests {
    /// RFC 7692 §7.2.3.1 and §7.2.3.2: "Hello", and a repetition that refers to the window.
    private let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    private let again: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]

    private func decode(
        _ inflater: MessageInflater,
        _ message: [UInt8],
        keeping room: Int = .max
    ) throws(CodingError) -> (text: String, count: Int) {
        var output: [UInt8] = []
        let count = try inflater.decode(
            message.span,
            isLast: true,
            keeping: room,
            appendingTo: &output
        )
        return (String(decoding: output, as: UTF8.self), count)
    }

    @Test func messagesReferToEarlierMessages() throws {
        let inflater = try MessageInflater(windowBits: 8)
        #expect(try decode(inflater, hello).text == "Hello")
        #expect(try decode(inflater, again).text == "Hello")
        // RFC 7692 §7.2.3.6: an empty message.
        #expect(try decode(inflater, [0]).text == "")
        #expect(try decode(inflater, again).text == "Hello")
    }

    @Test func messagesAreDecodedPartByPart() throws {
        let inflater = try MessageInflater()
        var output: [UInt8] = []
        for byte in hello {
            _ = try inflater.decode(
                [byte].span,
                isLast: false,
                keeping: .max,
                appendingTo: &output
            )
        }
        _ = try inflater.decode(Span(), isLast: true, keeping: .max, appendingTo: &output)
        #expect(output == Array("Hello".utf8))
    }

    @Test func droppedBytesAreCountedAndStayInTheWindow() throws {
        let inflater = try MessageInflater()
        #expect(try decode(inflater, hello, keeping: 2) == ("He", 5))
        #expect(try decode(inflater, again, keeping: 0) == ("", 5))
        #expect(try decode(inflater, again).text == "Hello")
    }

    @Test func withoutContextTakeoverEachMessageStartsEmpty() throws {
        let inflater = try MessageInflater(forgets: true)
        #expect(try decode(inflater, hello).text == "Hello")
        #expect(throws: CodingError.self) { try decode(inflater, again) }
    }

    /// RFC 7692 §7.2.3.4: a block that is marked as the last one.
    @Test func aStreamMayEndWithinAMessage() throws {
        let inflater = try MessageInflater()
        let ended: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        #expect(try decode(inflater, ended).text == "Hello")
        #expect(try decode(inflater, again).text == "Hello")
    }

    @Test func limitsApplyToEachMessage() throws {
        let limits = DecodingLimits(maxOutputBytes: 5)
        let inflater = try MessageInflater(limits: limits)
        for _ in 0..<3 { #expect(try decode(inflater, hello).count == 5) }
        let small = try MessageInflater(limits: DecodingLimits(maxOutputBytes: 4))
        let error = #expect(throws: CodingError.self) { try decode(small, hello) }
        #expect(error?.code == .outputLimit)
        let steep = try MessageInflater(limits: DecodingLimits(maxRatio: 2, ratioFreeBytes: 0))
        // 1,000 bytes of one letter in a single block with fixed codes.
        let flat: [UInt8] = [0x4A, 0x4C, 0x1C, 0x05, 0xA3, 0x60, 0x14, 0x0C, 0x77, 0x00, 0x00]
        #expect(try decode(MessageInflater(), flat).count > 100)
        #expect(throws: CodingError.self) { try decode(steep, flat) }
    }
}
