// SPDX-License-Identifier: MIT

internal import RulesStage
internal import TaplineModel
internal import TaplinePlugin

/// Hooks of the stage `rules`, called on exchanges in place, as in a lane.
extension Parts {
    /// The names of the parts, each with the list of rules.
    private static let rules = [
        ("rules, ten that do not match", (0..<10).map { rule("host == \"none\($0).test\"") }),
        ("rules, one that sets a header", [rule("method exists")]),
    ]

    private static func rule(_ condition: String) -> String {
        "  - { when: '\(condition)', actions: [set: { request.header.X-Bench: \"1\" }] }\n"
    }

    func runRules(_ row: (PartResult?) -> Void) {
        for (name, rules) in Self.rules {
            let file = files.write("rules.yaml", "version: 1\nrules:\n\(rules.joined())")
            let made = try? StagePlugin.rules.stage("{ file: \(file) }")
            guard let stage = made as? any WireStage else { fail("rules cannot be created") }
            var copies = exchanges
            var context = ExchangeContext()
            row(
                measure(name) { position in
                    guard (try? stage.request(&copies[position], &context)) != nil else {
                        fail("threw")
                    }
                }
            )
        }
    }
}
