// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

@Suite("Where options belong")
struct OptionPlacesTests {
    @Test("is known for those within others, at any depth, and the first place is named")
    func nested() {
        let size = ConfigKey("size", .string, summary: "How large.")
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

    @Test("is told for an option that is found at another level")
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
