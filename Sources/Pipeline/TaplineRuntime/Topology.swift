// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineOperations
package import TaplinePlugin
package import TaplineQuery

/// A pipeline that is built but not running: its components with their order and conditions.
///
/// It is built from a file by `TopologyBuilder`, or in code.
package struct Topology: Sendable {
    /// The maximum number of stages in a pipeline.
    package static let maxStages = 127

    /// A source of a pipeline.
    package struct Source: Sendable {
        package let id: String
        package let source: any TaplinePlugin.Source
        let condition: Filter?
        package let captureMaxBytes: Int
        /// The share of exchanges that is recorded; `nil` for all.
        let sampling: Sampling?
        /// Whether it captures live traffic; a live source never waits for a sink.
        let isLive: Bool
        /// What it was configured with.
        var identity = ComponentIdentity()

        /// Creates a source with an id; a live source keeps `captureMaxBytes` of each body.
        package init(
            id: String,
            _ source: any TaplinePlugin.Source,
            when condition: Filter? = nil,
            captureMaxBytes: Int = 1 << 20,
            sampling: Sampling? = nil,
            isLive: Bool = false
        ) {
            self.id = id
            self.isLive = isLive
            self.source = source
            self.condition = condition
            self.captureMaxBytes = captureMaxBytes
            self.sampling = sampling
        }

        /// Whether it reports where it listens.
        var listens: Bool {
            source.claims.contains { if case .port = $0 { true } else { false } }
        }

        /// Whether it sends its first request when other sources do.
        var startsTogether: Bool {
            (source as? any ReplayStart.Participant)?.startsTogether ?? false
        }
    }

    /// A stage of a pipeline.
    package struct Stage: Sendable {
        package let id: String
        package let factory: any StageFactory
        package let condition: Filter?
        let onError: OnError
        let buffer: BodyBuffer
        /// What it was configured with.
        var identity = ComponentIdentity()

        /// Creates a stage with an id.
        package init(
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

    /// A sink of a pipeline.
    package struct Sink: Sendable {
        package let id: String
        package let factory: any SinkFactory
        let condition: Filter?
        package let queue: QueueOptions
        let retry: RetryOptions
        /// What it was configured with.
        var identity = ComponentIdentity()

        /// The exclusive resources of the sink and its queue.
        var claims: [ResourceClaim] {
            factory.claims + [queue.disk, queue.deadLetters].compactMap { $0.map { .file($0) } }
        }

        /// Creates a sink with an id.
        package init(
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
    package var sources: [Source]
    /// The stages, in the order in which they run.
    package var stages: [Stage]
    /// The sinks, in the order of the file.
    package var sinks: [Sink]
    /// The most captured bytes in all lanes and queues.
    package var memory: Int
    /// How long a stopped pipeline may keep writing, counted from the end of its last exchange.
    package var drainTimeout: Microseconds
    /// The folder for records spilled to disk; `nil` for the system's default.
    package var spillFolder: String?
    /// Whether exchanges keep what stages do to them.
    package var recordsProvenance: Bool
    /// The most exchanges of live sources that are recorded at a time; `nil` for any number.
    package var maxExchangesInFlight: Int?
    /// When recording is shed.
    package var shedding = SheddingLimits.none
    /// The key files, folders of keys, and `recordPaths`, which no component may expose.
    package var protectedPaths: [String] = []
    /// The files and folders in which queues and sinks keep records until they are stored.
    package var recordPaths: [String] = []
    /// Where the pipeline can be controlled; `nil` if it cannot.
    package var control: ControlAddress?
    /// The file with the token that changes need; `nil` for one that is generated.
    package var controlTokenFile: String?
    /// Whether it is reloaded when a file that it was built from changes.
    package var isWatched = false
    /// The names of the components' plugins, by id.
    package var plugins: [String: String] = [:]

    /// Creates a pipeline of these components.
    package init(
        sources: [Source],
        stages: [Stage] = [],
        sinks: [Sink],
        memory: Int = 512 << 20,
        drainTimeout: Microseconds = Microseconds(10_000_000),
        spillFolder: String? = nil,
        recordsProvenance: Bool = false
    ) {
        self.sources = sources
        self.stages = stages
        self.sinks = sinks
        self.memory = memory
        self.drainTimeout = drainTimeout
        self.spillFolder = spillFolder
        self.recordsProvenance = recordsProvenance
    }

    /// Whether any stage removes secrets from records.
    package var redacts: Bool { stages.contains { $0.factory.redacts } }

    /// Whether a sink needs the digests of bodies.
    var needsDigests: Bool { sinks.contains { $0.factory.needsDigests } }
}

/// The bodies of live traffic that a stage's wire hooks see in full.
///
/// Hooks for WebSocket messages always see whole messages.
package struct BodyBuffer: Sendable {
    /// No body.
    package static let none = BodyBuffer([], maxBytes: 1 << 20)

    /// The hooks that see whole bodies.
    package let hooks: Hooks
    /// The largest body or WebSocket message that is buffered, in bytes.
    package let maxBytes: Int

    /// Creates a buffer for the bodies of these hooks, up to a size.
    package init(_ hooks: Hooks, maxBytes: Int) {
        self.hooks = hooks
        self.maxBytes = maxBytes
    }
}

/// What happens to an exchange when a wire hook throws.
package enum OnError: Sendable, CaseIterable {
    /// The exchange continues unchanged, with a tag.
    case pass
    /// The client gets a 502 response that names the component.
    case respond
    /// The connection of the exchange is closed.
    case abort

    /// The name in the configuration.
    package var name: String {
        switch self {
        case .pass: "pass"
        case .respond: "respond"
        case .abort: "abort"
        }
    }
}
