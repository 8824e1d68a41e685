// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineSystem
import Testing

/// Decoding a mapping of options: all problems in one run.
@Suite
struct OptionSchemaTests {
    static let maxBytes = ConfigKey(
        "max_bytes",
        .byteSize,
        default: 65536,
        summary: "Bytes that are kept.",
        example: "64KiB"
    )
    static let skip = ConfigKey(
        "skip",
        .list(of: .text),
        default: [],
        summary: "Content types that are left alone."
    )
    static let script = ConfigKey("script", .path, summary: "Script.", example: "rewrite.lua")
    static let schema = OptionSchema(maxBytes, skip)

    @Test func unknownOptionAsInTheDesign() {
        let text = String(repeating: "\n", count: 6) + "  - limit_body: { max_byte: 64KiB }\n"
        var (root, diagnostics) = read(text, name: "pipeline.yaml")
        let node = root?.elements?.first?["limit_body"]
        #expect(node != nil)
        let options = node.flatMap {
            Self.schema.decode(
                $0,
                owner: "limit_body",
                into: &diagnostics,
                environment: Environment()
            )
        }
        #expect(options == nil)
        #expect(
            diagnostics.rendered == """
                pipeline.yaml:7:19: error: unknown option 'max_byte' in 'limit_body'; expected max_bytes, skip
                    7 |   - limit_body: { max_byte: 64KiB }
                      |                   ^~~~~~~~
                help: did you mean 'max_bytes'?

                """
        )
    }

    @Test func allProblemsInOneRun() {
        let text = """
            max_bytes: 12
            skip: [a, [b], {c: d}]
            max_bytes: 1KiB
            colour: red

            """
        let (options, rendered) = decode(text, OptionSchema(Self.maxBytes, Self.skip, Self.script))
        #expect(options == nil)
        #expect(
            rendered == """
                p.yaml:1:1: error: option 'script' is missing in 'p'; expected path
                    1 | max_bytes: 12
                      | ^~~~~~~~~~~~~
                help: add 'script: rewrite.lua'
                p.yaml:1:12: error: the unit is missing; found '12', expected a size with its unit, such as 64KiB
                    1 | max_bytes: 12
                      |            ^~
                help: write '12KiB' if that is what you mean
                p.yaml:2:11: error: wrong type of value; found a list, expected text
                    2 | skip: [a, [b], {c: d}]
                      |           ^~~
                p.yaml:2:16: error: wrong type of value; found a mapping, expected text
                    2 | skip: [a, [b], {c: d}]
                      |                ^~~~~~
                p.yaml:3:1: error: duplicate key 'max_bytes'; the first one is at line 1, column 1
                    3 | max_bytes: 1KiB
                      | ^~~~~~~~~
                help: remove one of them
                p.yaml:4:1: error: unknown option 'colour' in 'p'; expected max_bytes, skip, script
                    4 | colour: red
                      | ^~~~~~

                """
        )
    }

    @Test func defaultsAndValues() {
        let (options, rendered) = decode("skip: [image/*]\n", Self.schema)
        #expect(rendered.isEmpty)
        #expect(options?[Self.maxBytes] == 65536)
        #expect(options?[Self.skip] == ["image/*"])
    }

    @Test func nullCountsAsNoOptions() {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "p.yaml", text: "lua:")
        let null = ConfigNode(.null, at: source.location(at: 4))
        let options = Self.schema.decode(
            null,
            owner: "lua",
            into: &diagnostics,
            environment: Environment()
        )
        #expect(options?[Self.maxBytes] == 65536)
        #expect(diagnostics.isEmpty)
        #expect(
            OptionSchema(Self.script).decode(
                null,
                owner: "lua",
                at: source.location(at: 0, length: 3),
                into: &diagnostics,
                environment: Environment()
            ) == nil
        )
        #expect(
            diagnostics.rendered == """
                p.yaml:1:1: error: option 'script' is missing in 'lua'; expected path
                    1 | lua:
                      | ^~~
                help: add 'script: rewrite.lua'

                """
        )
    }

    @Test(arguments: ["[a]", "a", "'{}'"])
    func otherShapes(_ text: String) {
        let (options, rendered) = decode(text + "\n", Self.schema)
        #expect(options == nil)
        #expect(rendered.contains(", expected a mapping of options\n"))
        #expect(decode(text + "\n", OptionSchema()).rendered.contains(", expected nothing\n"))
    }

    @Test func schemaWithoutOptions() {
        #expect(decode("{}\n", OptionSchema()).options != nil)
        #expect(
            decode("a: 1\n", OptionSchema()).rendered.contains(
                "unknown option 'a' in 'p'; expected no options\n"
            )
        )
    }

    @Test func hostileNamesAreTruncatedAndEscaped() {
        let long = String(repeating: "n", count: 500)
        #expect(
            decode("\"\\e\(long)\": 1\n", Self.schema).rendered.hasPrefix(
                "p.yaml:1:1: error: unknown option '\\x1B\(long.prefix(59))…' in 'p'; expected"
            )
        )
    }

    @Test func declarationsAreFoundByName() {
        #expect(Self.schema["skip"]?.typeName == "list of text")
        #expect(Self.schema["skip"]?.defaultText == "[]")
        #expect(Self.schema["max_bytes"]?.unit == "bytes")
        #expect(Self.schema["max_bytes"]?.defaultText == "64KiB")
        #expect(Self.schema["max_bytes"]?.example == "64KiB")
        #expect(Self.schema["none"] == nil)
        #expect(OptionSchema(Self.script)["script"]?.isRequired == true)
    }
}
