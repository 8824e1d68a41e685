// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineConfig
import TaplineModel
public import TaplinePlugin
import TaplineSystem

extension SinkPlugin {
    /// The sink `ndjson`: appends records to a file, one JSON object per line.
    public static var ndjson: SinkPlugin {
        SinkPlugin(
            name: "ndjson",
            summary: "Appends records to a file, one JSON object per line (record schema v1).",
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
        summary: "The file. Its name may contain the date (%Y %m %d %j %H %M %S, in UTC) and a "
            + "counter ({n}).",
        example: "traffic-%Y-%m-%d.ndjson"
    )
    static let sync = ConfigKey(
        "sync",
        .choice([("none", false), ("batch", true)]),
        default: false,
        summary: "`batch`: waits after each batch until it is on disk."
    )

    static let size = ConfigKey(
        "size",
        OptionType.byteSize.optional,
        default: nil,
        summary: "The maximum size of a file; a line that is longer gets a file of its own.",
        example: "100MiB"
    )
    static let age = ConfigKey(
        "age",
        OptionType.duration.optional,
        default: nil,
        summary: "The longest time that a file covers; files end at multiples of it, in UTC.",
        example: "1h"
    )
    static let keep = ConfigKey(
        "keep",
        OptionType.integer(in: 1...1_000_000).optional,
        default: nil,
        summary: "How many finished files are kept; by default all.",
        example: "10"
    )
    static let compress = ConfigKey(
        "compress",
        .choice([
            ("none", ContentCoding.identity), ("gzip", .gzip), ("zstd", .zstd),
        ]),
        default: .identity,
        summary: "How finished files are compressed; .gz or .zst is appended to their names."
    )
    static let rotate = ConfigKey(
        "rotate",
        OptionType.object(OptionSchema(size, age, keep, compress)).optional,
        default: nil,
        summary: "When a new file begins, and what happens to finished files.",
        example: "{ size: 100MiB, keep: 10, compress: zstd }"
    )

    static let schema = OptionSchema(path, rotate, sync)

    /// The minimum size and age of a file, so that a mistyped value does not create thousands of
    /// files.
    static let minSize = 1024
    static let minAge = Microseconds(1_000_000)

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
                "the folder '\(template.folder)' does not exist",
                help: "create it with: mkdir -p '\(template.folder)'"
            )
            return nil
        }
        guard let rotation = rotation(options, template, &context) else { return nil }
        let factory = NDJSONFactory(template: template, rotation: rotation, syncs: options[sync])
        if factory.stream != nil, rotation != .none {
            context.diagnostics.warning(
                at: options.location(of: rotate),
                "'rotate' has no effect here: '\(template.path)' is not a regular file"
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
        if let size = rotation.maxSize, size < minSize {
            context.diagnostics.error(
                at: inner.location(of: Self.size),
                "'size' is too small; found \(size) bytes, expected at least 1KiB"
            )
            return nil
        }
        if let age = rotation.age, age < minAge {
            context.diagnostics.error(
                at: inner.location(of: Self.age),
                "'age' is too short; expected at least 1s"
            )
            return nil
        }
        if rotation.maxSize == nil, rotation.age == nil, !template.hasDate {
            context.diagnostics.error(
                at: options.location(of: rotate),
                "'rotate' has no limit; expected 'size', 'age' or a date in 'path'"
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
    /// Whether the sink waits until each batch is on disk.
    let syncs: Bool

    /// The target if the path does not name a regular file; otherwise `nil`.
    var stream: StreamTarget? {
        template.hasCounter || template.hasDate ? nil : StreamTarget(template.path)
    }

    var writesLines: Bool { true }

    var claims: [ResourceClaim] {
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
