// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Choices, lists, maps, nested options, and types of other modules.
@Suite
struct OptionTypeCollectionsTests {
    enum Order: Sendable, Equatable { case keep, any }

    @Test func choice() {
        let type = OptionType<Order>.choice([("keep", .keep), ("any", .any)])
        #expect(value("any", type).value == .any)
        #expect(type.describe(.keep) == "keep")
        #expect(
            value("kepp", type).rendered == """
                p.yaml:1:4: error: unknown value 'kepp' in 'x'; expected keep, any
                    1 | x: kepp
                      |    ^~~~
                help: did you mean 'keep'?

                """
        )
        #expect(value("[any]", type).rendered.contains("found a list, expected keep, any"))
    }

    @Test func listReportsAllElements() {
        #expect(value("[1, 2]", .list(of: .integer())).value == [1, 2])
        #expect(
            value("[1, a, 2, b]", .list(of: .integer())).rendered == """
                p.yaml:1:8: error: wrong type of value; found 'a', expected a whole number
                    1 | x: [1, a, 2, b]
                      |        ^
                p.yaml:1:14: error: wrong type of value; found 'b', expected a whole number
                    1 | x: [1, a, 2, b]
                      |              ^

                """
        )
    }

    @Test func singleScalarAsListOnlyIfDeclared() {
        #expect(value("a", .list(of: .text, acceptsSingle: true)).value == ["a"])
        #expect(value("[a]", .list(of: .text, acceptsSingle: true)).value == ["a"])
        let (refused, rendered) = value("a", .list(of: .text))
        #expect(refused == nil)
        #expect(rendered.contains("found 'a', expected a list of text\n"))
    }

    @Test func emptyList() {
        #expect(value("[]", .list(of: .text)).value == [])
        #expect(
            value("[]", .list(of: .text, allowsEmpty: false)).rendered.contains(
                "p.yaml:1:4: error: the list is empty; expected at least one element\n"
            )
        )
    }

    @Test func mapKeepsOrderAndLocations() throws {
        let entries = try #require(value("{b: 1, a: 2}", .map(of: .integer())).value)
        #expect(entries.map(\.key) == ["b", "a"])
        #expect(entries.map(\.value) == [1, 2])
        #expect(entries.map(\.keyLocation?.column) == [5, 11])
        #expect(entries.map(\.location?.column) == [8, 14])
        #expect(value("{b: x, a: y}", .map(of: .integer())).rendered.contains("found 'y'"))
        #expect(value("[b]", .map(of: .integer())).rendered.contains("expected a mapping"))
    }

    @Test func optional() {
        let type = OptionType<Int>.integer().optional
        #expect(value("~", type).value == .some(.none))
        #expect(value("3", type).value == .some(3))
        #expect(value("a", type).value == nil)
        let key = ConfigKey("x", type, default: 7, summary: "X.")
        #expect(decode("x:\n", OptionSchema(key)).options?[key] == .some(.none))
        #expect(decode("{}\n", OptionSchema(key)).options?[key] == 7)
    }

    @Test func anyValue() {
        let (node, _) = value("{a: [1, '${A}']}", .node, environment: ["A": "b"])
        #expect(flat(node.flatMap(\.self)) == "{a: [~1, b]}")
    }

    @Test func locatedRemembersTheNode() throws {
        let list = try #require(
            value("[a, bc]", .list(of: OptionType<String>.text.located)).value
        )
        #expect(list.map(\.value) == ["a", "bc"])
        #expect(list.map(\.location?.column) == [5, 8])
    }

    @Test func typesOfOtherModules() {
        let even = OptionType<Int>(
            name: "even number",
            schema: ["type": "integer", "multipleOf": 2],
            describe: { "\($0)" }
        ) { node, context in
            guard let text = node.text, let value = Int(text), value % 2 == 0 else {
                return context.mismatch(node, expected: "an even number", help: "add one")
            }
            return value
        }
        #expect(value("${N}", even, environment: ["N": "4"]).value == 4)
        #expect(
            value("3", even).rendered == """
                p.yaml:1:4: error: wrong type of value; found '3', expected an even number
                    1 | x: 3
                      |    ^
                help: add one

                """
        )
    }

    @Test func nestedOptionsReportUnderTheirOwnName() {
        let size = ConfigKey("size", .byteSize, summary: "Size.", example: "1MiB")
        let keep = ConfigKey("keep", .integer(in: 1...99), default: 10, summary: "Files.")
        let type = OptionType<Options>.object(OptionSchema(size, keep))
        let options = value("{size: 1KiB}", type).value
        #expect(options?[size] == 1024)
        #expect(options?[keep] == 10)
        #expect(
            value("{ keeep: 3, keep: 0 }", type).rendered == """
                p.yaml:1:1: error: option 'size' is missing in 'x'; expected size
                    1 | x: { keeep: 3, keep: 0 }
                      | ^
                help: add 'size: 1MiB'
                p.yaml:1:6: error: unknown option 'keeep' in 'x'; expected size, keep
                    1 | x: { keeep: 3, keep: 0 }
                      |      ^~~~~
                help: did you mean 'keep'?
                p.yaml:1:22: error: the number is out of range; found 0, expected a whole number from 1 to 99
                    1 | x: { keeep: 3, keep: 0 }
                      |                      ^

                """
        )
    }

    @Test func listOfOptions() {
        let name = ConfigKey("name", .text, summary: "Name.")
        let type = OptionType<[Options]>.list(of: .object(OptionSchema(name)))
        let (list, _) = value("[{name: '${A}'}, {name: b}]", type, environment: ["A": "a"])
        #expect(list?.map { $0[name] } == ["a", "b"])
        #expect(value("[{name: a}, {}]", type).rendered.contains("option 'name' is missing in 'x'"))
    }
}
