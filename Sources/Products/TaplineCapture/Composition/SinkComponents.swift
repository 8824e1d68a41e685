// SPDX-License-Identifier: MIT

public import TaplinePlugin

extension Component {
    /// How `stdout` shows exchanges.
    public struct Format: Sendable {
        fileprivate let name: String

        /// One line for each exchange, in columns.
        public static let pretty = Format(name: "pretty")
        /// One short line for each exchange.
        public static let compact = Format(name: "compact")
        /// One JSON object on each line.
        public static let ndjson = Format(name: "ndjson")
    }

    /// Whether `stdout` shows colours.
    public struct Colors: Sendable {
        fileprivate let name: String

        /// Colours on a terminal.
        public static let auto = Colors(name: "auto")
        /// Always colours.
        public static let always = Colors(name: "always")
        /// Never colours.
        public static let never = Colors(name: "never")
    }

    /// Where `stdout` writes.
    public struct Stream: Sendable {
        fileprivate let name: String

        /// Standard output.
        public static let stdout = Stream(name: "stdout")
        /// Standard error, which leaves standard output free.
        public static let stderr = Stream(name: "stderr")
    }

    /// The sink `stdout` on standard error: shows exchanges on the terminal, one line each.
    public static let terminal = stdout(stream: .stderr)

    /// The sink `stdout`: shows exchanges.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - verbose: Whether fields and bodies are shown as well.
    ///   - maxBody: How much of each body is shown with `verbose`.
    ///   - colors: Whether colours are used.
    ///   - stream: Where it writes.
    /// - Returns: The sink.
    public static func stdout(
        format: Format = .pretty,
        verbose: Bool = false,
        maxBody: Int? = nil,
        colors: Colors = .auto,
        stream: Stream = .stdout
    ) -> Component {
        Component(.sink, "stdout") { options in
            options.set("format", .text(format.name))
            options.set("verbose", .truth(verbose))
            options.set("max_body", maxBody.map(Value.bytes))
            options.set("colors", .text(colors.name))
            options.set("stream", .text(stream.name))
        }
    }

    /// How finished files are compressed.
    public struct Compression: Sendable {
        fileprivate let name: String

        /// No compression.
        public static let none = Compression(name: "none")
        /// gzip.
        public static let gzip = Compression(name: "gzip")
        /// zstd.
        public static let zstd = Compression(name: "zstd")
    }

    /// When `ndjson` begins a new file, and what happens to the finished ones.
    public struct Rotation: Sendable {
        fileprivate let value: Value

        /// Creates a rotation.
        ///
        /// - Parameters:
        ///   - size: The largest size of a file, in bytes.
        ///   - age: The longest time that a file covers.
        ///   - keep: How many finished files are kept; by default all.
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

    /// The sink `ndjson`: writes a file with one line of JSON for each exchange.
    ///
    /// - Parameters:
    ///   - path: The file, whose name may contain the date and a counter.
    ///   - rotate: When a new file begins; by default never.
    ///   - sync: Whether each batch waits until it is on disk.
    /// - Returns: The sink.
    public static func ndjson(
        _ path: String,
        rotate: Rotation? = nil,
        sync: Bool = false
    ) -> Component {
        Component(.sink, "ndjson") { options in
            options.set("path", .text(path))
            options.set("rotate", rotate?.value)
            options.set("sync", .text(sync ? "batch" : "none"))
        }
    }

    /// When the oldest exchanges of a database are removed; the first limit that is reached
    /// applies.
    public struct Retention: Sendable {
        fileprivate let value: Value

        /// Creates a retention; omitted limits do not apply.
        ///
        /// - Parameters:
        ///   - count: How many exchanges are kept.
        ///   - age: How long an exchange is kept after its start.
        ///   - bytes: The largest size of the database and its files.
        public init(count: Int? = nil, age: Duration? = nil, bytes: Int? = nil) {
            var list = OptionList()
            list.set("count", count.map(Value.number))
            list.set("age", age.map(Value.time))
            list.set("bytes", bytes.map(Value.bytes))
            value = list.map
        }
    }

    /// The sink `sqlite`: writes a database.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - retention: When the oldest exchanges are removed; by default never.
    ///   - indexes: The indexed columns for searching exchanges; by default the usual columns.
    ///   - sync: Whether each batch waits until it is on disk.
    ///   - compress: Whether bodies are compressed.
    ///   - inlineBodyMax: The largest body that is stored in the database itself.
    ///   - busyTimeout: How long to wait for a lock of another process.
    ///   - checkpoint: The size of the write-ahead log that triggers a checkpoint.
    ///   - pathTemplates: The most path patterns that are distinguished.
    ///   - bodySetMemory: The most memory for the set of stored bodies.
    /// - Returns: The sink.
    public static func sqlite(
        _ path: String,
        retention: Retention? = nil,
        indexes: [String]? = nil,
        sync: Bool = false,
        compress: Bool = false,
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
            options.set("sync", .text(sync ? "batch" : "none"))
            options.set("compress", .truth(compress))
            options.set("inline_body_max", inlineBodyMax.map(Value.bytes))
            options.set("busy_timeout", busyTimeout.map(Value.time))
            options.set("checkpoint", checkpoint.map(Value.bytes))
            options.set("path_templates", pathTemplates.map(Value.number))
            options.set("body_set_memory", bodySetMemory.map(Value.bytes))
        }
    }

    /// The sink `summary`: summarizes hosts and path patterns at regular intervals.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - every: The interval at which it is written; by default one minute.
    /// - Returns: The sink.
    public static func summary(_ path: String, every: Duration? = nil) -> Component {
        Component(.sink, "summary") { options in
            options.set("path", .text(path))
            options.set("every", every.map(Value.time))
        }
    }

    /// A sink of the app, which imports `TaplinePlugin`.
    ///
    /// - Parameters:
    ///   - name: Its name in logs and counters, unless it has an id.
    ///   - factory: Opens the sink when the tap starts.
    /// - Returns: The sink.
    public static func sink(_ name: String, _ factory: any SinkFactory) -> Component {
        var component = Component(.sink, name)
        component.sink = factory
        return component
    }
}
