// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What this process uses now; a figure is `nil` where the system does not tell it.
///
/// **Source**: getrusage(2), getrlimit(2), proc(5).
package struct ProcessFigures: Sendable {
    /// The processor time of all threads, in microseconds.
    package let processorTime: Int64
    /// The resident memory, in bytes.
    package let residentMemory: Int?
    /// The virtual memory, in bytes.
    package let virtualMemory: Int?
    /// The number of open descriptors.
    package let descriptors: Int?
    /// The highest number of open descriptors that the system permits.
    package let maxDescriptors: Int?
    /// The number of threads.
    package let threads: Int?

    /// Reads the figures.
    package init() {
        var usage = rusage()
        _ = unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        let (user, system) = (usage.ru_utime, usage.ru_stime)
        processorTime =
            Int64(user.tv_sec + system.tv_sec) * 1_000_000 + Int64(user.tv_usec + system.tv_usec)
        let statm = KernelFile.text(of: "/proc/self/statm") ?? ""
        let sizes = statm.split(separator: " ").compactMap { Int($0) }
        let page = Int(sysconf(Int32(_SC_PAGESIZE)))
        virtualMemory = sizes.count > 1 ? Self.product(sizes[0], page) : nil
        residentMemory = sizes.count > 1 ? Self.product(sizes[1], page) : nil
        // One of them is that of the listing itself.
        descriptors = (try? FileSystem.names(in: "/proc/self/fd")).map { max($0.count - 1, 0) }
        threads = (try? FileSystem.names(in: "/proc/self/task")).map(\.count)
        var limit = rlimit()
        let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        maxDescriptors = isKnown ? Int(clamping: limit.rlim_cur) : nil
    }

    private static func product(_ count: Int, _ size: Int) -> Int? {
        let (product, overflow) = count.multipliedReportingOverflow(by: size)
        return overflow ? nil : product
    }
}
