// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

/// The content of a HAR file is preserved when it is read and written again.
@Suite struct HARRoundTripTests {
    /// Reads a recording; all records must be readable.
    static func read(_ text: String) throws -> ([Exchange], LossReport) {
        var exchanges: [Exchange] = []
        var reader = RecordingReader(file: "f.har", countsUnknown: true)
        let bytes = Array(text.utf8)
        try reader.read(bytes.span) { exchanges.append(try $0.get()) }
        try reader.finish { exchanges.append(try $0.get()) }
        return (exchanges, reader.losses)
    }

    /// Writes a HAR file.
    static func write(_ exchanges: [Exchange]) throws -> (String, LossReport) {
        var writer = HARWriter()
        writer.begin(version: "1")
        for exchange in exchanges { writer.write(try #require(seal(exchange))) }
        writer.end()
        return (String(decoding: Array(copying: writer.bytes), as: UTF8.self), writer.losses)
    }

    @Test(arguments: HARFixtures.all.indices)
    func everyMemberRoundTrips(_ index: Int) throws {
        let original = try JSONTree(HARFixtures.all[index].withoutMark)
        let (exchanges, lost) = try Self.read(HARFixtures.all[index])
        let (text, unwritten) = try Self.write(exchanges)
        let missing = HARComparison.missing(of: original, in: try JSONTree(text))
        #expect(missing.isEmpty, "\(missing)")
        // `chrome` has an error among its messages.
        let expected = index == 0 ? ["_webSocketMessages.error"] : []
        #expect(lost.losses.map(\.field) == expected)
        #expect(unwritten.isEmpty, "\(unwritten)")
        let (again, _) = try Self.read(text)
        #expect(try Self.write(again).0 == text)
    }

    @Test(arguments: HARFixtures.all.indices)
    func linesPreserveEverything(_ index: Int) throws {
        let (exchanges, _) = try Self.read(HARFixtures.all[index])
        var lines = NDJSONWriter()
        for exchange in exchanges { lines.write(try #require(seal(exchange))) }
        let (again, lost) = try Self.read(text(lines.bytes))
        #expect(again == exchanges)
        #expect(lost.isEmpty)
        #expect(try Self.write(again).0 == Self.write(exchanges).0)
    }

    /// Each object of a file gets a comment and a tool-specific field.
    @Test func everyObjectKeepsUnknownMembers() throws {
        for fixture in HARFixtures.all {
            let tree = try JSONTree(fixture.withoutMark).addingToObjects {
                [
                    .init(key: "_unknown\($0)", value: .array([.null, .object([])])),
                    .init(key: "comment", value: .string("comment \($0)")),
                ]
            }
            let (exchanges, _) = try Self.read(tree.text)
            let (text, _) = try Self.write(exchanges)
            let missing = HARComparison.missing(of: tree, in: try JSONTree(text))
            #expect(missing.isEmpty, "\(missing)")
        }
    }

    /// The log of a file without entries cannot be preserved, and is counted.
    @Test func aFileWithoutEntriesCountsItsPages() throws {
        let (exchanges, lost) = try Self.read(
            "{\n" + #""_x":1,"log":{"version":"1.2","pages":[{"id":"1"}],"entries":[]}}"#
        )
        #expect(exchanges.isEmpty)
        #expect(lost.losses.map(\.field) == ["members outside 'log'", "log (without entries)"])
    }
}

extension String {
    /// The text without its byte order mark.
    var withoutMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }
}

extension JSONTree {
    /// The tree with members added to each object within the log; each gets a number.
    func addingToObjects(_ added: (Int) -> [Member]) -> JSONTree {
        var tree = self
        // From last to first, so that numbers stay correct; 0 is outside the log.
        for position in (1..<count).reversed() {
            tree = tree.changing(position) { value in
                guard case .object(let members) = value else { return value }
                let new = added(position).filter { new in
                    !members.contains { $0.key == new.key }
                }
                return .object(members + new)
            }
        }
        return tree
    }
}
