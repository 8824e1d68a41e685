// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineConfig
import TaplineFiles
import TaplineModel
public import TaplinePlugin

extension SinkPlugin {
    /// The sink `ndjson`: appends records to a file, one JSON object a line.
    public static var ndjson: SinkPlugin {
        SinkPlugin(
            name: "ndjson",
            summary: "Appends records to a file, one JSON object a line (record schema v1).",
            options: NDJSONOptions.schema,
            build: NDJSONOptions.build
        )
    }
}

/// The options of `ndjson`.
enum NDJSONOptions {
    static let path = ConfigKey(
        "path",
        .path,
        summary: "The file. Its name may hold the date (%Y %m %d %j %H %M %S, in UTC) and a "
            + "counter ({n}).",
        example: "traffic-%Y-%m-%d.ndjson"
    )
    static let sync = ConfigKey(
        "sync",
        .choice([("none", false), ("batch", true)]),
        default: false,
        summary: "`batch`: wait after each batch until it is on the disk."
    )

    static let size = ConfigKey(
        "size",
        OptionType.byteSize.optional,
        default: nil,
        summary: "The largest size of a file; a line that is longer gets a file of its own.",
        example: "100MiB"
    )
    static let age = ConfigKey(
        "age",
        OptionType.duration.optional,
        default: nil,
        summary: "The longest time that a file covers; it ends at a whole multiple, in UTC.",
        example: "1h"
    )
    static let keep = ConfigKey(
        "keep",
        OptionType.integer(in: 1...1_000_000).optional,
        default: nil,
        summary: "How many finished files stay; all unless it is given.",
        example: "10"
    )
    static let compress = ConfigKey(
        "compress",
        .choice([
            ("none", ContentCoding.identity), ("gzip", .gzip), ("zstd", .zstd),
        ]),
        default: .identity,
        summary: "How finished files are compressed; their names get .gz or .zst."
    )
    static let rotate = ConfigKey(
        "rotate",
        OptionType.object(OptionSchema(size, age, keep, compress)).optional,
        default: nil,
        summary: "When a new file begins, and what becomes of the finished ones.",
        example: "{ size: 100MiB, keep: 10, compress: zstd }"
    )

    static let schema = OptionSchema(path, rotate, sync)

    /// The least size and age of a file, so that a slip does not make thousands of them.
    static let leastSize = 1024
    static let leastAge = Microseconds(1_000_000)

    static func build(
        _ options: Options,
        _ context: inout BuildContext
    ) -> (any SinkFactory)? {
        let place = options.location(of: path)
        guard options[path] != "-" else {
            context.diagnostics.error(
                at: place,
                "'ndjson' writes to files; found '-'",
                help: "use 'stdout: { format: ndjson }' for standard output"
            )
            return nil
        }
        let template: NameTemplate
        do throws(NameTemplate.Problem) {
            template = try NameTemplate(options[path])
        } catch {
            context.diagnostics.error(at: place, error.message)
            return nil
        }
        guard isFolder(template.folder) else {
            context.diagnostics.error(
                at: place,
                "the folder '\(template.folder)' is not there",
                help: "make it with: mkdir -p '\(template.folder)'"
            )
            return nil
        }
        guard let rotation = rotation(options, template, &context) else { return nil }
        let factory = NDJSONFactory(template: template, rotation: rotation, syncs: options[sync])
        if factory.stream != nil, rotation != .none {
            context.diagnostics.warning(
                at: options.location(of: rotate),
                "'rotate' does nothing here: '\(template.path)' is no ordinary file"
            )
        }
        return factory
    }

    private static func isFolder(_ path: String) -> Bool {
        (try? FileSystem.status(of: path))?.kind == .folder
    }

    private static func rotation(
        _ options: Options,
        _ template: NameTemplate,
        _ context: inout BuildContext
    ) -> Rotation? {
        guard let inner = options[rotate] else { return Rotation.none }
        var rotation = Rotation()
        rotation.maxSize = inner[size]
        rotation.keep = inner[keep]
        rotation.coding = inner[compress] == .identity ? nil : inner[compress]
        if let age = inner[age] {
            let (seconds, attoseconds) = age.components
            let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
            rotation.age = Microseconds(
                overflow ? .max : whole &+ attoseconds / 1_000_000_000_000
            )
        }
        if let size = rotation.maxSize, size < leastSize {
            context.diagnostics.error(
                at: inner.location(of: Self.size),
                "'size' is too small; found \(size) bytes, expected at least 1KiB"
            )
            return nil
        }
        if let age = rotation.age, age < leastAge {
            context.diagnostics.error(
                at: inner.location(of: Self.age),
                "'age' is too short; expected at least 1s"
            )
            return nil
        }
        if rotation.maxSize == nil, rotation.age == nil, !template.hasDate {
            context.diagnostics.error(
                at: options.location(of: rotate),
                "nothing says when a new file begins; expected 'size', 'age' or a date in 'path'"
            )
            return nil
        }
        return rotation
    }
}

/// A configured `ndjson`, not yet open.
struct NDJSONFactory: SinkFactory {
    let template: NameTemplate
    let rotation: Rotation
    /// Whether each batch is waited for until it is on the disk.
    let syncs: Bool

    /// What the path names if that is not an ordinary file; `nil` otherwise.
    var stream: StreamTarget? {
        template.hasCounter || template.hasDate ? nil : StreamTarget(template.path)
    }

    var claims: [Claim] {
        switch stream {
        case .standardOutput?: [.standardOutput]
        case .standardError?, .device?: []
        case .fifo?, nil: [.file(template.path)]
        }
    }

    func open(_ context: SinkContext) throws -> any Sink {
        if let stream { return try NDJSONStreamSink(stream, context) }
        return try NDJSONSink(self, context)
    }
}
