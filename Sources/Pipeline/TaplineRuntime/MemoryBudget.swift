// SPDX-License-Identifier: MIT

internal import Synchronization

/// The captured bytes in all lanes and queues, under one limit (`runtime.memory`).
///
/// **Isolation**: any thread. Counting is exact. The limit is exceeded by at most what the lanes
/// finish between two checks.
final class MemoryBudget: Sendable {
    private let most: Atomic<Int>
    private let held = Atomic<Int>(0)
    private let highest = Atomic<Int>(0)

    init(limit: Int) {
        most = Atomic(limit)
    }

    /// The most that may be held.
    var limit: Int {
        get { most.load(ordering: .relaxed) }
        set { most.store(newValue, ordering: .relaxed) }
    }

    /// Whether bodies are no longer kept.
    var isExhausted: Bool { held.load(ordering: .relaxed) >= limit }

    /// The bytes held, as a share of the limit; 0 without a limit above zero.
    var use: Double { limit > 0 ? Double(held.load(ordering: .relaxed)) / Double(limit) : 0 }

    /// The number of bytes that are held now.
    var current: Int { max(held.load(ordering: .relaxed), 0) }

    /// The highest number of bytes held at one time.
    var peak: Int { highest.load(ordering: .relaxed) }

    func take(_ count: Int) {
        let now = held.wrappingAdd(count, ordering: .relaxed).newValue
        _ = highest.max(now, ordering: .relaxed)
    }

    func give(_ count: Int) {
        held.wrappingSubtract(count, ordering: .relaxed)
    }
}
