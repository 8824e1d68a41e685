// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineSystem

/// Reads a text as the file `p.yaml`.
func read(
    _ text: String,
    name: String = "p.yaml",
    limits: YAMLLimits = YAMLLimits()
) -> (node: ConfigNode?, diagnostics: Diagnostics) {
    var diagnostics = Diagnostics()
    let node = ConfigReader(limits: limits).read(
        Array(text.utf8),
        name: name,
        into: &diagnostics
    )
    return (node, diagnostics)
}

/// Returns a tree on one line, with unquoted texts marked by `~`: `{a: [~1, x], b: null}`.
func flat(_ node: ConfigNode?) -> String {
    switch node?.value {
    case nil: "nothing"
    case .null: "null"
    case .scalar(let text, let isPlain): (isPlain ? "~" : "") + text
    case .sequence(let elements): "[" + elements.map(flat).joined(separator: ", ") + "]"
    case .mapping(let pairs):
        "{" + pairs.map { "\($0.key.text ?? "?"): \(flat($0.value))" }.joined(separator: ", ") + "}"
    }
}

/// Decodes a text as the options of `p`.
func decode(
    _ text: String,
    _ schema: OptionSchema,
    environment: [String: String] = [:],
    name: String = "p.yaml"
) -> (options: Options?, rendered: String) {
    var (node, diagnostics) = read(text, name: name)
    let options = node.flatMap {
        schema.decode($0, owner: "p", into: &diagnostics, environment: Environment(environment))
    }
    return (options, diagnostics.rendered)
}

/// Decodes one value of the option `x`.
func value<Value>(
    _ text: String,
    _ type: OptionType<Value>,
    environment: [String: String] = [:]
) -> (value: Value?, rendered: String) {
    let key = ConfigKey("x", type, summary: "X.")
    let (options, rendered) = decode("x: \(text)\n", OptionSchema(key), environment: environment)
    return (options.map { $0[key] }, rendered)
}
