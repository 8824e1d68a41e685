// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin

extension SinkPlugin {
    /// The sink `summary`: sums up what has ended, from time to time.
    public static var summary: SinkPlugin {
        SinkPlugin(
            name: "summary",
            summary: "Sums up exchanges for each host and kind of path, from time to time.",
            options: SummaryOptions.schema,
            build: SummaryOptions.build
        )
    }
}

/// The options of `summary`.
enum SummaryOptions {
    static let path = ConfigKey(
        "path",
        .path,
        summary: "The file, to which a line of JSON is appended for each row.",
        example: "api-traffic.ndjson"
    )
    static let every = ConfigKey(
        "every",
        .duration,
        default: .seconds(60),
        summary: "How often it is written; what is left follows at the end.",
        example: "5m"
    )
    static let schema = OptionSchema(path, every)

    /// So that a slip does not fill the disk.
    private static let least = Duration.milliseconds(100)

    static func build(_ options: Options, _ context: inout BuildContext) -> (any SinkFactory)? {
        if options[path] == "-" {
            context.diagnostics.error(
                at: options.location(of: path),
                "'summary' writes to files; found '-'"
            )
        }
        if options[every] < least {
            context.diagnostics.error(
                at: options.location(of: every),
                "'every' is too short; expected at least 100ms"
            )
        }
        guard !context.diagnostics.hasErrors else { return nil }
        return SummaryFactory(path: options[path], every: Microseconds(options[every]))
    }
}
