// SPDX-License-Identifier: MIT

import Testing

import TaplineConfig

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
        .list(of: .string),
        default: [],
        summary: "Content types that are left alone."
    )
    static let schema = OptionSchema(maxBytes, skip)

    @Test func unknownOptionAsInTheDesign() {
        let text = String(repeating: "\n", count: 6) + "  - limit_body: { max_byte: 64KiB }\n"
        var diagnostics = Diagnostics()
        let root = ConfigReader().read(
            Array(text.utf8),
            name: "pipeline.yaml",
            into: &diagnostics
        )
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
}
