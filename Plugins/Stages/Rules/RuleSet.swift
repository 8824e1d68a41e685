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
    /// That none of the rules that a hook decides matched, for provenance; empty without such.
    let unmatchedText: (request: String, response: String)

    init(_ rules: [Rule], files: [String]) {
        self.rules = rules
        self.files = files
        onRequest = rules.filter { !$0.decidesOnResponse }
        onResponse = rules.filter { $0.decidesOnResponse || !$0.responseActions.isEmpty }
        let names = (
            request: rules.filter { !$0.decidesOnResponse }.map(\.name),
            response: rules.filter(\.decidesOnResponse).map(\.name)
        )
        unmatchedText = (
            names.request.isEmpty ? "" : RuleRun.text("did not match", names.request),
            names.response.isEmpty ? "" : RuleRun.text("did not match", names.response)
        )
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
    ///   - protected: The files that no rule may answer with.
    ///   - diagnostics: Receives all problems.
    /// - Returns: The rules; `nil` if there was an error.
    package static func parse(
        _ source: ConfigSource,
        environment: Environment = Environment(),
        protected: ProtectedFiles,
        into diagnostics: inout Diagnostics
    ) -> RuleSet? {
        let drafts = drafts(source, environment, protected, into: &diagnostics)
        return drafts.rules.map { RuleSet($0, RuleCounters(), files: drafts.files) }
    }

    /// Reads the rules of a file, disabled ones too; `nil` if there was an error.
    ///
    /// The files are those that rules answer with, also if one of them cannot be read.
    static func drafts(
        _ source: ConfigSource,
        _ environment: Environment,
        _ protected: ProtectedFiles,
        into diagnostics: inout Diagnostics
    ) -> (rules: [RuleDraft]?, files: [String]) {
        var found = Diagnostics()
        defer { diagnostics.append(contentsOf: found) }
        guard let root = ConfigReader().read(source, into: &found) else { return (nil, []) }
        let options = RuleFileKeys.schema.decode(
            root,
            owner: "rules",
            into: &found,
            environment: environment
        )
        guard let options, !found.hasErrors else { return (nil, []) }
        let drafts = RuleFileKeys.drafts(options, protected, into: &found)
        let actions = drafts.flatMap { $0.requestActions + $0.responseActions }
        return (found.hasErrors ? nil : drafts, actions.compactMap(\.file))
    }

    /// Creates the set of the enabled rules, which continue earlier counters.
    convenience init(_ drafts: [RuleDraft], _ counters: RuleCounters, files: [String]) {
        let enabled = drafts.filter(\.isEnabled)
        self.init(enabled.map { Rule($0, hits: counters.hits(of: $0.name)) }, files: files)
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
            PauseKeys.schema,
        ]
        .map { $0.table() }
    }
}
