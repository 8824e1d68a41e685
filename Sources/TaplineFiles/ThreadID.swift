// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Which thread this is: no two that run at once have the same.
public struct ThreadID: Sendable, Hashable {
    /// A number that no thread of the process has but this one; never 0.
    public let number: UInt

    /// The thread that asks.
    public static var current: ThreadID {
        #if canImport(Darwin)
        ThreadID(number: unsafe UInt(bitPattern: pthread_self()))
        #else
        ThreadID(number: pthread_self())
        #endif
    }
}
