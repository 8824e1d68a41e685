// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// The checks that do not run the component: names, texts, options, and whether it builds.
struct DescriptionChecks {
    let subject: Subject

    func run(into findings: inout Findings) throws {
        checkNames(into: &findings)
        checkOptions(subject.description.options, within: "", into: &findings)
        guard try checkBuild(into: &findings) else { return }
        try checkUnknownOption(into: &findings)
    }

    // MARK: Names and options

    private func checkNames(into findings: inout Findings) {
        let description = subject.description
        findings.expect(
            DescriptionChecks.isSnakeCase(description.name),
            .description,
            "the plugin's name '\(description.name)' is not snake_case"
        )
        findings.expect(
            !PipelineSchema.commonKeys.contains(description.name),
            .description,
            "the plugin's name '\(description.name)' is a key that all components share"
        )
        findings.expect(!description.summary.isEmpty, .description, "the plugin has no summary")
    }

    private func checkOptions(
        _ schema: OptionSchema,
        within outer: String,
        into findings: inout Findings
    ) {
        var names: Set<String> = []
        for key in schema.keys {
            let path = outer + key.name
            findings.expect(
                DescriptionChecks.isSnakeCase(key.name),
                .description,
                "the option '\(path)' is not snake_case"
            )
            findings.expect(
                !outer.isEmpty || !PipelineSchema.commonKeys.contains(key.name),
                .description,
                "the option '\(path)' has the name of a key that all components share"
            )
            findings.expect(
                names.insert(key.name).inserted,
                .description,
                "the option '\(path)' is declared twice"
            )
            findings.expect(
                !key.summary.isEmpty,
                .description,
                "the option '\(path)' has no summary"
            )
            if let nested = key.nested {
                checkOptions(nested, within: "\(path).", into: &findings)
            } else {
                checkExamples(of: key, path, into: &findings)
            }
        }
    }

    /// Checks that an option shows at least one value, and that every value shown is valid.
    private func checkExamples(
        of key: AnyConfigKey,
        _ path: String,
        into findings: inout Findings
    ) {
        let shown = [key.example, key.defaultText].compactMap(\.self)
        findings.expect(
            !shown.isEmpty,
            .description,
            "the option '\(path)' has neither an example nor a printable default"
        )
        for value in shown {
            var diagnostics = Diagnostics()
            let text = Array("\(key.name): \(value)\n".utf8)
            let node = ConfigReader().read(text, name: "example", into: &diagnostics)
            if let node, !diagnostics.hasErrors {
                let environment = Environment(subject.settings.environment)
                _ = OptionSchema([key]).decode(
                    node,
                    owner: subject.description.name,
                    into: &diagnostics,
                    environment: environment
                )
            }
            findings.expect(
                !diagnostics.hasErrors,
                .description,
                "the option '\(path)' shows '\(value)', which is refused: "
                    + (diagnostics.all.first?.message ?? "")
            )
        }
    }

    static func isSnakeCase(_ name: String) -> Bool {
        guard let first = name.utf8.first, (0x61...0x7A).contains(first) else { return false }
        return !name.hasSuffix("_") && !name.contains("__")
            && name.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
            }
    }

    // MARK: Building

    /// Builds the component twice; returns whether it builds.
    private func checkBuild(into findings: inout Findings) throws -> Bool {
        let folder = try TestFolder(subject.settings.files)
        let before = try folder.contents()
        for _ in 0..<2 {
            var diagnostics = Diagnostics()
            let topology = subject.build(in: folder, into: &diagnostics)
            guard topology != nil else {
                findings.note(.builds, "it does not build:\n\(diagnostics.rendered)")
                return false
            }
        }
        let after = try folder.contents()
        for path in Set(before.keys).union(after.keys).sorted()
        where before[path] != after[path] {
            findings.note(
                .sideEffects,
                "building creates, changes or removes '\(path.dropFirst(folder.path.count + 1))'"
            )
        }
        return true
    }

    private func checkUnknownOption(into findings: inout Findings) throws {
        let schema = subject.description.options
        let folder = try TestFolder(subject.settings.files)
        for name in schema.keys.map(\.name) + [""] {
            let wrong = name.isEmpty ? "no_such_option" : "\(name)\(name.suffix(1))"
            guard schema[wrong] == nil else { continue }
            var diagnostics = Diagnostics()
            let topology = subject.build(
                in: folder,
                set: ["\(Subject.id).\(wrong)=1"],
                into: &diagnostics
            )
            let problem = diagnostics.all.first { $0.message.contains("'\(wrong)'") }
            findings.expect(
                topology == nil && problem?.severity == .error,
                .unknownOption,
                "the unknown option '\(wrong)' is not refused"
            )
            findings.expect(
                name.isEmpty || problem == nil || problem?.help?.contains("'\(name)'") == true,
                .unknownOption,
                "the unknown option '\(wrong)' is refused without suggesting '\(name)'"
            )
        }
    }
}
