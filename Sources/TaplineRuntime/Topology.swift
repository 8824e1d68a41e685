// SPDX-License-Identifier: MIT

public import TaplineModel
public import TaplinePlugin
public import TaplineQuery

/// A pipeline that is built and not yet running: components with their places and conditions.
///
/// Made from a file by `TopologyBuilder`, or in code.
public struct Topology: Sendable {
    /// The most stages of a pipeline.
    public static let maxStages = 127

    /// A source in its place.
    public struct Source: Sendable {
        let id: String
        package let source: any TaplinePlugin.Source
        let condition: Filter?
        let captureMaxBytes: Int
        /// Whether it captures live traffic, which never waits for a sink.
        let isLive: Bool

        /// A source under an id; a live one keeps that many bytes of each body.
        public init(
            id: String,
            _ source: any TaplinePlugin.Source,
            when condition: Filter? = nil,
            captureMaxBytes: Int = 1 << 20,
            isLive: Bool = false
        ) {
            self.id = id
            self.isLive = isLive
            self.source = source
            self.condition = condition
            self.captureMaxBytes = captureMaxBytes
        }
    }

    /// A stage in its place.
    public struct Stage: Sendable {
        let id: String
        package let factory: any StageFactory
        package let condition: Filter?
        let onError: OnError
        let buffer: BodyBuffer

        /// A stage under an id.
        public init(
            id: String,
            _ factory: any StageFactory,
            when condition: Filter? = nil,
            onError: OnError = .pass,
            buffer: BodyBuffer = .none
        ) {
            self.id = id
            self.factory = factory
            self.condition = condition
            self.onError = onError
            self.buffer = buffer
        }
    }

    /// A sink in its place.
    public struct Sink: Sendable {
        package let id: String
        package let factory: any SinkFactory
        let condition: Filter?
        let queue: QueueOptions
        let retry: RetryOptions

        /// A sink under an id.
        public init(
            id: String,
            _ factory: any SinkFactory,
            when condition: Filter? = nil,
            queue: QueueOptions = QueueOptions(),
            retry: RetryOptions = RetryOptions()
        ) {
            self.id = id
            self.factory = factory
            self.condition = condition
            self.queue = queue
            self.retry = retry
        }
    }

    /// The sources, in the order of the file.
    public var sources: [Source]
    /// The stages, in the order in which they run.
    public var stages: [Stage]
    /// The sinks, in the order of the file.
    public var sinks: [Sink]
    /// The most captured bytes in lanes and queues together.
    public var memory: Int
    /// How long a stopped pipeline may write what it has, from the end of its last exchange on.
    public var drainTimeout: Microseconds
    /// The folder for records that wait on the disk; `nil` for the system's.
    public var spillFolder: String?

    /// A pipeline of these components.
    public init(
        sources: [Source],
        stages: [Stage] = [],
        sinks: [Sink],
        memory: Int = 512 << 20,
        drainTimeout: Microseconds = Microseconds(10_000_000),
        spillFolder: String? = nil
    ) {
        self.sources = sources
        self.stages = stages
        self.sinks = sinks
        self.memory = memory
        self.drainTimeout = drainTimeout
        self.spillFolder = spillFolder
    }

    /// Whether any stage takes secrets out of records.
    public var redacts: Bool { stages.contains { $0.factory.redacts } }

    /// Whether a sink needs the digests of bodies.
    var needsDigests: Bool { sinks.contains { $0.factory.needsDigests } }
}

/// The bodies of live traffic that a stage wants whole before its wire hooks run; messages of
/// WebSockets, where it has a hook for them, are whole in any case.
public struct BodyBuffer: Sendable {
    /// No body.
    public static let none = BodyBuffer([], maxBytes: 1 << 20)

    /// The hooks that see whole bodies.
    public let hooks: Hooks
    /// Up to which size a body, or a message of a WebSocket, is waited for, in bytes.
    public let maxBytes: Int

    /// Whole bodies for these hooks, up to a size.
    public init(_ hooks: Hooks, maxBytes: Int) {
        self.hooks = hooks
        self.maxBytes = maxBytes
    }
}

/// What becomes of an exchange when a wire hook throws.
public enum OnError: Sendable, CaseIterable {
    /// It goes on as it is, tagged.
    case pass
    /// It is answered with 502, naming the component.
    case respond
    /// Its connection is closed.
    case abort

    /// The word in the configuration.
    public var name: String {
        switch self {
        case .pass: "pass"
        case .respond: "respond"
        case .abort: "abort"
        }
    }
}
