// SPDX-License-Identifier: MIT

internal import Synchronization

/// How far the erasure in a store has got, which an interruption reports.
///
/// **Isolation**: any thread.
final class ErasureState: Sendable {
    /// The phases, in their order.
    enum Phase: CaseIterable {
        /// The store has everything that it had.
        case searching
        /// The change takes effect, and former content is overwritten.
        case committing
        /// Everything is erased, and the files are searched.
        case verifying
    }

    private let path: String
    private let phase = Mutex(Phase.searching)

    init(_ path: String) { self.path = path }

    func enter(_ phase: Phase) { self.phase.withLock { $0 = phase } }

    /// What a user has to know who interrupts the command now.
    var interruption: String {
        switch phase.withLock({ $0 }) {
        case .searching: "interrupted; nothing was erased in '\(path)'"
        case .committing:
            "interrupted; '\(path)' is intact, but may still have a part of what is erased; run "
                + "the command again"
        case .verifying:
            "interrupted; '\(path)' was erased, but not searched completely afterwards; run the "
                + "command again"
        }
    }
}
