// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

/// What a recording gives: an exchange's target or an error, and the error that ended it.
struct Outcome: Equatable, CustomStringConvertible {
    var elements: [String] = []
    var end: String?

    var description: String { "\(elements) end: \(end ?? "-")" }
}

func outcome(_ chunks: [[UInt8]], maxRecordBytes: Int = 1 << 20) -> Outcome {
    var result = Outcome()
    var reader = RecordingReader(file: "f", maxRecordBytes: maxRecordBytes)
    func receive(_ element: RecordingReader.Element) {
        switch element {
        case .success(let exchange): result.elements.append("\(exchange.request.target)")
        case .failure(let error): result.elements.append("\(error)")
        }
    }
    do {
        for chunk in chunks { try reader.read(chunk.span, receive) }
        try reader.finish(receive)
    } catch {
        result.end = "\(error)"
    }
    return result
}

/// Feeds bytes whole, one by one, and cut at each position: the outcome has to be the same.
func verifyChunking(_ bytes: [UInt8], maxRecordBytes: Int = 1 << 20) -> Outcome {
    let whole = outcome([bytes], maxRecordBytes: maxRecordBytes)
    #expect(outcome(bytes.map { [$0] }, maxRecordBytes: maxRecordBytes) == whole, "single bytes")
    for cut in bytes.indices {
        let parts = [Array(bytes[..<cut]), Array(bytes[cut...])]
        let found = outcome(parts, maxRecordBytes: maxRecordBytes)
        if found != whole {
            Issue.record("cut at \(cut): \(found), whole: \(whole)")
            break
        }
    }
    return whole
}

func record(_ target: String) -> String {
    #"{"v":1,"request":{"method":"GET","url":"http://h\#(target)"}}"#
}

func entry(_ target: String) -> String {
    #"{"request":{"method":"GET","url":"http://h\#(target)"}}"#
}

@Suite struct RecordingReaderTests {
    @Test func readsLines() {
        let text = [record("/1"), record("/2"), "", "  \r", record("/3") + "\r"]
            .joined(separator: "\n")
        let found = verifyChunking(Array((text + "\n").utf8))
        #expect(found == Outcome(elements: ["/1", "/2", "/3"]))
    }

