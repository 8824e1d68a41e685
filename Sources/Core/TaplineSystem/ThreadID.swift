// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Identifies a thread; unique among running threads.
public struct ThreadID: Sendable, Hashable {
    /// A number that is unique among the process's running threads; never 0.
    public let number: UInt

    /// The calling thread.
    public static var current: ThreadID {
        #if canImport(Darwin)
        ThreadID(number: unsafe UInt(bitPattern: pthread_self()))
        #else
        ThreadID(number: pthread_self())
        #endif
    }
}
