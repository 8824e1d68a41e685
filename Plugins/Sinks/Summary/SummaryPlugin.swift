// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin

extension SinkPlugin {
    /// The sink `summary`: aggregates finished exchanges and writes the sums at an interval.
    public static var summary: SinkPlugin {
        SinkPlugin(
            name: "summary",
            summary: "Aggregates exchanges per host and path template at an interval.",
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
        summary: "The file. One line of JSON is appended to it for each row.",
        example: "api-traffic.ndjson"
    )
    static let every = ConfigKey(
        "every",
        .duration,
        default: .seconds(60),
        summary: "How often the rows are written; the last ones are written at the end of the run.",
        example: "5m"
    )
    static let schema = OptionSchema(path, every)

    /// Prevents a mistyped interval from filling the disk.
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
