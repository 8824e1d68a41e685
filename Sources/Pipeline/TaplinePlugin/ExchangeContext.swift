// SPDX-License-Identifier: MIT

public import TaplineModel

/// The state of one exchange while its hooks run, discarded when it ends.
///
/// **Shape**: the source keeps it with the exchange and lends both to the lane. Hooks of different
/// exchanges interleave, so a stage must not store the state of an exchange itself.
public struct ExchangeContext: Sendable {
    /// Notes that hooks leave for later hooks of the same exchange; sinks never see them.
    ///
    /// They are removed after the last `redact`.
    public var vars: Tags = [:]

    /// The plane whose hooks run now.
    public var plane = Plane.request

    /// Whether `request` hooks see the whole request body.
    public var hasRequestBody = false
    /// Whether `response` hooks see the whole response body.
    public var hasResponseBody = false

    /// Whether `record` runs for a copy that is only shown, while the exchange itself waits.
    ///
    /// The hook runs again at the end of the exchange, so it must not count the copy or store data
    /// from it.
    public var isPreview = false

    /// The speed limits that stages have set; only `proxy` honours them.
    package var throttle = Throttle()

    /// The stages whose `when` has been evaluated, and those of them whose `when` matches.
    package var decided = StageSet()
    package var selected = StageSet()
    /// The generation of the pipeline whose stages it passes; 0 before it has begun.
    package var generation: UInt32 = 0
    /// Whether sinks were notified that the exchange has begun.
    package var isAnnounced = false
    /// Whether the exchange is recorded.
    package var recording = RecordingDecision.undecided
    /// Whether it counts for `max_exchanges_in_flight`.
    package var isInFlight = false
    /// The stage whose wire hook dropped the record.
    package var droppedBy: Int?
    /// The reason for the drop.
    package var dropReason = ""
    /// What stages keep from one hook to the next; empty for most exchanges.
    package var states = StageStates()
    /// What hooks did so far; at most one, and none unless provenance is recorded.
    ///
    /// An array takes the space of a reference, and its element is changed in place.
    package var provenance: [ProvenanceLog] = []

    /// Creates the context of a new exchange.
    public init() {}
}

/// Speed limits of an exchange, in bytes a second.
package struct Throttle: Sendable, Equatable {
    /// The limit towards the server; 0 if there is none.
    package var up = 0
    /// The limit towards the client; 0 if there is none.
    package var down = 0

    /// Creates limits; 0 is none.
    package init(up: Int = 0, down: Int = 0) {
        self.up = up
        self.down = down
    }

    /// Replaces the limits that others set.
    package mutating func apply(_ other: Throttle) {
        if other.up > 0 { up = other.up }
        if other.down > 0 { down = other.down }
    }
}

/// A set of stages by their positions, up to 127.
///
/// Not a `UInt128`: that would align every containing type to 16 bytes, and such memory is slower
/// to allocate.
package struct StageSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Returns whether a stage is in the set.
    package func contains(_ stage: Int) -> Bool {
        (stage < 64 ? low : high) & 1 << UInt64(stage & 63) != 0
    }

    /// Adds a stage to the set.
    package mutating func insert(_ stage: Int) {
        if stage < 64 { low |= 1 << UInt64(stage) } else { high |= 1 << UInt64(stage & 63) }
    }
}

/// The plane and the moment at which a hook runs.
@frozen
public enum Plane: UInt8, Sendable {
    /// The wire, on the way to the server.
    case request
    /// The wire, on the way to the client.
    case response
    /// The record.
    case record
    /// The wire, for a message of a WebSocket.
    case message
}