    @Test func skipsAByteOrderMark() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(
            verifyChunking(mark + Array(record("/1").utf8)) == Outcome(elements: ["/1"])
        )
        let archive = #"{"log":{"entries":[\#(entry("/1"))]}}"#
        #expect(verifyChunking(mark + Array(archive.utf8)) == Outcome(elements: ["/1"]))
    }

    @Test func aLastLineWithoutEndIsReadWhenItIsWhole() {
        let text = record("/1") + "\n" + record("/2")
        #expect(verifyChunking(Array(text.utf8)) == Outcome(elements: ["/1", "/2"]))
    }

    @Test func aLastLineThatIsCutOffIsToldApart() {
        let first = record("/1") + "\n"
        var codes: [RecordError.Code] = []
        var reader = RecordingReader(file: "f")
        func receive(_ element: RecordingReader.Element) {
            if case .failure(let error) = element { codes.append(error.code) }
        }
        let bytes = Array((first + #"{"v":1,"requ"# + "\n" + #"{"v":1,"req"#).utf8)
        do {
            try reader.read(bytes.span, receive)
            try reader.finish(receive)
        } catch {
            Issue.record(error)
        }
        #expect(codes == [.notJSON, .cutOff])
    }

    @Test func errorsCarryFileLineAndByte() {
        let bad = #"{"v":1,"request":{"method":"GET","url":7}}"#
        let text = [record("/1"), bad, record("/2")].joined(separator: "\n") + "\n"
        let start = record("/1").utf8.count + 1
        let found = verifyChunking(Array(text.utf8))
        #expect(
            found
                == Outcome(elements: [
                    "/1",
                    "f:2: wrong value of 'url'; found a number, "
                        + "expected a string or an object with 'base64' (byte \(start + 39))",
                    "/2",
                ])
        )
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

    @Test(arguments: [
        #"{"log":{"entries":[%,%]}}"#,
        #"{ "log" : { "version":"1.2", "entries" : [ % , % ] , "x":[1,{"entries":[2]}] } }"#,
        "{\n\t\"x\": {\"entries\": [1, 2]}, \"log\": {\n\"entries\": [\r\n%,\n%\n]\n}\n}\n",
        #"{"log":{"creator":{"entries":[3],"name":"\"]}{["},"entries":[%],"entries":[%]}}"#,
        "{\n\"comment\":\"\\\\\",\"log\":{\"entries\":[],\"\\u0065ntries\":[4],\"entries\":[%,%]}}",
    ])
    func findsTheEntriesOfAnArchive(_ shape: String) {
        let parts = shape.split(separator: "%", omittingEmptySubsequences: false)
        let tricky = #"{"a":"]}\"[{","request":{"method":"GET","url":"http://h/2\\"},"n":[[{}]]}"#
        let text = parts[0] + entry("/1") + parts[1] + tricky + parts[2]
        let found = verifyChunking(Array(text.utf8))
        #expect(found == Outcome(elements: ["/1", #"/2\"#]))
    }

    @Test func anArchiveThatIsCutOffGivesWhatIsWhole() {
        let text = Array(#"{"log":{"entries":[\#(entry("/1")),\#(entry("/2"))]}}"#.utf8)
        for length in 20..<text.count {
            let found = outcome([Array(text[..<length])])
            #expect(found.end?.contains("cut off") == true, "\(length)")
            #expect(found.elements.allSatisfy { $0 == "/1" || $0 == "/2" })
        }
    }

    @Test(arguments: [
        #"{"log":{"entries":[1]}}"#, #"{"log":{"entries":["a"]}}"#, #"{"log":{"entries":[null]}}"#,
        #"{"log":{"entries":[{}{}]}}"#, #"{"log":{"entries":[,{}]}}"#, #"{"log":{"entries":{}}}"#,
        #"{"log":{}}"#, #"{"log":[]}"#, #"{"log":{"entries":[]}}}"#, #"{"log":{"entries":[]}}{}"#,
        #"{"log":{"entries":[]}} x"#, #"{"log":{"entries":[]]}}"#, #"{"log":{"entries":[}}"#,
        "[1]", "GET / HTTP/1.1", "\u{0}", "\u{EF}", "<html>",
    ])
    func whatIsNoRecordingEndsInAnError(_ text: String) {
        #expect(verifyChunking(Array(text.utf8)).end != nil)
    }

    @Test(arguments: ["", " ", "\n\n", "\r\n \t"])
    func nothingIsAnEmptyRecording(_ text: String) {
        #expect(verifyChunking(Array(text.utf8)) == Outcome())
    }

    @Test(arguments: [ContentCoding.gzip, .zstd])
    func undoesCompression(_ coding: ContentCoding) throws {
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

    @Test func zerosInAFewBytesDoNotFillTheMemory() throws {
        var coded: [UInt8] = []
        let zeros = [UInt8](repeating: 0x20, count: 8 << 20)
        try ContentEncoder(.gzip).encodeWhole(zeros.span, appendingTo: &coded)
        let found = outcome([coded], maxRecordBytes: 1000)
        #expect(found == Outcome() || found.elements.count == 1)
    }

    @Test func saysTheFormat() throws {
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

    @Test func anyChangeOfAByteIsReadOrRefused() {
        let text = Array(
            #"{"log":{"x":1,"entries":[\#(entry("/1")),\#(entry("/2"))],"y":[]}}"#.utf8
        )
        for index in text.indices {
            for byte: UInt8 in [0x00, 0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x0A, 0xFF] {
                var changed = text
                changed[index] = byte
                let whole = outcome([changed])
                #expect(outcome(changed.map { [$0] }) == whole, "\(index) \(byte)")
            }
        }
    }
}
