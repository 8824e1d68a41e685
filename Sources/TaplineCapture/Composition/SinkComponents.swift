// SPDX-License-Identifier: MIT

public import TaplinePlugin

extension Component {
    /// How `stdout` shows exchanges.
    public struct Format: Sendable {
        fileprivate let name: String

        /// A line each, in columns.
        public static let pretty = Format(name: "pretty")
        /// A short line each.
        public static let compact = Format(name: "compact")
        /// One JSON object a line.
        public static let ndjson = Format(name: "ndjson")
    }

    /// Whether `stdout` shows colours.
    public struct Colors: Sendable {
        fileprivate let name: String

        /// On a terminal.
        public static let auto = Colors(name: "auto")
        /// Everywhere.
        public static let always = Colors(name: "always")
        /// Nowhere.
        public static let never = Colors(name: "never")
    }

    /// The sink `stdout`, on standard error: shows exchanges on the terminal, a line each.
    public static let terminal = stdout(onStandardError: true)

    /// The sink `stdout`: shows exchanges.
    ///
    /// - Parameters:
    ///   - format: How.
    ///   - verbose: Whether fields and bodies are shown, too.
    ///   - maxBody: How much of each body is shown then.
    ///   - colors: Whether there are colours.
    ///   - onStandardError: Whether it writes there, which leaves standard output to others.
    /// - Returns: The sink.
    public static func stdout(
        format: Format = .pretty,
        verbose: Bool = false,
        maxBody: Int? = nil,
        colors: Colors = .auto,
        onStandardError: Bool = false
    ) -> Component {
        Component(.sink, "stdout") { options in
            options.set("format", .text(format.name))
            options.set("verbose", .truth(verbose))
            options.set("max_body", maxBody.map(Value.bytes))
            options.set("colors", .text(colors.name))
            options.set("stream", .text(onStandardError ? "stderr" : "stdout"))
        }
    }

    /// How finished files are compressed.
    public struct Compression: Sendable {
        fileprivate let name: String

        /// Not at all.
        public static let none = Compression(name: "none")
        /// With gzip.
        public static let gzip = Compression(name: "gzip")
        /// With zstd.
        public static let zstd = Compression(name: "zstd")
    }

    /// When `ndjson` begins a new file, and what becomes of the finished ones.
    public struct Rotation: Sendable {
        fileprivate let value: Value

        /// A rotation.
        ///
        /// - Parameters:
        ///   - size: The largest size of a file, in bytes.
        ///   - age: The longest time that a file covers.
        ///   - keep: How many finished files stay; all where it is left out.
        ///   - compress: How finished files are compressed.
        public init(
            size: Int? = nil,
            age: Duration? = nil,
            keep: Int? = nil,
            compress: Compression = .none
        ) {
            var list = OptionList()
            list.set("size", size.map(Value.bytes))
            list.set("age", age.map(Value.time))
            list.set("keep", keep.map(Value.number))
            list.set("compress", .text(compress.name))
            value = list.map
        }
    }

    /// The sink `ndjson`: a file with a line of JSON for each exchange.
    ///
    /// - Parameters:
    ///   - path: The file, whose name may hold the date and a counter.
    ///   - rotation: When a new file begins; never where it is left out.
    ///   - syncs: Whether each batch waits until it is on the disk.
    /// - Returns: The sink.
    public static func ndjson(
        _ path: String,
        rotation: Rotation? = nil,
        syncs: Bool = false
    ) -> Component {
        Component(.sink, "ndjson") { options in
            options.set("path", .text(path))
            options.set("rotate", rotation?.value)
            options.set("sync", .text(syncs ? "batch" : "none"))
        }
    }

    /// When the oldest exchanges of a database go; what is reached first counts.
    public struct Retention: Sendable {
        fileprivate let value: Value

        /// A retention; what is left out does not count.
        ///
        /// - Parameters:
        ///   - count: How many exchanges are kept.
        ///   - age: How long after its start an exchange is kept.
        ///   - bytes: How large the database and its files may be.
        public init(count: Int? = nil, age: Duration? = nil, bytes: Int? = nil) {
            var list = OptionList()
            list.set("count", count.map(Value.number))
            list.set("age", age.map(Value.time))
            list.set("bytes", bytes.map(Value.bytes))
            value = list.map
        }
    }

    /// The sink `sqlite`: a database.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - retention: When the oldest exchanges go; never where it is left out.
    ///   - indexes: What exchanges are found by quickly; the usual columns where it is left out.
    ///   - syncs: Whether each batch waits until it is on the disk.
    ///   - compresses: Whether bodies are compressed.
    ///   - inlineBodyMax: The largest body kept in the database itself.
    ///   - busyTimeout: How long to wait for a lock of another process.
    ///   - checkpoint: How large the log beside the database grows.
    ///   - pathTemplates: How many kinds of paths are told apart.
    ///   - bodySetMemory: How much memory the set of stored bodies may take.
    /// - Returns: The sink.
    public static func sqlite(
        _ path: String,
        retention: Retention? = nil,
        indexes: [String]? = nil,
        syncs: Bool = false,
        compresses: Bool = false,
        inlineBodyMax: Int? = nil,
        busyTimeout: Duration? = nil,
        checkpoint: Int? = nil,
        pathTemplates: Int? = nil,
        bodySetMemory: Int? = nil
    ) -> Component {
        Component(.sink, "sqlite") { options in
            options.set("path", .text(path))
            options.set("retention", retention?.value)
            options.set("indexes", indexes.map(Value.texts))
            options.set("sync", .text(syncs ? "batch" : "none"))
            options.set("compress", .truth(compresses))
            options.set("inline_body_max", inlineBodyMax.map(Value.bytes))
            options.set("busy_timeout", busyTimeout.map(Value.time))
            options.set("checkpoint", checkpoint.map(Value.bytes))
            options.set("path_templates", pathTemplates.map(Value.number))
            options.set("body_set_memory", bodySetMemory.map(Value.bytes))
        }
    }

    /// The sink `summary`: sums up hosts and kinds of paths from time to time.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - every: How often it is written; each minute where it is left out.
    /// - Returns: The sink.
    public static func summary(_ path: String, every: Duration? = nil) -> Component {
        Component(.sink, "summary") { options in
            options.set("path", .text(path))
            options.set("every", every.map(Value.time))
        }
    }

    /// A sink of the app's own.
    public static func sink(_ name: String, _ factory: any SinkFactory) -> Component {
        var component = Component(.sink, name)
        component.sink = factory
        return component
    }
}
