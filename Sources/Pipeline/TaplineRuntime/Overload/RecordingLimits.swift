// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// How many exchanges of live sources are recorded, for all lanes of a pipeline.
///
/// **Isolation**: any thread.
final class RecordingLimits: Sendable {
    private let most: Atomic<Int>
    private let inFlight = Atomic<Int>(0)
    private let word = Atomic<UInt32>(SheddingState.none.word)
    private let shedExchanges = Atomic<Int>(0)

    init(maxInFlight: Int? = nil) { most = Atomic(maxInFlight ?? .max) }

    /// The most exchanges that are recorded at a time (`max_exchanges_in_flight`); `nil` for any
    /// number.
    var maxInFlight: Int? {
        get {
            let most = most.load(ordering: .relaxed)
            return most == .max ? nil : most
        }
        set { most.store(newValue ?? .max, ordering: .relaxed) }
    }

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
        let count = inFlight.wrappingAdd(1, ordering: .relaxed).newValue
        if count <= most.load(ordering: .relaxed) { return true }
        leave()
        return false
    }

    /// Counts the end of an exchange that was recorded.
    func leave() { inFlight.wrappingSubtract(1, ordering: .relaxed) }
}
