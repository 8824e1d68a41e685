// SPDX-License-Identifier: MIT

import Testing

@Suite struct ContentSplitterTests {
    @Test func skipsAByteOrderMark() {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(
            verifyChunking(mark + Array(record("/1").utf8)) == Outcome(elements: ["/1"])
        )
        let archive = #"{"log":{"entries":[\#(entry("/1"))]}}"#
        #expect(verifyChunking(mark + Array(archive.utf8)) == Outcome(elements: ["/1"]))
    }

    @Test(arguments: [
        #"{"zzz":1,"log":{"entries":[%]}}"#,
        #"{ "a" : {"v":1,"x":"\"}"} , "log" :{"entries":[%]}}"#,
        "{\"a\":1,\n\"log\":{\"entries\":[%]}}",
        #"{"$schema":["v"],"b":"v","log":{"entries":[%]}}"#,
    ])
    func aHARFileMayBeginWithAnotherKey(_ shape: String) {
        let text = shape.replacing("%", with: entry("/1"))
        #expect(verifyChunking(Array(text.utf8)) == Outcome(elements: ["/1"]))
    }

    /// The examined bytes count from the start of the object, for any chunks.
    @Test func blanksBeforeAHARFileDoNotCount() {
        let blanks = [UInt8](repeating: 0x20, count: 5000)
        for text in [
            #"{"log":{"entries":[\#(entry("/1"))]}}"#,
            #"{"a":1, "log":{"entries":[\#(entry("/1"))]}}"#,
        ] {
            let bytes = blanks + Array(text.utf8)
            #expect(outcome([bytes]) == Outcome(elements: ["/1"]))
            #expect(outcome(bytes.map { [$0] }) == Outcome(elements: ["/1"]))
        }
    }

    /// Content whose first bytes are inconclusive is NDJSON, for any chunks.
    @Test(arguments: [4000, 5000])
    func aFileWithALongFirstMemberIsNDJSON(length: Int) {
        let long = String(repeating: "x", count: length)
        let text = #"{"a":"\#(long)","log":{"entries":[\#(entry("/1"))]}}"#
        let whole = outcome([Array(text.utf8)])
        #expect((whole.elements == ["/1"]) == (length == 4000))
        #expect(outcome(text.utf8.map { [$0] }) == whole)
    }

    @Test(arguments: [
        #"{"zzz":1,%,"log":{"a":1}}"#, #"{"log2":{},%}"#, #"{"zzz":{"log":1},%}"#,
        #"{"a":"log","b":["log"],%}"#, #"{%}"#, #"{"x":1,"tags":{},%}"#,
    ])
    func aRecordMayBeginWithAnotherKey(_ shape: String) {
        let line = shape.replacing("%", with: String(record("/1").dropFirst().dropLast()))
        #expect(
            verifyChunking(Array("\(line)\n\(line)\n".utf8)) == Outcome(elements: ["/1", "/1"])
        )
    }

    @Test(arguments: ["", " ", "\n\n", "\r\n \t"])
    func blankContentIsAnEmptyRecording(_ text: String) {
        #expect(verifyChunking(Array(text.utf8)) == Outcome())
    }

    @Test(arguments: [
        #"{"log":{"entries":[{}{}]}}"#, #"{"log":{"entries":{}}}"#,
        #"{"log":{}}"#, #"{"log":[]}"#, #"{"log":{"entries":[]}}}"#, #"{"log":{"entries":[]}}{}"#,
        #"{"log":{"entries":[]}} x"#, #"{"log":{"entries":[]]}}"#, #"{"log":{"entries":[}}"#,
        "[1]", "GET / HTTP/1.1", "\u{0}", "\u{EF}", "<html>",
    ])
    func otherContentEndsInAnError(_ text: String) {
        #expect(verifyChunking(Array(text.utf8)).end != nil)
    }

    /// One element that is not an object is a broken record, not a broken file.
    @Test(arguments: ["1", "\"a\"", "null", ",{}", "true", "-1e5"])
    func elementsThatAreNotEntriesAreBrokenRecords(_ element: String) {
        let found = verifyChunking(
            Array(#"{"log":{"entries":[\#(entry("/1")),\#(element),\#(entry("/2"))]}}"#.utf8)
        )
        #expect(found.end == nil)
        #expect(found.elements.first == "/1" && found.elements.last == "/2")
        #expect(found.elements.dropFirst().first?.contains("not an object") == true)
    }
}
