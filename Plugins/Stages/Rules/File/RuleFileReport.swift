// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineModel
package import TaplineSystem

/// What is in the text of a rule file, and what is wrong with it.
package struct RuleFileReport: Sendable {
    /// A rule of the file, also one that is disabled.
    package struct Rule: Sendable, Equatable {
        /// The name in the file; `nil` if it has none.
        package let name: String?
        /// The name in counters: the one in the file, or one with the position.
        package let counted: String
        package let isEnabled: Bool
        /// The condition; `nil` for all exchanges.
        package let condition: String?
        /// What the rule does, without values.
        package let summary: String
        /// The first and the last line, from 1.
        package let lines: ClosedRange<Int>
        /// The bodies that it needs whole: `request.body`, `response.body`.
        package let reads: [String]
    }

    /// The rules, in order; those of an invalid text as far as they can be read.
    package let rules: [Rule]
    /// The problems, in the order of the text.
    package let problems: [Diagnostic]
    /// The rules in use; `nil` if there is an error.
    package let set: RuleSet?

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - source: The text; relative paths in it start at its folder.
    ///   - environment: The values for `${NAME}`, which messages do not show.
    ///   - protected: The files that no rule may answer with.
    package init(_ source: ConfigSource, environment: Environment, protected: ProtectedFiles) {
        var diagnostics = Diagnostics()
        let (drafts, files) = RuleSet.drafts(source, environment, protected, into: &diagnostics)
        set = drafts.map { RuleSet($0, RuleCounters(), files: files) }
        problems = diagnostics.hidingValues(of: environment).sorted
        var ignored = Diagnostics()
        let root = ConfigReader().read(source, into: &ignored)
        let nodes = root?["rules"]?.elements ?? []
        let ends = Self.lastLines(of: nodes, in: source)
        rules = nodes.enumerated().map { index, node in
            let draft = drafts.flatMap { $0.indices.contains(index) ? $0[index] : nil }
            let first = node.location.line
            return Rule(node, index, draft, lines: first...max(first, ends[index]))
        }
    }

    /// Returns the files that the rules of a text answer with; they are not read.
    package static func answerFiles(
        of source: ConfigSource,
        environment: Environment
    ) -> [String] {
        var ignored = Diagnostics()
        guard let root = ConfigReader().read(source, into: &ignored) else { return [] }
        let options = RuleFileKeys.schema.decode(
            root,
            owner: "rules",
            into: &ignored,
            environment: environment
        )
        guard let options, !ignored.hasErrors else { return [] }
        let rules = options[RuleFileKeys.rules]
        let actions = rules.flatMap { $0.value[RuleKeys.actions].flatMap(\.value) }
        return actions.compactMap(\.file)
    }

    /// The last line of each rule, without comments and empty lines after it.
    private static func lastLines(of nodes: [ConfigNode], in source: ConfigSource) -> [Int] {
        let lines = source.bytes.split(separator: .ascii("\n"), omittingEmptySubsequences: false)
        return nodes.indices.map { index in
            let first = nodes[index].location.line
            var end = lines.count
            if index + 1 < nodes.count {
                end = max(nodes[index + 1].location.line - 1, first)
            } else if let next = lines.indices.first(where: { $0 >= first && lines[$0].isKey }) {
                end = next
            }
            while end > first, end <= lines.count, lines[end - 1].isBlankOrComment { end -= 1 }
            return min(end, max(lines.count, first))
        }
    }
}

extension RuleFileReport.Rule {
    fileprivate init(
        _ node: ConfigNode,
        _ index: Int,
        _ draft: RuleDraft?,
        lines: ClosedRange<Int>
    ) {
        name = node["name"]?.text
        counted = draft?.name ?? name ?? "rule \(index + 1)"
        isEnabled = draft?.isEnabled ?? (node["enabled"]?.text != "false")
        condition = node["when"]?.text
        self.lines = lines
        guard let draft else {
            let actions = node["actions"]?.elements ?? []
            let words = actions.map { $0.text ?? $0.pairs?.first?.key.text ?? "" }
            summary = words.filter { !$0.isEmpty }.joined(separator: ", ")
            reads = []
            return
        }
        let actions = draft.requestActions + draft.responseActions
        summary = actions.map(\.description).joined(separator: ", ")
        let bodies = BodyNeeds(draft)
        reads =
            (bodies.request ? ["request.body"] : []) + (bodies.response ? ["response.body"] : [])
    }
}

extension ArraySlice<UInt8> {
    /// Whether a line of YAML has no content.
    fileprivate var isBlankOrComment: Bool {
        let start = first { !$0.isBlank && $0 != .ascii("\r") }
        return start == nil || start == .ascii("#")
    }

    /// Whether a line begins a key of the whole file.
    fileprivate var isKey: Bool {
        guard let start = self.first, !isBlankOrComment else { return false }
        return !start.isBlank && start != .ascii("-") && start != .ascii("]")
    }
}
