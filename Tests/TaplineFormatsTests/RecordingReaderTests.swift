// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct RecordingReaderTests {
    @Test func reportsTheFormat() throws {
        var reader = RecordingReader(file: "")
        #expect(reader.format == nil)
        let line = Array(record("/").utf8)
        try reader.read(line.span) { _ in }
        #expect(reader.format == .ndjson)
        var archive = RecordingReader(file: "")
        let start = Array(#"{"log":"#.utf8)
        try archive.read(start.span) { _ in }
        #expect(archive.format == .har)
    }
}
