// SPDX-License-Identifier: MIT

internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A thread for work that waits most of its time.
///
/// Not one of Dispatch's, of which a process has 255 at most: where as many wait, nothing goes on any
/// more that needs another.
///
/// The owner joins it before the process ends: a thread that ends while another is in `exit` frees
/// what the exit handlers of C libraries free too. Without `join` it is detached with its last
/// reference.
package final class OwnThread: Sendable {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// A thread that is neither joined nor detached yet; Swift does not know that C's handle of a
    /// thread may be used on any other.
    private struct Handle: @unchecked Sendable { let thread: pthread_t }

    private let handle: Mutex<Handle?>

    private init(_ handle: Handle) { self.handle = Mutex(handle) }

    deinit {
        if let handle = handle.withLock({ $0.take() }) { pthread_detach(handle.thread) }
    }

    /// Starts a thread that does the work and ends.
    ///
    /// **Throws**: `OwnThreadError` where the system has none left; then nothing is done.
    @discardableResult
    package static func start(
        _ body: @escaping @Sendable () -> Void
    ) throws(OwnThreadError) -> OwnThread {
        let work = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
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
                    unsafe Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                }
                return nil
            },
            work
        )
        let started: pthread_t? = thread
        guard code == 0, let started else {
            unsafe Unmanaged<Work>.fromOpaque(work).release()
            throw OwnThreadError(code: code)
        }
        return OwnThread(Handle(thread: started))
    }

    /// Waits until the thread has ended, what it held freed and its thread-local storage included.
    ///
    /// Later calls return at once. On the thread itself nothing is waited for.
    package func join() {
        guard let handle = handle.withLock({ $0.take() }) else { return }
        if pthread_equal(handle.thread, pthread_self()) != 0 {
            pthread_detach(handle.thread)
        } else {
            pthread_join(handle.thread, nil)
        }
    }
}

/// Why there is no thread.
package struct OwnThreadError: Error, CustomStringConvertible {
    /// The number of the error (pthread_create(3)).
    let code: Int32

    package var description: String { "the system starts no further thread (error \(code))" }
}
