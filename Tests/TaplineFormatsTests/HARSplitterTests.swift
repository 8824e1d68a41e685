// SPDX-License-Identifier: MIT

import Testing

@Suite struct HARSplitterTests {
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

    @Test func aTruncatedFileGivesCompleteEntries() {
        let text = Array(#"{"log":{"entries":[\#(entry("/1")),\#(entry("/2"))]}}"#.utf8)
        for length in 20..<text.count {
            let found = outcome([Array(text[..<length])])
            #expect(found.end?.contains("cut off") == true, "\(length)")
            #expect(found.elements.allSatisfy { $0 == "/1" || $0 == "/2" })
        }
    }

    /// The parser limits depth, separately for each entry and each member of the log.
    @Test func depthDoesNotEndReading() {
        let deep = String(repeating: #"[{"a":"#, count: 100) + String(repeating: "}]", count: 100)
        let whole = deep.replacing(":}", with: ":1}")
        for text in [
            #"{"log":{"a":\#(whole),"entries":[\#(entry("/1"))]}}"#,
            #"{"log":{"entries":[\#(entry("/1"))],"a":\#(whole)}}"#,
            "{\n" + #""x":\#(whole),"log":{"entries":[\#(entry("/1"))]}}"#,
        ] {
            #expect(verifyChunking(Array(text.utf8)) == Outcome(elements: ["/1"]))
        }
    }

    @Test func anyChangedByteIsReadOrRejected() {
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
