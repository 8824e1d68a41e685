// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

/// The members of a file's log other than the entries.
@Suite struct HARLogTests {
    func logs(_ text: String) throws -> [String] {
        try HARRoundTripTests.read(text).0.map { "\($0.har)" }
    }

    @Test func logIsAttachedToTheFirstAndLastEntry() throws {
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

    @Test func aBrokenEntryPassesTheLogOn() throws {
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
        var reader = RecordingReader(file: "f", maxExtraBytes: 1000)
        var found: [String] = []
        try reader.read(text.span) { found.append("\(try $0.get().har)") }
        try reader.finish { found.append("\(try $0.get().har)") }
        #expect(found == [#"{"log":{"b":1}}"#])
        #expect(reader.losses.losses.map(\.field) == ["log (beyond the limit)"])
    }

    /// The limit applies to all members together, before and after the entries.
    @Test func theLimitAppliesToTheWholeFile() throws {
        let member = #""a":"\#(String(repeating: "x", count: 60))""#
        let lists = (0..<20).map { #"\#(member),"entries":[\#(entry("/\($0)"))]"# }
        let text = Array(#"{"log":{\#(lists.joined(separator: ","))}}"#.utf8)
        var splitter = RecordingSplitter(file: "f", maxExtraBytes: 200)
        var records = RawRecords(file: "f")
        try splitter.append(text.span, to: &records)
        try splitter.finish(to: &records)
        #expect(records.count == 20)
        let entries = (0..<20).reduce(0) { $0 + entry("/\($1)").utf8.count }
        #expect(records.byteCount - entries <= 200)
        #expect(splitter.losses.losses.map(\.count) == [17])
    }

    @Test func aFileWithTooManyMembersCountsThem() throws {
        var one = HARLossesTests.plain
        let members = (0..<300).map { "\"m\($0)\":1" }.joined(separator: ",")
        one.har = ByteString(#"{"log":{\#(members)}}"#)
        let (_, losses) = try HARRoundTripTests.write([one])
        #expect(losses.losses.map(\.field) == ["log (of more than 256 members)"])
        #expect(losses.losses.map(\.count) == [44])
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

    @Test func aMalformedLogIsCounted() throws {
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        let entry = entry("/1")
        for (member, field) in [
            (#""b":tru"#, "log (malformed)"), (#""b":[1,]"#, "log (malformed)"),
            (#""b""#, "log (malformed)"), (#""b":[1}]"#, nil),
            (#""b":\#(deep)"#, "log (malformed)"), (#""b":[[{}]]"#, ""),
        ] as [(String, String?)] {
            let text = Array(#"{"log":{"a":1,\#(member),"c":[2],"entries":[\#(entry)]}}"#.utf8)
            var reader = RecordingReader(file: "f")
            var found: [Exchange] = []
            do {
                try reader.read(text.span) { found.append(try $0.get()) }
                try reader.finish { found.append(try $0.get()) }
            } catch {
                #expect(field == nil, "\(member)")
                continue
            }
            #expect(found.count == 1)
            let har = "\(found[0].har)"
            #expect(har.hasPrefix(#"{"log":{"a":1,"#) && har.hasSuffix(#""c":[2]}}"#))
            #expect(reader.losses.losses.map(\.field) == (field == "" ? [] : [field]))
        }
    }
}
