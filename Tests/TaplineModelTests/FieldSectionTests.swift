// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@Suite struct FieldSectionTests {
    /// A simple model of a field section.
    private struct Model {
        var fields: [(name: [UInt8], value: [UInt8])] = []

        static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
            left.map(lowercased) == right.map(lowercased)
        }

        private static func lowercased(_ byte: UInt8) -> UInt8 {
            (65...90).contains(byte) ? byte + 32 : byte
        }

        mutating func set(_ name: [UInt8], _ value: [UInt8]) {
            guard let first = fields.firstIndex(where: { Self.isEqual($0.name, name) }) else {
                fields.append((name, value))
                return
            }
            fields[first].value = value
            let rest = fields[(first + 1)...].filter { !Self.isEqual($0.name, name) }
            fields.replaceSubrange((first + 1)..., with: rest)
        }
    }

    private func expectEqual(_ section: FieldSection, _ model: Model) {
        #expect(section.count == model.fields.count)
        #expect(section.byteCount == model.fields.reduce(0) { $0 + $1.name.count + $1.value.count })
        guard section.count == model.fields.count else { return }
        for (position, field) in model.fields.enumerated() {
            #expect(Array(copying: section.name(at: position)) == field.name)
            #expect(Array(copying: section.value(at: position)) == field.value)
        }
    }

    /// Names that often collide, in different cases, and unusual names.
    private func name(_ random: inout Random) -> [UInt8] {
        switch random.below(4) {
        case 0: random.bytes(upTo: 6)
        default: Array(random.pick(["a", "A", "X-b", "x-B", "x-é", "", "host", "HOST"]).utf8)
        }
    }

    @Test(arguments: 0..<40)
    func agreesWithASimpleModel(seed: Int) {
        var random = Random(seed: UInt64(seed))
        var section = FieldSection()
        var model = Model()
        for _ in 0..<120 {
            let name = name(&random)
            let value = random.bytes(upTo: random.below(10) == 0 ? 700 : 20)
            let position = model.fields.isEmpty ? 0 : random.below(model.fields.count)
            switch random.below(6) {
            case 0:
                section.set(name.span, to: value.span)
                model.set(name, value)
            case 1 where !model.fields.isEmpty:
                section.replaceValue(at: position, with: value.span)
                model.fields[position].value = value
            case 2 where !model.fields.isEmpty:
                section.remove(at: position)
                model.fields.remove(at: position)
            case 3 where random.below(4) == 0:
                let before = model.fields.count
                model.fields.removeAll { Model.isEqual($0.name, name) }
                #expect(section.removeAll(name.span) == before - model.fields.count)
            case 4 where random.below(4) == 0:
                let positions = model.fields.indices.filter { _ in random.below(3) == 0 }
                section.remove(at: positions)
                for position in positions.reversed() { model.fields.remove(at: position) }
            default:
                section.append(name: name.span, value: value.span)
                model.fields.append((name, value))
            }
            expectLookUp(section, model, name)
        }
        expectEqual(section, model)
        var copy = FieldSection()
        for field in model.fields { copy.append(name: field.name.span, value: field.value.span) }
        #expect(copy == section)
        copy.append(name: "more", value: "")
        #expect(copy != section)
    }

    private func expectLookUp(_ section: FieldSection, _ model: Model, _ name: [UInt8]) {
        let matches = model.fields.indices.filter { Model.isEqual(model.fields[$0].name, name) }
        #expect(section.firstIndex(of: name.span) == matches.first)
        if let first = matches.first {
            #expect(
                section.firstIndex(of: name.span, from: first + 1) == matches.dropFirst().first
            )
        }
    }

    /// Removing fields one by one would move all following fields each time.
    @Test(.timeLimit(.minutes(1))) func removesManyFieldsInOnePass() {
        var section = FieldSection()
        section.append(name: "Host", value: "a")
        for _ in 0..<1_000_000 { section.append(name: "a".utf8.span, value: "b".utf8.span) }
        var other = section
        var last = section
        last.set("A", to: "c")
        #expect(last == ["Host": "a", "a": "c"])
        #expect(section.removeAll("A") == 1_000_000)
        #expect(section == ["Host": "a"])
        other.remove(at: Array(1...1_000_000))
        #expect(other == section)
    }

    @Test func aReplacedSecretIsRemovedFromTheBuffer() {
        var section: FieldSection = ["A": "1"]
        for _ in 0..<100 {
            section.set("A", to: String(repeating: "secret", count: 100))
        }
        section.set("A", to: "1")
        #expect(section.byteCount == 2)
        #expect(section.storage.bytes.count < 4000)
    }

    @Test func looksUpNamesIgnoringCase() {
        let section: FieldSection = ["Set-Cookie": "a=1", "Host": "h", "set-cookie": "b=2"]
        #expect(section.all("SET-COOKIE") == ["a=1", "b=2"])
        #expect(section.first("host") == "h")
        #expect(section.contains("HOST"))
        #expect(!section.contains("Hos"))
        #expect(section.first("none") == nil)
    }

    @Test func equalityIncludesOrderCaseAndDuplicates() {
        let section: FieldSection = ["A": "1", "B": "2"]
        #expect(section == ["A": "1", "B": "2"])
        #expect(section != ["B": "2", "A": "1"])
        #expect(section != ["a": "1", "B": "2"])
        #expect(section != ["A": "1", "A": "1", "B": "2"])
        // The boundary between name and value is part of a field.
        #expect(
            FieldSection([(name: "ab", value: "c")]) != FieldSection([(name: "a", value: "bc")])
        )
    }

    @Test func givesAccessToTheStorage() {
        let section: FieldSection = ["Host": "a", "Via": "bc"]
        let text = Array(copying: section.byteSpan)
        let ranges = (0..<section.entrySpan.count).map { section.entrySpan[$0].value }
        #expect(text == Array("HostaViabc".utf8))
        #expect(ranges == [4..<5, 8..<10])
    }

    @Test func copiesFieldsOfAHead() {
        // Names and values shorter and longer than a block, also at the end of the head.
        let pairs = [
            ("Host", "a"), ("X", ""),
            ("A-Name-Of-More-Than-A-Block", String(repeating: "v", count: 40)),
            ("Sixteen-Bytes-16", "0123456789abcdef"), ("Y", "end"),
        ]
        var head: [UInt8] = []
        var lines: [FieldSection.Line] = []
        for (name, value) in pairs {
            let start = UInt32(head.count)
            head += Array("\(name): \(value)".utf8)
            lines.append(
                FieldSection.Line(
                    nameStart: start,
                    nameCount: UInt32(name.utf8.count),
                    valueStart: start + UInt32(name.utf8.count) + 2,
                    valueCount: UInt32(value.utf8.count)
                )
            )
        }
        var section = FieldSection(copying: lines.span, of: head.span)
        #expect(section == FieldSection(pairs.map { (name: $0.0, value: $0.1) }))
        section.append(name: "Z", value: "1")
        #expect(section.count == 6)
        #expect(section.byteSpan.count == section.byteCount)
        #expect(FieldSection(copying: lines.span.extracting(0..<0), of: head.span).isEmpty)
    }

    @Test func sortsByNameAndKeepsTheOrderOfEqualNames() {
        var fields: FieldSection = [
            "b": "1", "Date": "now", "a": "2", "": "3", "Da": "4", "a\u{E9}": "5", "a": "6",
            "B": "7",
        ]
        fields.sortByName()
        let expected: FieldSection = [
            "": "3", "B": "7", "Da": "4", "Date": "now", "a": "2", "a": "6", "a\u{E9}": "5",
            "b": "1",
        ]
        #expect(fields == expected)
        #expect(fields.byteCount == expected.byteCount)
        fields.set("Date", to: "later")
        #expect(fields.first("Date") == "later" && fields.first("a") == "2")
    }
}
