// SPDX-License-Identifier: MIT

internal import RulesStage
internal import TaplineConfig
internal import TaplineSystem

/// A text of rules as the page may see it: without values of the environment.
struct CheckedRules {
    /// The text read with `${NAME}` as it is.
    let report: RuleFileReport
    /// Whether the text is right with the values of the environment.
    let isValid: Bool
    /// What is wrong, without values of the environment.
    let problems: [Diagnostic]

    /// Reads a text.
    init(_ source: ConfigSource, _ protected: ProtectedFiles) {
        let variables = ProcessEnvironment.variables
        var names: [String: String] = [:]
        for name in variables.keys { names[name] = "${\(name)}" }
        let report = RuleFileReport(source, environment: Environment(names), protected: protected)
        self.report = report
        guard source.bytes.contains(UInt8(ascii: "$")) else {
            isValid = report.set != nil
            problems = report.problems
            return
        }
        let real = RuleFileReport(
            source,
            environment: Environment(variables),
            protected: protected
        )
        isValid = real.set != nil
        if isValid {
            // A number may come from the environment, for example.
            problems = report.problems.filter { $0.severity < .error }
        } else if report.set == nil {
            problems = report.problems
        } else {
            var diagnostics = Diagnostics()
            diagnostics.error(
                at: nil,
                "the rules are wrong with the values of the environment",
                help: "'tapline check' says where"
            )
            problems = report.problems + diagnostics.sorted
        }
    }

    /// The error of a text that is wrong.
    var error: APIError {
        let first = problems.first { $0.severity == .error }
        return APIError(
            400,
            "wrong_rules",
            first?.message ?? "the rules are wrong",
            help: first?.help,
            place: first?.location.map { $0.byteOffset..<$0.byteEnd }
        )
    }
}
