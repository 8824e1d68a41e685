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
        unsafe pthread_cond_init(condition, nil)
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
        while !hasOccurred { unsafe pthread_cond_wait(condition, mutex) }
        unsafe pthread_mutex_unlock(mutex)
    }
}
