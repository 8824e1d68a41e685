// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An event that threads wait for.
///
/// It costs no system call as long as nobody waits.
@safe
package final class ThreadEvent: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var hasOccurred = false

    /// Creates an event that has not occurred.
    package init() {
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        unsafe pthread_cond_init(condition, nil)
        #else
        // Times are then independent of changes of the wall clock.
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe condition.deallocate()
    }

    /// Signals the event.
    package func signal() {
        unsafe pthread_mutex_lock(mutex)
        hasOccurred = true
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits until the event has occurred.
    package func wait() {
        unsafe pthread_mutex_lock(mutex)
        waitForEvent()
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits until the event has occurred, which is then forgotten.
    package func take() {
        unsafe pthread_mutex_lock(mutex)
        waitForEvent()
        hasOccurred = false
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits until the event has occurred, or until a time.
    ///
    /// - Parameter deadline: The time, as `SteadyClock` counts.
    /// - Returns: Whether the event has occurred.
    package func wait(until deadline: Int64) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return waitForEvent(until: deadline)
    }

    /// Waits until the event has occurred, which is then forgotten, or until a time.
    ///
    /// - Parameter deadline: The time, as `SteadyClock` counts.
    /// - Returns: Whether the event has occurred.
    @discardableResult
    package func take(until deadline: Int64) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard waitForEvent(until: deadline) else { return false }
        hasOccurred = false
        return true
    }

    /// Waits for the event; the mutex is locked.
    private func waitForEvent() {
        while !hasOccurred { unsafe pthread_cond_wait(condition, mutex) }
    }

    /// Waits for the event, or until a time; the mutex is locked.
    private func waitForEvent(until deadline: Int64) -> Bool {
        while !hasOccurred {
            let now = SteadyClock.microseconds
            guard deadline > now else { return false }
            // The clocks differ while the machine sleeps, so that long waits are divided.
            waitForSignal(atMost: min(deadline - now, 1_000_000))
        }
        return true
    }

    /// Waits for a signal, at most some microseconds; the mutex is locked.
    private func waitForSignal(atMost microseconds: Int64) {
        #if canImport(Darwin)
        var time = timespec()
        time.tv_sec = Int(microseconds / 1_000_000)
        time.tv_nsec = Int(microseconds % 1_000_000 * 1000)
        unsafe pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        let end = Int64(time.tv_nsec) / 1000 + microseconds
        time.tv_sec += Int(end / 1_000_000)
        time.tv_nsec = Int(end % 1_000_000 * 1000)
        unsafe pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}
