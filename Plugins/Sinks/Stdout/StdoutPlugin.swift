// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
public import TaplinePlugin
import TaplineSystem

extension SinkPlugin {
    /// The sink `stdout`: shows exchanges on the terminal, or passes them on through a pipe.
    public static var stdout: SinkPlugin {
        SinkPlugin(
            name: "stdout",
            summary: "Shows exchanges on standard output: for people, or as NDJSON for programs.",
            options: StdoutOptions.schema,
            build: StdoutOptions.build
        )
    }
}

/// How exchanges are shown.
enum OutputFormat: Sendable, Equatable {
    case pretty
    case compact
    case ndjson
}

/// Where exchanges are shown.
enum OutputStream: Sendable, Equatable {
    case stdout
    case stderr
}

/// When colours are used.
enum ColorChoice: Sendable, Equatable {
    case auto
    case always
    case never
}

/// The options of `stdout`.
enum StdoutOptions {
    static let format = ConfigKey(
        "format",
        .choice([
            ("pretty", OutputFormat.pretty), ("compact", .compact), ("ndjson", .ndjson),
        ]),
        default: .pretty,
        summary: "Aligned columns, short lines, or one JSON object per line (record schema v1)."
    )
    static let verbose = ConfigKey(
        "verbose",
        .bool,
        default: false,
        summary: "Whether `pretty` also shows header fields and bodies; JSON is indented."
    )
    static let maxBody = ConfigKey(
        "max_body",
        .byteSize,
        default: 4096,
        summary: "How much of each body `verbose` shows.",
        example: "64KiB"
    )
    static let colors = ConfigKey(
        "colors",
        .choice([("auto", ColorChoice.auto), ("always", .always), ("never", .never)]),
        default: .auto,
        summary: "`auto`: colours on a terminal, unless NO_COLOR is set or TERM is dumb."
    )

    static let stream = ConfigKey(
        "stream",
        .choice([("stdout", OutputStream.stdout), ("stderr", .stderr)]),
        default: .stdout,
        summary: "The stream to write to; `stderr` leaves standard output to other components."
    )

    static let schema = OptionSchema(format, verbose, maxBody, colors, stream)

    static func build(
        _ options: Options,
        _ context: inout BuildContext
    ) -> (any SinkFactory)? {
        if options[verbose], options[format] != .pretty {
            context.diagnostics.warning(
                at: options.location(of: verbose),
                "'verbose' has no effect here; it needs the format 'pretty'"
            )
        }
        return StdoutFactory(
            format: options[format],
            maxBody: options[verbose] ? options[maxBody] : nil,
            colors: options[colors],
            stream: options[stream],
            allowsColor: allowsColor(context.environment)
        )
    }

    /// Whether the environment allows colours on a terminal; NO_COLOR forbids them if set and not
    /// empty (https://no-color.org).
    static func allowsColor(_ environment: Environment) -> Bool {
        (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}

/// A configured `stdout`, not yet open.
struct StdoutFactory: SinkFactory {
    let format: OutputFormat
    /// The number of bytes shown of each body; `nil` if only lines are shown.
    let maxBody: Int?
    let colors: ColorChoice
    var stream = OutputStream.stdout
    let allowsColor: Bool

    // Standard error is shared: the log goes there too.
    var claims: [ResourceClaim] { stream == .stdout ? [.standardOutput] : [] }

    func open(_ context: SinkContext) throws -> any Sink {
        StdoutSink(
            to: stream == .stdout ? File.standardOutput : File.standardError,
            self,
            clock: LocalClock(offset: LocalTime.offset(at:))
        )
    }
}
