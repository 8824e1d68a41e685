// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@Suite struct RawRecordsTests {
    @Test func containsTheRecordsOfSeveralChunks() throws {
        var splitter = RecordingSplitter(file: "f")
        var records = RawRecords(file: "f")
        #expect(records.isEmpty && records.format == nil)
        let lines = [record("/1"), record("/2"), record("/3")]
        for line in lines {
            let bytes = Array((line + "\n").utf8)
            try splitter.append(bytes.span, to: &records)
        }
        #expect(records.count == 3 && records.format == .ndjson)
        #expect(records.byteCount == lines.map(\.utf8.count).reduce(0, +))
        let sealed = records
        for (index, line) in lines.enumerated() {
            let found = text(sealed.bytes(at: index))
            #expect(found == line)
        }
        var parser = RecordParser()
        let last = try parser.exchange(at: 2, of: records)
        #expect(last.request.target == "/3")
        records.removeAll()
        #expect(records.isEmpty && records.byteCount == 0)
        #expect("\(RecordingFormat.har)" == "har")
    }
}
