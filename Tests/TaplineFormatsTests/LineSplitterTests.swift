// SPDX-License-Identifier: MIT

import Testing

@Suite struct LineSplitterTests {
    @Test func readsLines() {
        let text = [record("/1"), record("/2"), "", "  \r", record("/3") + "\r"]
            .joined(separator: "\n")
        let found = verifyChunking(Array((text + "\n").utf8))
        #expect(found == Outcome(elements: ["/1", "/2", "/3"]))
    }

    @Test func aCompleteLastLineWithoutEndIsRead() {
        let text = record("/1") + "\n" + record("/2")
        #expect(verifyChunking(Array(text.utf8)) == Outcome(elements: ["/1", "/2"]))
    }

    @Test func aRecordBeyondTheLimitIsSkipped() {
        let long = record("/" + String(repeating: "x", count: 300))
        let text = [record("/1"), long, record("/2")].joined(separator: "\n") + "\n"
        let found = verifyChunking(Array(text.utf8), maxRecordBytes: 100)
        #expect(found.elements.count == 3)
        #expect(found.elements[0] == "/1" && found.elements[2] == "/2")
        #expect(
            found.elements[1]
                == "f:2: the record is too large; expected at most 100 bytes (byte "
                + "\(record("/1").utf8.count + 1))"
        )
        let archive =
            "{\"log\":{\"entries\":[\n\(entry("/1")),\n\(entry("/" + String(repeating: "x", count: 300)))"
            + ",\n\(entry("/2"))]}}"
        let entries = verifyChunking(Array(archive.utf8), maxRecordBytes: 100)
        #expect(entries.elements.count == 3)
        #expect(entries.elements[1].hasPrefix("f:3: the entry is too large"))
        #expect(entries.elements[2] == "/2")
    }
}
