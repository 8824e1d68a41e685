// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

/// What a file has beside its entries.
@Suite struct HARLogTests {
    func logs(_ text: String) throws -> [String] {
        try HARRoundTripTests.read(text).0.map { "\($0.har)" }
    }

    @Test func theFirstAndTheLastEntryCarryIt() throws {
        let entries = [entry("/1"), entry("/2"), entry("/3")].joined(separator: ",")
        let found = try logs(
            #"{"log": { "creator" : {"name":"x"}, "a":[1, {"b":"\"]"}],"entries":[\#(entries)] ,"#
                + #""pages":[ ],"version":"1.2"}}"#
        )
        #expect(
            found == [
                #"{"log":{"creator":{"name":"x"},"a":[1,{"b":"\"]"}]}}"#, "",
                #"{"log":{"pages":[]}}"#,
            ]
        )
    }

    @Test func chunksMakeNoDifference() throws {
        let text = Array(HARFixtures.polly.utf8)
        var whole: [Exchange] = []
        var reader = RecordingReader(file: "f")
        for byte in text {
            let chunk = [byte]
            try reader.read(chunk.span) { whole.append(try $0.get()) }
        }
        try reader.finish { whole.append(try $0.get()) }
        #expect(try HARRoundTripTests.read(HARFixtures.polly).0 == whole)
    }

    @Test func aBrokenEntryHandsItOn() throws {
        let text = Array(
            #"{"log":{"a":1,"entries":[{"request":1},\#(entry("/2")),{"x":1}],"b":2}}"#.utf8
        )
        var found: [String] = []
        var reader = RecordingReader(file: "f")
        try reader.read(text.span) { if case .success(let one) = $0 { found.append("\(one.har)") } }
        try reader.finish { if case .success(let one) = $0 { found.append("\(one.har)") } }
        #expect(found == [#"{"log":{"a":1}}"#])
        #expect(reader.losses.losses.map(\.field) == ["log (without entries)"])
    }

    @Test func aLogThatIsTooLargeIsCounted() throws {
        let long = String(repeating: "x", count: 2000)
        let text = Array(#"{"log":{"a":"\#(long)","b":1,"entries":[\#(entry("/1"))]}}"#.utf8)
        var reader = RecordingReader(file: "f", maxRecordBytes: 1000)
        var found: [String] = []
        try reader.read(text.span) { found.append("\(try $0.get().har)") }
        try reader.finish { found.append("\(try $0.get().har)") }
        #expect(found == [#"{"log":{"b":1}}"#])
        #expect(reader.losses.losses.map(\.field) == ["log (beyond the limit)"])
    }

    @Test func aSecondFileDoesNotReplaceTheFirst() throws {
        var one = HARLossesTests.plain
        one.har = #"{"log":{"pages":[1],"creator":{"name":"x"}}}"#
        var two = HARLossesTests.plain
        two.har = #"{"log":{"pages":[2],"more":3}}"#
        let (text, losses) = try HARRoundTripTests.write([one, two])
        let log = try #require(try JSONTree(text)["log"])
        #expect(log["pages"] == .array([.number("1")]) && log["more"] == .number("3"))
        #expect(log["_creator"]?["name"]?.string == "x")
        #expect(losses.losses.map(\.field) == ["log (of more than one file)"])
    }

    @Test func aLogThatIsNoJSONIsCounted() throws {
        let text = Array(#"{"log":{"a":tru,"entries":[\#(entry("/1"))]}}"#.utf8)
        var reader = RecordingReader(file: "f")
        var count = 0
        try reader.read(text.span) { _ in count += 1 }
        try reader.finish { _ in count += 1 }
        #expect(count == 1)
        #expect(reader.losses.losses.map(\.field) == ["log (malformed)"])
    }
}
