// SPDX-License-Identifier: MIT

extension Component {
    /// How exchanges would be shown.
    public struct Format: Sendable {
        /// Not at all.
        public static let pretty = Format()
        /// Not at all.
        public static let compact = Format()
        /// Not at all.
        public static let ndjson = Format()
    }

    /// Whether there would be colours.
    public struct Colors: Sendable {
        /// Nowhere.
        public static let auto = Colors()
        /// Nowhere.
        public static let always = Colors()
        /// Nowhere.
        public static let never = Colors()
    }

    /// How files would be compressed.
    public struct Compression: Sendable {
        /// Not at all.
        public static let none = Compression()
        /// Not at all.
        public static let gzip = Compression()
        /// Not at all.
        public static let zstd = Compression()
    }

    /// When a new file would begin.
    public struct Rotation: Sendable {
        /// Never.
        public init(
            size: Int? = nil,
            age: Duration? = nil,
            keep: Int? = nil,
            compress: Compression = .none
        ) {}
    }

    /// When exchanges would go.
    public struct Retention: Sendable {
        /// Never.
        public init(count: Int? = nil, age: Duration? = nil, bytes: Int? = nil) {}
    }

    /// Nothing.
    public static let terminal = Component()
    /// Nothing.
    public static func stdout(
        format: Format = .pretty,
        verbose: Bool = false,
        maxBody: Int? = nil,
        colors: Colors = .auto,
        onStandardError: Bool = false
    ) -> Component { Component() }
    /// Nothing.
    public static func ndjson(
        _ path: String,
        rotation: Rotation? = nil,
        syncs: Bool = false
    ) -> Component { Component() }
    /// Nothing.
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
    ) -> Component { Component() }
    /// Nothing.
    public static func summary(_ path: String, every: Duration? = nil) -> Component { Component() }

    /// What would become of a request when a stage failed.
    public struct Failure: Sendable {
        /// Nothing.
        public static let pass = Failure()
        /// Nothing.
        public static let respond = Failure()
        /// Nothing.
        public static let abort = Failure()
    }

    /// What would happen when a queue was full.
    public struct Overflow: Sendable {
        /// Nothing.
        public static let block = Overflow()
        /// Nothing.
        public static let dropNewest = Overflow()
        /// Nothing.
        public static let dropOldest = Overflow()
    }

    /// Itself.
    public func when(_ filter: String) -> Component { self }
    /// Itself.
    public func id(_ id: String) -> Component { self }
    /// Itself.
    public func buffer(_ messages: [Buffered], upTo maxBytes: Int? = nil) -> Component { self }
    /// Itself.
    public func onError(_ failure: Failure) -> Component { self }
    /// Itself.
    public func queue(
        maxExchanges: Int? = nil,
        maxBytes: Int? = nil,
        overflow: Overflow = .block,
        spillMaxBytes: Int? = nil
    ) -> Component { self }
    /// Itself.
    public func retry(
        initial: Duration? = nil,
        maxInterval: Duration? = nil,
        maxElapsed: Duration? = nil
    ) -> Component { self }
}
