// SPDX-License-Identifier: MIT

internal import TaplineConfig
package import TaplinePlugin
internal import TaplineSystem

extension StagePlugin {
    /// The stage `rules`: acts on live exchanges by a file of rules.
    package static var rules: StagePlugin {
        StagePlugin(
            name: "rules",
            summary: "Answers, redirects, changes, delays or fails exchanges by a file of rules.",
            options: RulesOptions.schema,
            hasWireHooks: true,
            build: { options, context in RulesOptions.factory(options, &context) }
        )
    }
}

/// The options of `rules`.
enum RulesOptions {
    static let file = ConfigKey(
        "file",
        OptionType<String>.path,
        summary: "The file with the rules; when it changes, the new rules replace the old ones.",
        example: "rules.yaml"
    )
    static let maxPaused = ConfigKey(
        "max_paused",
        OptionType<Int>.integer(in: 0...1000),
        default: 16,
        summary: "How many exchanges may wait for a decision at once; others pass.",
        example: "4"
    )
    static let schema = OptionSchema(file, maxPaused)

    /// Reads the rules; returns `nil` and reports the problems if that fails.
    static func factory(
        _ options: Options,
        _ context: inout BuildContext
    ) -> RulesStageFactory? {
        let path = options[file]
        guard path != "-" else {
            context.diagnostics.error(
                at: options.location(of: file),
                "rules cannot be read from standard input, which cannot be watched"
            )
            return nil
        }
        let loader = RuleFileLoader(
            path: path,
            environment: context.environment,
            protected: ProtectedFiles(context.protectedPaths)
        )
        let stamps = FileStamps([path])
        do throws(FileError) {
            let loaded = try loader.load(into: &context.diagnostics)
            return loaded.set.map {
                RulesStageFactory($0, loader, maxPaused: options[maxPaused], stamps: stamps)
            }
        } catch {
            context.diagnostics.error(
                at: options.location(of: file),
                "the rules cannot be read: \(error.reason)"
            )
            return nil
        }
    }
}
