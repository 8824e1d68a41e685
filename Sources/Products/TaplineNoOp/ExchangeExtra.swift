// SPDX-License-Identifier: MIT

/// Data that few exchanges have; never created.
public struct ExchangeExtra: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var provenance: [ProvenanceChange] { [] }
    /// Always `nil`.
    public var replay: ReplayFacts? { nil }
    /// Always empty.
    public var notes: [ExchangeNote] { [] }
    /// Always `nil`.
    public var stream: StreamLegs? { nil }
    /// Always `nil`.
    public var grpc: GRPCFacts? { nil }
    /// Always `true`.
    public var isEmpty: Bool { true }
}

/// A change made by a stage; never created.
public struct ProvenanceChange: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var stage: String { "" }
    /// Always empty.
    public var hook: String { "" }
    /// Always empty.
    public var what: String { "" }
    /// Always `nil`.
    public var at: Microseconds? { nil }
}

/// The exchange that was replayed; never created.
public struct ReplayFacts: Sendable, Equatable {
    init() {}

    /// An empty value.
    public var original: ExchangeID { ExchangeID() }
    /// Always `nil`.
    public var due: Timestamp? { nil }
    /// Always `nil`.
    public var sent: Timestamp? { nil }
}

/// A note by a person; never created.
public struct ExchangeNote: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var text: String { "" }
    /// Always empty.
    public var author: String { "" }
    /// Always empty.
    public var mark: String { "" }
    /// Always `nil`.
    public var at: Timestamp? { nil }
}

/// The streams that carried an exchange; never created.
public struct StreamLegs: Sendable, Equatable {
    init() {}

    /// The stream of one connection; never created.
    public struct Leg: Sendable, Equatable {
        init() {}

        /// Always `nil`.
        public var id: Int? { nil }
        /// Always empty.
        public var version: String { "" }
    }

    /// Always `nil`.
    public var client: Leg? { nil }
    /// Always `nil`.
    public var server: Leg? { nil }
}

/// A gRPC call; never created.
public struct GRPCFacts: Sendable, Equatable {
    init() {}

    /// Always empty.
    public var service: String { "" }
    /// Always empty.
    public var method: String { "" }
    /// Always `nil`.
    public var status: Int? { nil }
    /// Always empty.
    public var message: String { "" }
}
