// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The CPU time that the calling thread has used.
package enum ThreadClock {
    /// CPU microseconds since the thread began; waiting does not count.
    ///
    /// This is a system call, unlike `SteadyClock`.
    package static var microseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
