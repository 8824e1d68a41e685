// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The share of a source's exchanges that is recorded (`sample`).
///
/// An exchange is chosen by a number that depends only on its trace id or, without one, on its id.
/// Machines therefore choose the same exchanges of a trace, and a smaller share is always a part of
/// a larger one.
package struct Sampling: Sendable, Equatable {
    /// All exchanges.
    static let all = Sampling(millionths: 1_000_000)

    /// How many numbers there are.
    static let numbers: UInt64 = 1 << 56

    /// How many numbers are recorded; they are the highest ones.
    ///
    /// **Source**: OpenTelemetry, "TraceState: Probability Sampling": recorded if the randomness is
    /// not below the rejection threshold.
    let recorded: UInt64

    /// Creates a share.
    package init(millionths: Int) {
        let share = UInt64(min(max(millionths, 0), 1_000_000))
        let product = share.multipliedFullWidth(by: Sampling.numbers)
        recorded = UInt64(1_000_000).dividingFullWidth(product).quotient
    }

    /// Decides what becomes of an exchange, if a part of the recorded ones is shed.
    ///
    /// - Parameters:
    ///   - number: The number of the exchange.
    ///   - shedding: The share that shedding leaves.
    /// - Returns: Whether it is recorded.
    func decision(_ number: UInt64, _ shedding: SheddingState) -> RecordingDecision {
        if number < Sampling.numbers - recorded { return .sampledOut }
        guard shedding.isActive else { return .recorded }
        let kept = (recorded >> SheddingState.bits) * UInt64(shedding.kept)
        return number < Sampling.numbers - kept ? shedding.decision : .recorded
    }

    /// Returns the number of an exchange, which has 56 bits.
    static func number(of exchange: borrowing Exchange) -> UInt64 {
        if let position = exchange.request.fields.firstIndex(of: "traceparent"),
            let number = Correlation.traceRandomness(exchange.request.fields.value(at: position))
        {
            return number
        }
        return number(of: exchange.id)
    }

    /// Returns the number of an id; ids of recordings may not be random, so they are hashed.
    static func number(of id: ExchangeID) -> UInt64 {
        // The finalizer of SplitMix64.
        var hash = id.high &* 0x9E37_79B9_7F4A_7C15 ^ id.low
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return (hash ^ hash >> 31) & (numbers - 1)
    }
}
