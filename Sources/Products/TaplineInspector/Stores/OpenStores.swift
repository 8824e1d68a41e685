// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineStore
internal import TaplineSystem

/// The stores as one thread opens them for its calls.
///
/// A call gets the same stores however often it asks, also if other files take their place
/// meanwhile.
///
/// **Isolation**: its thread.
final class OpenStores {
    /// How long a call waits for the first look, or until a replacement was noticed, in microseconds.
    private static let patience: Int64 = 500_000

    private let current: CurrentStores
    private var known: OpenedStores?
    /// Whether the current call has got `known`.
    private var isInUse = false

    init(_ current: CurrentStores) { self.current = current }

    /// Begins the next call, which may get other stores.
    func beginCall() { isInUse = false }

    /// Returns the stores of the call.
    func stores() throws -> StoreSet { try opened().stores }

    /// Returns the stores of the call, with their generation; opens them if need be.
    ///
    /// - Throws: `APIError` or `StoreError` if they cannot be read.
    func opened() throws -> OpenedStores {
        if isInUse, let known { return known }
        let end = SteadyClock.microseconds + Self.patience
        while true {
            if let found = try open(isLast: SteadyClock.microseconds >= end) {
                known = found
                isInUse = true
                return found
            }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(5))
        }
    }

    /// Opens the current generation; `nil` if other files have just taken its place.
    private func open(isLast: Bool) throws -> OpenedStores? {
        if !isLast, current.generation == nil, current.status == nil { return nil }
        let generation = try current.current()
        if let known, known.generation === generation { return known }
        known = nil
        do {
            let stores = try StoreSet(
                generation.paths,
                countingOnce: generation.copies,
                comparesRecordings: true
            )
            if stores.count == generation.paths.count, try generation.isInPlace() {
                return OpenedStores(stores: stores, generation: generation)
            }
        } catch {
            // A file that was replaced may also be one that cannot be read.
            if try generation.isInPlace() { throw error }
        }
        current.wantLook()
        if isLast { throw APIError.beingRead }
        return nil
    }
}
