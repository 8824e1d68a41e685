// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Identifies a thread; unique among running threads.
package struct ThreadID: Sendable, Hashable {
    /// A number that is unique among the process's running threads; never 0.
    package let number: UInt

    /// The calling thread.
    package static var current: ThreadID {
        #if canImport(Darwin)
        ThreadID(number: unsafe UInt(bitPattern: pthread_self()))
        #else
        ThreadID(number: pthread_self())
        #endif
    }
}
