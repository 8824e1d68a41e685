// SPDX-License-Identifier: MIT

/// What few exchanges have: nothing.
public struct ExchangeExtra: Sendable, Equatable {
    init() {}

    /// Nothing has them.
    public var provenance: [ProvenanceChange] { [] }
    /// Nothing has one.
    public var replay: ReplayFacts? { nil }
    /// Nothing has them.
    public var notes: [ExchangeNote] { [] }
    /// Nothing has one.
    public var stream: StreamLegs? { nil }
    /// Nothing has one.
    public var grpc: GRPCFacts? { nil }
    /// Always.
    public var isEmpty: Bool { true }
}

/// A change that a stage made: there is none.
public struct ProvenanceChange: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var stage: String { "" }
    /// Nothing has one.
    public var hook: String { "" }
    /// Nothing has one.
    public var what: String { "" }
    /// Nothing has one.
    public var at: Microseconds? { nil }
}

/// Which exchange was replayed: none.
public struct ReplayFacts: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var original: ExchangeID { ExchangeID() }
    /// Nothing has one.
    public var due: Timestamp? { nil }
    /// Nothing has one.
    public var sent: Timestamp? { nil }
}

/// What a person noted: nothing.
public struct ExchangeNote: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var text: String { "" }
    /// Nothing has one.
    public var author: String { "" }
    /// Nothing has one.
    public var mark: String { "" }
    /// Nothing has one.
    public var at: Timestamp? { nil }
}

/// The streams that carried an exchange: none.
public struct StreamLegs: Sendable, Equatable {
    init() {}

    /// The stream of one leg: there is none.
    public struct Leg: Sendable, Equatable {
        init() {}

        /// Nothing has one.
        public var id: Int? { nil }
        /// Nothing has one.
        public var version: String { "" }
    }

    /// Nothing has one.
    public var client: Leg? { nil }
    /// Nothing has one.
    public var server: Leg? { nil }
}

/// A call of gRPC: there is none.
public struct GRPCFacts: Sendable, Equatable {
    init() {}

    /// Nothing has one.
    public var service: String { "" }
    /// Nothing has one.
    public var method: String { "" }
    /// Nothing has one.
    public var status: Int? { nil }
    /// Nothing has one.
    public var message: String { "" }
}
