// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineModel
package import TaplineSystem

/// The rules of one version of a file, in order.
///
/// It is immutable: a changed file gives a new set, and exchanges in progress keep the old one.
package final class RuleSet: Sendable {
    /// The enabled rules.
    let rules: [Rule]
    /// The rules whose conditions are evaluated in `request`.
    let onRequest: [Rule]
    /// The rules that may act in `response`.
    let onResponse: [Rule]
    /// The files that rules answer with.
    let files: [String]
    /// Whether a rule reads the request's body, or the response's.
    let readsBodies: (request: Bool, response: Bool)

    init(_ rules: [Rule], files: [String]) {
        self.rules = rules
        self.files = files
        onRequest = rules.filter { !$0.decidesOnResponse }
        onResponse = rules.filter { $0.decidesOnResponse || !$0.responseActions.isEmpty }
        readsBodies = (
            rules.contains { $0.bodies.request }, rules.contains { $0.bodies.response }
        )
    }

    /// The names of the enabled rules, in order.
    package var names: [String] { rules.map(\.name) }

    /// How often the rule with a name has acted since its file was first read.
    package func hits(of name: String) -> Int { rules.first { $0.name == name }?.hits.count ?? 0 }

    /// Parses the text of a rule file.
    ///
    /// - Parameters:
    ///   - source: The text; relative paths in it start at its folder.
    ///   - environment: The values for `${NAME}` and `env["NAME"]`.
    ///   - diagnostics: Receives all problems.
    /// - Returns: The rules; `nil` if there was an error.
    package static func parse(
        _ source: ConfigSource,
        environment: Environment = Environment(),
        into diagnostics: inout Diagnostics
    ) -> RuleSet? {
        parse(
            source,
            environment: environment,
            counters: RuleCounters(),
            protected: ProtectedFiles(),
            into: &diagnostics
        )
    }

    /// Parses the text of a rule file whose rules continue earlier counters.
    static func parse(
        _ source: ConfigSource,
        environment: Environment,
        counters: RuleCounters,
        protected: ProtectedFiles,
        into diagnostics: inout Diagnostics
    ) -> RuleSet? {
        var found = Diagnostics()
        defer { diagnostics.append(contentsOf: found) }
        guard let root = ConfigReader().read(source, into: &found) else { return nil }
        let options = RuleFileKeys.schema.decode(
            root,
            owner: "rules",
            into: &found,
            environment: environment
        )
        guard let options, !found.hasErrors else { return nil }
        let drafts = RuleFileKeys.drafts(options, protected, into: &found)
        guard !found.hasErrors else { return nil }
        let actions = drafts.flatMap { $0.requestActions + $0.responseActions }
        return RuleSet(
            drafts.map { Rule($0, hits: counters.hits(of: $0.name)) },
            files: actions.compactMap(\.file)
        )
    }

    /// A JSON Schema (draft 2020-12) of rule files, for editors.
    package static var schema: JSONSchemaNode {
        guard case .object(let pairs) = RuleFileKeys.schema.jsonSchema() else { return [:] }
        return .object(
            [
                ("$schema", "https://json-schema.org/draft/2020-12/schema"),
                ("title", "Tapline rules"),
            ] + pairs
        )
    }

    /// The options of a rule file as tables in Markdown, in the order of the reference page.
    package static var tables: [String] {
        [
            RuleFileKeys.schema, ActionKeys.schema, RespondKeys.schema, MapKeys.schema,
            ReplaceKeys.schema, DelayKeys.schema, ThrottleKeys.schema, FailKeys.schema,
        ]
        .map { $0.table() }
    }
}
