// SPDX-License-Identifier: MIT

internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A dedicated thread for work that waits most of the time.
///
/// It is not a Dispatch thread: a process has at most 255 of those, and if all of them wait, no
/// other work that needs one can proceed.
///
/// The owner joins it before the process ends, since a thread that ends while another is in `exit`
/// frees memory that the exit handlers of C libraries free too. Without `join`, the thread is
/// detached with its last reference.
package final class DedicatedThread: Sendable {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        let end: End
        init(_ body: @escaping @Sendable () -> Void, _ end: End) {
            self.body = body
            self.end = end
        }
    }

    private final class End: Sendable {
        let hasReturned = Atomic<Bool>(false)
    }

    /// A thread that is neither joined nor detached yet.
    ///
    /// The type is unchecked because Swift does not know that a C thread handle may be used on any
    /// thread.
    private struct Handle: @unchecked Sendable { let thread: pthread_t }

    private let handle: Mutex<Handle?>
    private let end: End

    private init(_ handle: Handle, _ end: End) {
        self.handle = Mutex(handle)
        self.end = end
    }

    deinit {
        if let handle = handle.withLock({ $0.take() }) { pthread_detach(handle.thread) }
    }

    /// Starts a thread that runs the body and ends.
    ///
    /// **Throws**: `DedicatedThreadError` if the system cannot create a thread; the body is not run then.
    @discardableResult
    package static func start(
        _ body: @escaping @Sendable () -> Void
    ) throws(DedicatedThreadError) -> DedicatedThread {
        let end = End()
        let work = unsafe Unmanaged.passRetained(Work(body, end)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let code = unsafe pthread_create(
            &thread,
            nil,
            { work in
                let pointer: UnsafeMutableRawPointer? = unsafe work
                if let pointer = unsafe pointer {
                    let work = unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
                    work.body()
                    work.end.hasReturned.store(true, ordering: .releasing)
                }
                return nil
            },
            work
        )
        let started: pthread_t? = thread
        guard code == 0, let started else {
            unsafe Unmanaged<Work>.fromOpaque(work).release()
            throw DedicatedThreadError(code: code)
        }
        return DedicatedThread(Handle(thread: started), end)
    }

    /// Whether the body has returned, so that `join` hardly waits.
    package var hasReturned: Bool { end.hasReturned.load(ordering: .acquiring) }

    /// Waits until the thread has ended and its captured values and thread-local storage are freed.
    ///
    /// Later calls return at once, and so does a call on the thread itself.
    package func join() {
        guard let handle = handle.withLock({ $0.take() }) else { return }
        if pthread_equal(handle.thread, pthread_self()) != 0 {
            pthread_detach(handle.thread)
        } else {
            pthread_join(handle.thread, nil)
        }
    }
}

/// The error of a thread that could not be started.
package struct DedicatedThreadError: Error, CustomStringConvertible {
    /// The error number (pthread_create(3)).
    let code: Int32

    package var description: String { "the system cannot start another thread (error \(code))" }
}
