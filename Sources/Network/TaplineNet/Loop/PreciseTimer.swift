// SPDX-License-Identifier: MIT

internal import CUV
internal import TaplineModel

/// Performs an action on a loop at an absolute time, to within tens of microseconds.
///
/// Uses a descriptor of its own (timerfd_create(2)); where the system has none, a `LoopTimer`, whose
/// precision is that of the loop. Use it for the schedule of a whole source, not for each exchange.
///
/// **Units**: microseconds of the loop's clock.
/// **Isolation**: the loop's thread. The loop does not end before `close`.
package final class PreciseTimer: LoopResource {
    private let loop: EventLoop
    private let action: () -> Void
    private let descriptor: Int32
    private var watch: SocketWatch?
    private var fallback: LoopTimer?
    private var isClosed = false
    /// When it fires; 0 if it is not armed.
    private var deadline: Int64 = 0

    /// Makes a timer that is not armed.
    ///
    /// - Parameters:
    ///   - loop: The loop that it fires on.
    ///   - action: The action; it should not hold the timer's owner.
    package init(on loop: EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        descriptor = tapline_uv_open_timer()
        if descriptor >= 0 {
            watch = SocketWatch(of: descriptor, on: loop) { [unowned self] _, _ in fired() }
        }
        if let watch {
            watch.wait(readable: true, writable: false)
        } else {
            fallback = LoopTimer(on: loop) { [unowned self] in fire() }
        }
        loop.register(self)
    }

    deinit { assert(isClosed, "a precise timer was released without 'close'") }

    /// Arms the timer, replacing an earlier deadline; one in the past fires at once.
    package func arm(at time: Int64) {
        guard !isClosed, time != deadline else { return }
        deadline = max(time, 1)
        if let fallback {
            let (delay, overflow) = deadline.subtractingReportingOverflow(EventLoop.clockNow())
            fallback.arm(after: Microseconds(overflow ? .max / 4 : max(delay, 0)))
        } else {
            tapline_uv_set_timer(descriptor, deadline)
        }
    }

    /// Cancels the timer.
    package func cancel() {
        guard !isClosed, deadline != 0 else { return }
        deadline = 0
        fallback?.cancel()
        if watch != nil { tapline_uv_set_timer(descriptor, 0) }
    }

    private func fired() {
        tapline_uv_reset_timer(descriptor)
        // Another deadline may have been set after this one had passed.
        guard deadline != 0, EventLoop.clockNow() >= deadline else { return }
        fire()
    }

    private func fire() {
        deadline = 0
        action()
    }

    /// Releases the timer; it cannot be armed again.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        fallback = nil
        watch.take()?.close()
        if descriptor >= 0 { tapline_uv_close_timer(descriptor) }
        loop.unregister(self)
    }

    func loopDrains() {}
    func loopStops() { close() }
}
