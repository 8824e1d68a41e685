// SPDX-License-Identifier: MIT

public import TaplineModel

/// What belongs to one exchange while its hooks run, and ends with it.
///
/// **Shape**: the source holds it beside the exchange and lends both to the lane. Hooks of
/// different exchanges interleave, so a stage keeps nothing of an exchange in itself.
public struct ExchangeContext: Sendable {
    /// Notes that hooks leave for later hooks of the same exchange; sinks never see them.
    ///
    /// After the last `redact` they are gone.
    public var vars: Tags = [:]

    /// Which plane's hooks run now.
    public var plane = Plane.request

    /// Whether the whole request body is there for `request` hooks.
    public var hasRequestBody = false
    /// Whether the whole response body is there for `response` hooks.
    public var hasResponseBody = false

    /// Which stages have decided whether their `when` holds, and which of those hold.
    package var decided = StageSet()
    package var selected = StageSet()
    /// Whether sinks were told that the exchange has begun.
    package var isTold = false
    /// The stage whose wire hook dropped the record.
    package var droppedBy: Int?
    /// Why it did so.
    package var dropReason = ""

    /// A context for a new exchange.
    public init() {}
}

/// A set of stages by their positions, up to 127.
///
/// Not a `UInt128`: who holds one is aligned to 16 bytes, for which memory is slower to get.
package struct StageSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Whether a stage is in the set.
    package func contains(_ stage: Int) -> Bool {
        (stage < 64 ? low : high) & 1 << UInt64(stage & 63) != 0
    }

    /// Puts a stage into the set.
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
    /// The wire, a message of a WebSocket.
    case message
}
