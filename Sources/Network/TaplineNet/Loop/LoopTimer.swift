// SPDX-License-Identifier: MIT

package import TaplineModel

/// Performs an action on a loop after a delay.
///
/// Make one timer for each purpose and arm it again and again: postponing it costs a few
/// nanoseconds. It fires within one granule after its deadline, never before. Releasing it cancels
/// it.
///
/// **Isolation**: the loop's thread, where the last reference has to be released too.
package final class LoopTimer {
    private let loop: EventLoop
    private let id: TimerWheel.ID
    private let action: () -> Void

    /// Makes a timer that is not armed.
    ///
    /// - Parameters:
    ///   - loop: The loop that it fires on.
    ///   - action: The action; it should not hold the timer's owner.
    package init(on loop: EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        id = loop.insertTimer()
        loop.own(self, as: id)
    }

    deinit { loop.removeTimer(id) }

    /// Arms the timer, replacing an earlier deadline.
    package func arm(after delay: Microseconds) {
        let (deadline, overflow) = loop.now.addingReportingOverflow(max(delay.count, 0))
        loop.armTimer(id, at: overflow ? .max / 2 : deadline)
    }

    /// Cancels the timer.
    package func cancel() { loop.cancelTimer(id) }

    /// Whether the timer is armed.
    package var isArmed: Bool { loop.isTimerArmed(id) }

    func fire() { action() }
}
