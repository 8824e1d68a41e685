// SPDX-License-Identifier: MIT

internal import Synchronization

/// Lets a thread wait while the sinks are full.
final class CapacitySignal: Sendable {
    /// The place where the thread waits.
    let place: Parker
    private let control: ReplayControl
    private let isOpen = Atomic<Bool>(false)

    init(_ control: ReplayControl) {
        self.control = control
        place = control.makePlace()
    }

    /// Prepares to wait.
    func shut() { isOpen.store(false, ordering: .relaxed) }

    /// Signals that there is room.
    func open() {
        isOpen.store(true, ordering: .releasing)
        place.wake()
    }

    /// Waits until there is room or the run stops.
    func wait() {
        while !isOpen.load(ordering: .acquiring), !control.isStopped { place.wait() }
    }
}
