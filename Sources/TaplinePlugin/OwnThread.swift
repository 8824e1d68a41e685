// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A thread for work that waits most of its time.
///
/// Not one of Dispatch's, of which a process has 255 at most: where as many wait, nothing goes on any
/// more that needs another.
package enum OwnThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that does the work and ends.
    ///
    /// **Throws**: `OwnThreadError` where the system has none left; then nothing is done.
    package static func start(_ body: @escaping @Sendable () -> Void) throws(OwnThreadError) {
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
        guard code == 0 else {
            unsafe Unmanaged<Work>.fromOpaque(work).release()
            throw OwnThreadError(code: code)
        }
        #if canImport(Darwin)
        if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }
}

/// Why there is no thread.
package struct OwnThreadError: Error, CustomStringConvertible {
    /// The number of the error (pthread_create(3)).
    let code: Int32

    package var description: String { "the system starts no further thread (error \(code))" }
}
