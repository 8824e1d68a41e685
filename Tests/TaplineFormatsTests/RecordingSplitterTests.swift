// SPDX-License-Identifier: MIT

import TaplineCodings
import Testing

@Suite struct RecordingSplitterTests {
    @Test(arguments: [ContentCoding.gzip, .zstd])
    func decompresses(_ coding: ContentCoding) throws {
        let lines = (0..<500).map { record("/\($0)") + "\n" }.joined()
        var coded: [UInt8] = []
        let plain = Array(lines.utf8)
        try ContentEncoder(coding).encodeWhole(plain.span, appendingTo: &coded)
        let whole = outcome([coded])
        #expect(whole.elements == (0..<500).map { "/\($0)" })
        #expect(whole.end == nil)
        #expect(outcome(coded.map { [$0] }) == whole)

        let cut = outcome([Array(coded[..<(coded.count - 20)])])
        #expect(cut.end?.contains("cut off") == true)
        #expect(cut.elements == Array(whole.elements[..<cut.elements.count]))

        var broken = coded
        for index in 40..<60 { broken[index] ^= 0xFF }
        #expect(outcome([broken]).end != nil)
    }

    /// The last complete entry is held until the next one or the end is found.
    @Test func aTruncatedCompressedFileGivesCompleteEntries() throws {
        let text = Array(#"{"log":{"entries":[\#(entry("/1")),\#(entry("/2")),"#.utf8)
        var coded: [UInt8] = []
        let encoder = try ContentEncoder(.gzip)
        try encoder.encode(text.span, appendingTo: &coded)
        try encoder.flush(appendingTo: &coded)
        let cut = outcome([coded])
        #expect(cut.elements == ["/1", "/2"] && cut.end?.contains("cut off") == true)
        // A reserved kind of block (RFC 1951 section 3.2.3).
        let broken = outcome([coded + [0xFF, 0xFF]])
        #expect(broken.elements == ["/1", "/2"] && broken.end != nil)
    }

    @Test func compressedZerosDoNotFillTheMemory() throws {
        var coded: [UInt8] = []
        let zeros = [UInt8](repeating: 0x20, count: 8 << 20)
        try ContentEncoder(.gzip).encodeWhole(zeros.span, appendingTo: &coded)
        let found = outcome([coded], maxRecordBytes: 1000)
        #expect(found == Outcome() || found.elements.count == 1)
    }
}
