// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// How many exchanges of live sources are recorded, for all lanes of a pipeline.
///
/// **Isolation**: any thread.
final class RecordingLimits: Sendable {
    /// The most exchanges that are recorded at a time (`max_exchanges_in_flight`).
    let maxInFlight: Int?
    private let inFlight = Atomic<Int>(0)
    private let word = Atomic<UInt32>(SheddingState.none.word)
    private let shedExchanges = Atomic<Int>(0)

    init(maxInFlight: Int? = nil) { self.maxInFlight = maxInFlight }

    /// How much is shed.
    var shedding: SheddingState { SheddingState(word: word.load(ordering: .relaxed)) }

    /// Sets how much is shed from now on.
    func shed(_ state: SheddingState) { word.store(state.word, ordering: .relaxed) }

    /// How many exchanges have been shed.
    var shedCount: Int { shedExchanges.load(ordering: .relaxed) }

    /// Counts an exchange that is shed.
    func noteShed() { shedExchanges.wrappingAdd(1, ordering: .relaxed) }

    /// Counts an exchange that begins; returns whether it may be recorded.
    func enter() -> Bool {
        guard let maxInFlight else { return true }
        if inFlight.wrappingAdd(1, ordering: .relaxed).newValue <= maxInFlight { return true }
        leave()
        return false
    }

    /// Counts the end of an exchange that was recorded.
    func leave() { inFlight.wrappingSubtract(1, ordering: .relaxed) }
}
