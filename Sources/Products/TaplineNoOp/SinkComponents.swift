// SPDX-License-Identifier: MIT

extension Component {
    /// How `stdout` shows exchanges.
    public struct Format: Sendable {
        /// Has no effect.
        public static let pretty = Format()
        /// Has no effect.
        public static let compact = Format()
        /// Has no effect.
        public static let ndjson = Format()
    }

    /// Whether `stdout` shows colours.
    public struct Colors: Sendable {
        /// Has no effect.
        public static let auto = Colors()
        /// Has no effect.
        public static let always = Colors()
        /// Has no effect.
        public static let never = Colors()
    }

    /// How finished files are compressed.
    public struct Compression: Sendable {
        /// Has no effect.
        public static let none = Compression()
        /// Has no effect.
        public static let gzip = Compression()
        /// Has no effect.
        public static let zstd = Compression()
    }

    /// When a new file begins.
    public struct Rotation: Sendable {
        /// Creates a value without effect.
        public init(
            size: Int? = nil,
            age: Duration? = nil,
            keep: Int? = nil,
            compress: Compression = .none
        ) {}
    }

    /// When the oldest exchanges of a database are removed.
    public struct Retention: Sendable {
        /// Creates a value without effect.
        public init(count: Int? = nil, age: Duration? = nil, bytes: Int? = nil) {}
    }

    /// Where `stdout` writes.
    public struct Stream: Sendable {
        /// Has no effect.
        public static let stdout = Stream()
        /// Has no effect.
        public static let stderr = Stream()
    }

    /// A component without effect.
    public static let terminal = Component()
    /// A component without effect.
    public static func stdout(
        format: Format = .pretty,
        verbose: Bool = false,
        maxBody: Int? = nil,
        colors: Colors = .auto,
        stream: Stream = .stdout
    ) -> Component { Component() }
    /// A component without effect.
    public static func ndjson(
        _ path: String,
        rotate: Rotation? = nil,
        sync: Bool = false
    ) -> Component { Component() }
    /// A component without effect.
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
    ) -> Component { Component() }
    /// A component without effect.
    public static func summary(_ path: String, every: Duration? = nil) -> Component { Component() }

    /// What happens to a request when a hook of a stage fails.
    public struct Failure: Sendable {
        /// Has no effect.
        public static let pass = Failure()
        /// Has no effect.
        public static let respond = Failure()
        /// Has no effect.
        public static let abort = Failure()
    }

    /// What happens when the queue of a sink is full.
    public struct Overflow: Sendable {
        /// Has no effect.
        public static let block = Overflow()
        /// Has no effect.
        public static let dropNewest = Overflow()
        /// Has no effect.
        public static let dropOldest = Overflow()
    }

    /// Returns the component unchanged.
    public func when(_ filter: String) -> Component { self }
    /// Returns the component unchanged.
    public func id(_ id: String) -> Component { self }
    /// Returns the component unchanged.
    public func buffer(_ messages: [Buffered], maxBuffer: Int? = nil) -> Component { self }
    /// Returns the component unchanged.
    public func onError(_ failure: Failure) -> Component { self }
    /// Returns the component unchanged.
    public func queue(
        maxExchanges: Int? = nil,
        maxBytes: Int? = nil,
        overflow: Overflow = .block,
        spillMaxBytes: Int? = nil
    ) -> Component { self }
    /// Returns the component unchanged.
    public func retry(
        initial: Duration? = nil,
        maxInterval: Duration? = nil,
        maxElapsed: Duration? = nil
    ) -> Component { self }
}
