// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// JSON Schema and reference tables, generated from the declarations that also decode.
@Suite
struct OptionSchemaDocumentsTests {
    static let rotate = OptionSchema(
        ConfigKey("size", .byteSize, summary: "Size of a file.", example: "100MiB"),
        ConfigKey("keep", .integer(in: 1...99), default: 10, summary: "Files that are kept.")
    )
    static let schema = OptionSchema(
        ConfigKey("path", .path, summary: "Where to write.", example: "traffic.ndjson"),
        ConfigKey("sync", .choice(["none", "batch"]), default: "none", summary: "When to sync."),
        ConfigKey("wait", .duration, default: .seconds(30), summary: "How long to wait."),
        ConfigKey("glob", .list(of: .text), default: ["*.x", "y"], summary: "Which."),
        ConfigKey("on", .bool, default: true, summary: "Whether."),
        ConfigKey("code", .text, default: "", summary: "Code.", interpolates: false),
        ConfigKey(
            "rotate",
            .optional(.object(rotate)),
            default: nil,
            summary: "When to begin a file."
        )
    )

    @Test func table() {
        #expect(
            Self.schema.table() == """
                | option | type | default | what it does |
                |---|---|---|---|
                | `path` | path | required | Where to write. Example: `traffic.ndjson`. |
                | `sync` | none \\| batch | `none` | When to sync. |
                | `wait` | time | `30s` | How long to wait. |
                | `glob` | list of text | `['*.x', y]` | Which. |
                | `on` | true or false | `true` | Whether. |
                | `code` | text | `''` | Code. |
                | `rotate` | options |  | When to begin a file. |
                | `rotate.size` | size | required | Size of a file. Example: `100MiB`. |
                | `rotate.keep` | integer | `10` | Files that are kept. |

                """
        )
    }

    @Test func jsonSchema() {
        let schema = Self.schema.jsonSchema()
        #expect(schema["type"] == "object")
        #expect(schema["additionalProperties"] == false)
        #expect(schema["required"] == ["path"])
        let properties = schema["properties"]
        #expect(
            properties?["path"]?.text == #"{"type":"string","description":"Where to write."}"#
        )
        #expect(
            properties?["sync"]?.text
                == #"{"anyOf":[{"enum":["none","batch"]},"# + Self.variable
                + #"],"description":"When to sync.","default":"none"}"#
        )
        #expect(
            properties?["on"]?.text
                == #"{"anyOf":[{"type":"boolean"},"# + Self.variable
                + #"],"description":"Whether.","default":true}"#
        )
        #expect(properties?["glob"]?["default"]?.text == #"["*.x","y"]"#)
        #expect(properties?["code"]?["default"]?.text == "\"\"")
        #expect(properties?["wait"]?["default"]?.text == "\"30s\"")
        #expect(properties?["rotate"]?["default"] == nil)
        let nested = properties?["rotate"]?["anyOf"]
        guard case .array(let choices)? = nested else {
            Issue.record("options that may be null have two forms")
            return
        }
        #expect(choices.first?["required"] == ["size"])
        #expect(choices.last == ["type": "null"])
    }

    static let variable =
        #"{"type":"string","pattern":"[$][{][A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?[}]"}"#

    @Test func everyDefaultCanBeWrittenInTheFile() throws {
        for key in Self.schema.keys {
            guard let text = key.defaultText else { continue }
            let (options, rendered) = decode(
                "path: x\n\(key.name): \(text)\n".replacingPathTwice,
                Self.schema
            )
            #expect(options != nil, "\(key.name): \(text)\n\(rendered)")
        }
    }
}

extension String {
    /// Removes the first `path:` line if there are two.
    fileprivate var replacingPathTwice: String {
        let lines = split(separator: "\n")
        return lines.count { $0.hasPrefix("path:") } > 1 ? String(lines[1]) : self
    }
}
