// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineSystem
import Testing

@Suite("The place where an option belongs")
struct OptionPlacesTests {
    @Test("is known for nested options at any depth; the first place is named")
    func nested() {
        let size = ConfigKey("size", .text, summary: "How large.")
        let inner = ConfigKey(
            "inner",
            OptionType<Options>.object(OptionSchema(size)),
            summary: "In."
        )
        let outer = ConfigKey(
            "outer",
            OptionType<Options>.object(OptionSchema(inner)),
            summary: "Out."
        )
        var places = OptionPlaces()
        places.add(["path"], "belongs in 'p'")
        places.addNested(of: OptionSchema(outer), " of 'p'")
        var others = OptionPlaces()
        others.add(["path", "memory"], "belongs elsewhere")
        places.add(others)
        #expect(places.help(for: "path") == "'path' belongs in 'p'")
        #expect(places.help(for: "inner") == "'inner' belongs in 'outer' of 'p'")
        #expect(places.help(for: "size") == "'size' belongs in 'inner' in 'outer' of 'p'")
        #expect(places.help(for: "memory") == "'memory' belongs elsewhere")
        #expect(places.help(for: "outer") == nil)
    }

    /// The help for each unknown option of a file.
    private func helps(_ text: String, _ schema: OptionSchema, _ places: OptionPlaces) -> [String?]
    {
        var diagnostics = Diagnostics()
        let node = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
        _ = node.flatMap {
            schema.decode(
                $0,
                owner: "p",
                places: places,
                into: &diagnostics,
                environment: Environment()
            )
        }
        return diagnostics.all.map(\.help)
    }

    @Test(
        "within another option is first sought there, if one there is of the same quantity",
        arguments: [
            (
                "{ rotate: { max_bytes: 1MiB } }",
                "did you mean 'size'? 'max_bytes' belongs in 'queue'"
            ),
            ("{ queue: { size: 1MiB } }", "did you mean 'max_bytes'? 'size' belongs in 'rotate'"),
            ("{ queue: { age: 1s } }", "'age' belongs in 'rotate'"),
            ("{ rotate: { word: a } }", "'word' belongs in 'queue'"),
            ("{ rotate: { sise: 1MiB } }", "did you mean 'size'?"),
            ("{ max_bytes: 1MiB }", "'max_bytes' belongs in 'queue'"),
            ("{ rotate: { limit: 1MiB } }", "'limit' belongs in 'p'"),
        ]
    )
    func quantities(text: String, help: String) {
        func key<Value>(_ name: String, _ type: OptionType<Value>) -> ConfigKey<Value?> {
            ConfigKey(name, type.optional, default: nil, summary: "It.")
        }
        let rotate = OptionSchema(
            key("size", .byteSize),
            key("age", .duration),
            key("name", .text)
        )
        let queue = OptionSchema(key("max_bytes", .byteSize), key("word", .text))
        let schema = OptionSchema(
            key("rotate", .object(rotate)),
            key("queue", .object(queue)),
            key("limit", .byteSize)
        )
        var places = OptionPlaces()
        places.add(schema.keys.map(\.name), "belongs in 'p'")
        places.addNested(of: schema)
        #expect(helps(text, schema, places) == [help])
    }

    @Test("is named for an option at the wrong level")
    func decoding() {
        let root = ConfigReader()
        var diagnostics = Diagnostics()
        let node = root.read(Array("{ memory: 1 }".utf8), name: "p.yaml", into: &diagnostics)
        var places = OptionPlaces()
        places.add(["memory"], "belongs under 'runtime'")
        let options = node.flatMap {
            OptionSchema().decode(
                $0,
                owner: "p",
                places: places,
                into: &diagnostics,
                environment: Environment()
            )
        }
        #expect(options == nil)
        #expect(diagnostics.all.map(\.help) == ["'memory' belongs under 'runtime'"])
    }
}
