// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// How many descriptors the process may have open.
///
/// **Source**: getrlimit(2), `RLIMIT_NOFILE`.
package struct DescriptorLimits: Sendable, Hashable {
    /// The limit that applies.
    package let soft: Int
    /// The limit up to which the process may raise the soft one.
    package let hard: Int

    /// Creates limits.
    package init(soft: Int, hard: Int) {
        self.soft = soft
        self.hard = hard
    }

    /// The limits of this process; `nil` if they are unknown.
    package static var current: DescriptorLimits? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return nil
        }
        return DescriptorLimits(
            soft: Int(clamping: limit.rlim_cur),
            hard: Int(clamping: limit.rlim_max)
        )
    }
}
