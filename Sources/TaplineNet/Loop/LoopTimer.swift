// SPDX-License-Identifier: MIT

public import TaplineModel

/// Something that happens on a loop once a time has passed.
///
/// Make one for each purpose and arm it again and again: putting it off costs a few nanoseconds.
/// It fires within one granule after its deadline, never before. Letting go of it cancels it.
///
/// **Isolation**: the loop's thread, where the last reference has to be dropped too.
public final class LoopTimer {
    private let loop: EventLoop
    private let id: TimerWheel.ID
    private let action: () -> Void

    /// A timer that is not armed.
    ///
    /// - Parameters:
    ///   - loop: The loop on which it fires.
    ///   - action: What to do; it should not hold the timer's owner.
    public init(on loop: EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        id = loop.insertTimer()
        loop.own(self, as: id)
    }

    deinit { loop.removeTimer(id) }

    /// Arms it, in place of an earlier deadline.
    public func arm(after delay: Microseconds) {
        let (deadline, overflow) = loop.now.addingReportingOverflow(max(delay.count, 0))
        loop.armTimer(id, at: overflow ? .max / 2 : deadline)
    }

    /// Sees to it that it does not fire.
    public func cancel() { loop.cancelTimer(id) }

    /// Whether it will fire.
    public var isArmed: Bool { loop.isTimerArmed(id) }

    func fire() { action() }
}
